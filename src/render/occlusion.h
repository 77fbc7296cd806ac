// How much light reaches a point past the particles: cones traced through a pyramid of ever coarser boxes.
#pragma once

#include <array>
#include <vector>

#include "render/smooth_field.h"

namespace dollop {

struct OcclusionVolume {
  struct Level {
    std::array<int, 3> cells{0, 0, 0};
    std::vector<float> filled = {};  // share of each cell, z fastest
  };
  Vec3<float> origin{0, 0, 0};  // corner [m]
  float cell = 1;               // width of a cell of the finest level [m]
  std::vector<Level> levels = {};

  bool empty() const { return levels.empty(); }
};

OcclusionVolume make_occlusion_volume(const std::vector<const SmoothField*>& fields);

// The share of a cone's light that arrives at its tip.
struct LightCone {
  Vec3<float> tip, direction;  // direction: unit
  float spread;                // radius by length
  float start, end;            // lengths between which it is looked at [m]
};
float visibility(const OcclusionVolume& volume, const LightCone& cone);

// The share of the sky above a surface that is open, weighted by the cosine.
float open_sky(const OcclusionVolume& volume, const Vec3<float>& x, const Vec3<float>& normal, float reach);

}  // namespace dollop
