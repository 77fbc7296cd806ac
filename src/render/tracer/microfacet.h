// The microfacet BRDF of specular coats: the GGX distribution (Trowbridge and Reitz), Smith's masking and shadowing,
// and Schlick's Fresnel term. wo, wi: unit directions to the viewer and to the light, h: half vector, all away from the
// surface in a frame with the normal along z; alpha: the square of the roughness.
#pragma once

#include "render/tracer/sampling.h"

namespace dollop {

// Schlick's Fresnel reflectance between f0 at normal incidence and f90 at grazing angles. Rough coats have f90 below 1,
// since their facets hide each other there.
inline Vec3<float> fresnel(const Vec3<float>& f0, float f90, float cosine) {
  const float m = std::clamp(1 - cosine, 0.0f, 1.0f), m2 = m * m;
  const float s = m2 * m2 * m;
  const auto one = [&](float f) { return f + (std::max(f90, f) - f) * s; };
  return {one(f0.x), one(f0.y), one(f0.z)};
}

// Smith's Lambda: the fraction of microfacets that a direction sees is 1 / (1 + Lambda)
inline float smith_lambda(const Vec3<float>& wo, float alpha) {
  const float cosine2 = std::max(wo.z * wo.z, 1e-8f);
  return 0.5f * (std::sqrt(1 + alpha * alpha * (1 - cosine2) / cosine2) - 1);
}

// the distribution of normals D(h)
inline float ggx_ndf(const Vec3<float>& h, float alpha) {
  const float b = h.x * h.x + h.y * h.y + alpha * alpha * h.z * h.z;
  return alpha * alpha / (pi * b * b);
}

// Samples the distribution of normals that are visible from wo (Heitz 2018).
inline Vec3<float> sample_visible_normal(const Vec3<float>& wo, float alpha, const Point2& u) {
  const Vec3<float> v = unit({alpha * wo.x, alpha * wo.y, wo.z});
  const float sin2 = v.x * v.x + v.y * v.y;
  const Vec3<float> s =
      sin2 > 1e-12f ? (1 / std::sqrt(sin2)) * Vec3<float>{-v.y, v.x, 0} : Vec3<float>{1, 0, 0};
  const Vec3<float> t = cross(v, s);
  const float r = std::sqrt(u.x), angle = 2 * pi * u.y, half = 0.5f * (1 + v.z);
  const float x = r * std::cos(angle);
  const float y = (1 - half) * std::sqrt(std::max(0.0f, 1 - x * x)) + half * r * std::sin(angle);
  const Vec3<float> n = x * s + y * t + std::sqrt(std::max(0.0f, 1 - x * x - y * y)) * v;
  return unit({alpha * n.x, alpha * n.y, std::max(1e-6f, n.z)});
}

// density, by solid angle, of the direction that wo is reflected to at a normal h of sample_visible_normal()
inline float reflection_pdf(const Vec3<float>& wo, const Vec3<float>& h, float alpha) {
  return ggx_ndf(h, alpha) / (4 * std::max(wo.z, 1e-4f) * (1 + smith_lambda(wo, alpha)));
}

// The weight of directions sampled by sample_visible_normal(), but for the Fresnel term: masking and shadowing over
// masking alone, G2 / G1; at most 1.
inline float g2_over_g1(const Vec3<float>& wo, const Vec3<float>& wi, float alpha) {
  const float l = smith_lambda(wo, alpha);
  return (1 + l) / (1 + l + smith_lambda(wi, alpha));
}

}  // namespace dollop
