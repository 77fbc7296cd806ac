#include "render/lighting.h"

#include <algorithm>
#include <cmath>

namespace dollop {
namespace {

constexpr Vec3<float> lamp_irradiance{1.20f, 1.10f, 0.96f};
constexpr Vec3<float> sky_above{0.27f, 0.31f, 0.38f}, sky_below{0.24f, 0.24f, 0.25f};
constexpr float lamp_size = 0.13f;  // radius over distance: softness of shadows

Vec3<float> times(const Vec3<float>& a, const Vec3<float>& b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
Vec3<float> mix(const Vec3<float>& a, const Vec3<float>& b, float s) { return (1 - s) * a + s * b; }

// ambient visibility with an approximation of interreflections: bright surfaces light their own creases
Vec3<float> with_interreflections(float visibility, const Vec3<float>& albedo) {
  const auto one = [&](float a) { return visibility / (1 - 0.75f * a * (1 - visibility)); };
  return {one(albedo.x), one(albedo.y), one(albedo.z)};
}

// 1, 2 or 5 times a power of ten
float round_length(float length) {
  const float power = std::pow(10.0f, std::floor(std::log10(length)));
  const float digit = length / power;
  return power * (digit < 1.5f ? 1.0f : digit < 3.5f ? 2.0f : digit < 7.5f ? 5.0f : 10.0f);
}

}  // namespace

Lighting make_lighting(const Camera& camera, const std::vector<Solid>& solids,
                       const OcclusionVolume& occlusion, float size) {
  const Vec3<float> back = unit({-camera.forward.x, 0, -camera.forward.z});
  const Vec3<float> to_lamp = unit(-0.85f * camera.right + Vec3<float>{0, 0.78f, 0} + 0.42f * back);
  return {solids, occlusion, to_lamp, size};
}

LightVisibility light_visibility(const Lighting& light, const Surface& surface) {
  LightVisibility visible;
  const Vec3<float>& n = surface.normal;
  const float cell = light.occlusion.cell;
  const float error = surface.solid ? surface.solid->distance_error : 0;  // a mesh must not shade itself
  if (dot(n, light.to_lamp) > -0.3f) {
    // start the cone outside the blurred boundary of the surface itself
    const Vec3<float> tip = surface.x + (light.occlusion.empty() ? 0.0f : 0.9f * cell) * n;
    visible.lamp =
        cone_visibility(light.occlusion, {tip, light.to_lamp, lamp_size, 1.0f * cell, 8 * light.size});
    const Vec3<float> lifted = surface.x + std::max(1e-3f * light.size, error) * n;
    // parts of one collider, which are consecutive, hide the same part of the lamp: take the minimum, not the product
    for (std::size_t i = 0; i < light.solids.size();) {
      const Collider* collider = light.solids[i].collider;
      float least = 1;
      for (; i < light.solids.size() && light.solids[i].collider == collider; ++i)
        least = std::min(least,
                         lamp_visibility(light.solids[i], lifted, light.to_lamp, lamp_size, 3 * light.size));
      visible.lamp *= least;
    }
  }
  visible.sky = sky_visibility(light.occlusion, surface.x, n, 0.9f * light.size) *
                sky_visibility(light.solids, surface.x + error * n, n, 0.25f * light.size);
  return visible;
}

Vec3<float> shade(const Lighting& light, const Surface& surface, const LightVisibility& visible,
                  const Vec3<float>& to_eye) {
  const Vec3<float>& n = surface.normal;
  const Vec3<float>& albedo = surface.appearance.albedo;
  // wrap lighting imitates subsurface scattering: light reaches a little beyond the terminator, red the farthest
  const bool drop = surface.kind == Surface::Kind::sphere && surface.appearance.look == Look::smooth;
  const bool soft = surface.kind == Surface::Kind::mass || drop;
  const float cosine = dot(n, light.to_lamp);
  const auto wrapped = [&](float wrap) {
    const float w = std::max(0.0f, (cosine + wrap) / (1 + wrap));
    return w * visible.lamp;
  };
  const Vec3<float> lamp = soft ? Vec3<float>{wrapped(0.28f), wrapped(0.22f), wrapped(0.17f)}
                                : Vec3<float>{wrapped(0), wrapped(0), wrapped(0)};
  const Vec3<float> sky =
      times(mix(sky_below, sky_above, 0.5f + 0.5f * n.y), with_interreflections(visible.sky, albedo));
  const Vec3<float> colour = times(albedo, times(lamp_irradiance, lamp) + sky);

  const float gloss = surface.appearance.gloss;
  const Vec3<float> half = unit(light.to_lamp + to_eye);
  const float specular = std::pow(std::max(0.0f, dot(n, half)), 20 + 60 * gloss) * gloss * visible.lamp;
  const float fresnel_rim =
      std::pow(1 - std::clamp(dot(n, to_eye), 0.0f, 1.0f), 5.0f) * 0.35f * gloss * visible.sky;
  return colour + specular * lamp_irradiance + fresnel_rim * sky_above;
}

Vec3<float> background(const Vec3<float>& direction) {
  const float height = unit(direction).y;
  const float s = std::clamp(0.5f + 1.2f * height, 0.0f, 1.0f);
  return mix({0.20f, 0.24f, 0.30f}, {0.10f, 0.14f, 0.21f}, s * s * (3 - 2 * s));
}

Vec3<float> haze(const Lighting& light, const Vec3<float>& colour, float depth,
                 const Vec3<float>& direction) {
  const float excess = std::max(0.0f, depth / light.size - 5);  // no haze within five scene sizes
  return mix(background(direction), colour, std::exp(-0.02f * excess * excess));
}

Vec3<float> behind_glass(const Vec3<float>& colour, const Vec3<float>& normal, const Vec3<float>& to_eye) {
  const float grazing = 1 - std::clamp(std::abs(dot(normal, to_eye)), 0.0f, 1.0f);
  return mix(colour, {0.40f, 0.46f, 0.50f}, 0.10f + 0.6f * grazing * grazing * grazing);
}

Vec3<float> floor_albedo(const Vec3<float>& x, float size, float footprint) {
  const float spacing = round_length(size / 5);
  const float line = 0.012f * spacing;  // half width
  float covered = 0;                    // fraction of the sample that lies on a line
  for (const float along : {x.x, x.z}) {
    const float off = std::abs(along - spacing * std::round(along / spacing));
    const float width = line + footprint;
    const float edge = std::clamp((width - off) / (2 * footprint + 1e-30f), 0.0f, 1.0f);
    covered = std::max(covered, edge * std::min(1.0f, line / (footprint + 1e-30f)));
  }
  return mix({0.12f, 0.145f, 0.185f}, {0.19f, 0.22f, 0.26f}, 0.5f * covered);
}

}  // namespace dollop
