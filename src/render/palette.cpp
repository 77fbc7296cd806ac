#include "render/palette.h"

#include "render/tracer/looks.h"
#include "surface/material_looks.h"

namespace dollop {
namespace {

// previews reduce a look to an albedo and a specular highlight
Appearance appearance_of(const Shading& shading) {
  const float gloss = shading.metal ? 0.8f : 6 * shading.reflectance * (1.1f - shading.roughness);
  return {Look::smooth, shading.color, gloss};
}

}  // namespace

std::vector<Appearance> choose_appearances(const std::vector<Material>& materials) {
  std::vector<Appearance> chosen;
  const std::vector<Shading> shadings = material_shadings(materials);
  for (std::size_t i = 0; i < materials.size(); ++i) {
    chosen.push_back(appearance_of(shadings[i]));
    if (shown_as_grains(materials[i])) chosen.back().look = Look::grain;
    if (hidden(look_of(materials[i]))) chosen.back().look = Look::hidden;
  }
  return chosen;
}

Appearance collider_appearance(const Collider& collider, std::size_t index) {
  return appearance_of(collider_shading(collider, index));
}

Vec3<float> grain_albedo(const Vec3<float>& albedo, std::uint64_t id) {
  const std::uint64_t hash = (id + 1) * 0x9E3779B97F4A7C15u;  // neighbouring ids give unrelated hashes
  const float brightness = 0.72f + 0.56f * float(hash >> 40) / 16777216.0f;  // the upper 24 bits
  const Vec3<float> c = brightness * albedo;
  return {c.x < 1 ? c.x : 1, c.y < 1 ? c.y : 1, c.z < 1 ? c.z : 1};
}

}  // namespace dollop
