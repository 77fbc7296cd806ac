#include "render/tracer/lights.h"

namespace dollop {

Lights studio_lights(const Camera& camera, float size) {
  constexpr float half_angle = 0.22f;                     // of the lamp [rad]: wide, for soft shadows
  constexpr Vec3<float> irradiance{2.05f, 1.90f, 1.68f};  // on a surface that faces the lamp; warm
  Lights lights;
  const Vec3<float> back = unit({-camera.forward.x, 0, -camera.forward.z});
  lights.to_lamp = unit(-0.80f * camera.right + Vec3<float>{0, 0.66f, 0} + 0.62f * back);
  lights.lamp_cosine = std::cos(half_angle);
  lights.lamp = (1 / lights.lamp_solid_angle()) * irradiance;
  lights.size = size;
  lights.right = camera.right;
  lights.back = back;
  return lights;
}

Lights uniform_lights(const Vec3<float>& radiance) {
  Lights lights;
  lights.uniform = radiance;
  return lights;
}

Vec3<float> sky_radiance(const Lights& lights, const Vec3<float>& d) {
  if (lights.uniform) return *lights.uniform;
  constexpr Vec3<float> above{0.44f, 0.49f, 0.57f}, level{0.44f, 0.46f, 0.50f}, below{0.20f, 0.21f, 0.22f};
  const float s = std::clamp(d.y, -1.0f, 1.0f);
  const Vec3<float> sky =
      s >= 0 ? blend(level, above, std::sqrt(s)) : blend(level, below, std::min(1.0f, -3 * s));
  // darker away from the lamp, so that white surfaces show their form, and brighter on the camera's side
  const float side = 0.80f - 0.28f * dot(d, lights.right) + 0.34f * dot(d, lights.back);
  return side * sky;
}

Vec3<float> backdrop_radiance(const Lights& lights, const Vec3<float>& direction) {
  if (lights.uniform) return *lights.uniform;
  const Vec3<float> d = unit(direction);
  const float s = std::clamp(0.45f + 1.3f * d.y, 0.0f, 1.0f);
  const float aside =
      std::clamp(0.5f + 0.9f * dot(d, lights.right), 0.0f, 1.0f);  // a faint glow on the right
  return (0.92f + 0.22f * aside) *
         blend({0.225f, 0.265f, 0.325f}, {0.085f, 0.118f, 0.172f}, s * s * (3 - 2 * s));
}

float haze_fraction(const Lights& lights, float depth) {
  if (lights.uniform) return 0;
  const float excess = std::max(0.0f, depth / lights.size - 3.5f);  // no haze within 3.5 scene sizes
  return 1 - std::exp(-0.035f * excess * excess);
}

}  // namespace dollop
