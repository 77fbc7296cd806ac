// The shading parameters of each look (materials/looks.h). A new look is one line of the table in looks.cpp.
#pragma once

#include <dollop/scene.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "math/vec.h"

namespace dollop {

enum class Pattern {
  none,
  grains,   // each particle has a slightly different brightness
  sand,     // each particle has one of three colours
  speckle,  // small spots
  rings,    // growth rings of wood
  browned,  // baked patches
};

// A specular coat over a base that is diffuse, with subsurface scattering, or transmissive.
struct Shading {
  Vec3<float> color{0.8f, 0.8f,
                    0.8f};        // linear: albedo of the base, or its transmittance if it is transmissive
  float reflectance = 0.04f;      // of the specular coat at normal incidence
  float roughness = 0.5f;         // of the specular coat; 0: mirror
  float scattering_distance = 0;  // of subsurface scattering, in scene sizes; 0: none
  float transmission = 0;         // fraction of light in the base that is refracted instead of scattered
  bool metal = false;             // conductor: the colour is the coat's reflectance, and there is no base
  Pattern pattern = Pattern::none;
};

// linear RGB of sRGB components in [0, 1]
Vec3<float> linear_of_srgb(const Double3& srgb);

Shading shading_of(std::string_view look, const std::optional<Double3>& color = {});

// One for each material, by its look or else the default look of its model. Materials of the same look get different
// colours.
std::vector<Shading> material_shadings(const std::vector<Material>& materials);
Shading collider_shading(const Collider& collider, std::size_t index);

// The colour of a grain; sand has the three colours of Klár et al. (2016).
Vec3<float> grain_color(const Shading& shading, std::uint64_t id);

// The colour of a solid's pattern at a point x of its rest pose; `scale` is the size of the pattern's features [m].
Vec3<float> pattern_color(const Shading& shading, const Vec3<float>& x, float scale);

}  // namespace dollop
