// Colours of materials and colliders in preview pictures.
#pragma once

#include <dollop/scene.h>

#include <cstdint>
#include <vector>

#include "math/vec.h"

namespace dollop {

enum class Look {
  smooth,  // drawn as one continuous surface
  grain,   // every particle is drawn as a sphere
  hidden,  // not drawn
};

struct Appearance {
  Look look = Look::smooth;
  Vec3<float> albedo{0.8f, 0.8f, 0.8f};  // linear RGB
  float gloss = 0.1f;                    // strength of the specular highlight
};

// One for each material, by its look (materials/looks.h). Further materials of the same look get other colours.
std::vector<Appearance> choose_appearances(const std::vector<Material>& materials);

Appearance collider_appearance(const Collider& collider, std::size_t index);

// the albedo with a random brightness for each grain
Vec3<float> grain_albedo(const Vec3<float>& albedo, std::uint64_t id);

}  // namespace dollop
