// What each look (materials/looks.h) is made of. A new look is one line of the table in looks.cpp.
#pragma once

#include <dollop/scene.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "math/vec.h"

namespace dollop {

enum class Pattern {
  none,
  grains,   // each particle is a little lighter or darker
  sand,     // each particle has one of three colours
  speckle,  // small spots
  rings,    // of a tree
  browned,  // patches of baking
};

struct Shading {
  Vec3<float> color{0.8f, 0.8f, 0.8f};  // linear: share of light that comes back, or passes if it is clear
  float reflectance = 0.04f;            // of the skin, straight on
  float roughness = 0.5f;               // of the skin: 0 mirrors
  float scatter = 0;   // how far light wanders under the skin, by the size of what is seen; 0: not at all
  float clear = 0;     // share of the light that passes through instead
  bool metal = false;  // the skin itself has the colour, and there is nothing below
  Pattern pattern = Pattern::none;
};

// sRGB components in [0, 1] as an artist writes them
Vec3<float> linear_of_srgb(const Double3& srgb);

Shading shading_of(std::string_view look, const std::optional<Double3>& color = {});

// One for each material; the look of its model where it names none. Materials that would look alike get other colours.
std::vector<Shading> material_shadings(const std::vector<Material>& materials);
Shading collider_shading(const Collider& collider, std::size_t index);

// The colour of a grain: sand has the three of Klár et al. (2016).
Vec3<float> grain_color(const Shading& shading, std::uint64_t id);

// The pattern of a solid at a place of the body at rest; `scale` is the size of its marks [m].
Vec3<float> pattern_color(const Shading& shading, const Vec3<float>& x, float scale);

}  // namespace dollop
