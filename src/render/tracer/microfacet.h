// Reflection at rough skins: the distribution of Trowbridge and Reitz (GGX), and Fresnel's law after Schlick.
// w: directions with the normal along z, away from the surface; a: the square of the roughness.
#pragma once

#include "render/tracer/sampling.h"

namespace dollop {

// What a skin reflects; `grazing` at the edge of what is seen: less than all of the light where it is rough, since its
// facets hide each other there.
inline Vec3<float> fresnel(const Vec3<float>& straight, float grazing, float cosine) {
  const float m = std::clamp(1 - cosine, 0.0f, 1.0f), m2 = m * m;
  const float s = m2 * m2 * m;
  const auto one = [&](float a) { return a + (std::max(grazing, a) - a) * s; };
  return {one(straight.x), one(straight.y), one(straight.z)};
}

// how much of the microfacets a direction sees: Smith's Lambda
inline float smith_lambda(const Vec3<float>& w, float a) {
  const float cosine2 = std::max(w.z * w.z, 1e-8f);
  return 0.5f * (std::sqrt(1 + a * a * (1 - cosine2) / cosine2) - 1);
}

inline float facet_density(const Vec3<float>& h, float a) {
  const float b = h.x * h.x + h.y * h.y + a * a * h.z * h.z;
  return a * a / (pi * b * b);
}

// A facet that the direction sees, by how much it sees of each (Heitz 2018).
inline Vec3<float> visible_facet(const Vec3<float>& w, float a, const Point2& u) {
  const Vec3<float> v = unit({a * w.x, a * w.y, w.z});
  const float across = v.x * v.x + v.y * v.y;
  const Vec3<float> s =
      across > 1e-12f ? (1 / std::sqrt(across)) * Vec3<float>{-v.y, v.x, 0} : Vec3<float>{1, 0, 0};
  const Vec3<float> t = cross(v, s);
  const float r = std::sqrt(u.x), angle = 2 * pi * u.y, half = 0.5f * (1 + v.z);
  const float x = r * std::cos(angle);
  const float y = (1 - half) * std::sqrt(std::max(0.0f, 1 - x * x)) + half * r * std::sin(angle);
  const Vec3<float> n = x * s + y * t + std::sqrt(std::max(0.0f, 1 - x * x - y * y)) * v;
  return unit({a * n.x, a * n.y, std::max(1e-6f, n.z)});
}

// density of the reflected directions that visible_facet() leads to
inline float reflected_pdf(const Vec3<float>& w, const Vec3<float>& h, float a) {
  return facet_density(h, a) / (4 * std::max(w.z, 1e-4f) * (1 + smith_lambda(w, a)));
}

// the share of what visible_facet() reflects that is not shadowed: at most one
inline float unshadowed(const Vec3<float>& w, const Vec3<float>& out, float a) {
  const float l = smith_lambda(w, a);
  return (1 + l) / (1 + l + smith_lambda(out, a));
}

}  // namespace dollop
