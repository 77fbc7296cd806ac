// Colours of materials and colliders in preview pictures.
#pragma once

#include <dollop/scene.h>

#include <cstdint>
#include <vector>

#include "math/vec.h"

namespace dollop {

enum class Look {
  smooth,  // one continuous mass
  grain,   // every particle is a sphere
  hidden,  // not drawn
};

struct Appearance {
  Look look = Look::smooth;
  Vec3<float> albedo{0.8f, 0.8f, 0.8f};  // share of light that is sent back
  float gloss = 0.1f;                    // strength of the highlight
};

// One for each material, by its look (materials/looks.h); then other colours for more materials of the same look.
std::vector<Appearance> choose_appearances(const std::vector<Material>& materials);

Appearance collider_appearance(const Collider& collider, std::size_t index);

// a grain is a little lighter or darker than its neighbours
Vec3<float> grain_albedo(const Vec3<float>& albedo, std::uint64_t id);

}  // namespace dollop
