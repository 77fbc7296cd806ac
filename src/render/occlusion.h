// Soft shadows and ambient occlusion of the particles, by cone tracing through a mip pyramid of their occupancy.
#pragma once

#include <array>
#include <vector>

#include "render/smooth_field.h"

namespace dollop {

struct OcclusionVolume {
  struct Level {
    std::array<int, 3> cells{0, 0, 0};
    std::vector<float> occupancy = {};  // volume fraction of each cell, z fastest
  };
  Vec3<float> origin{0, 0, 0};  // lowest corner [m]
  float cell = 1;               // width of a cell of the finest level [m]
  std::vector<Level> levels = {};

  bool empty() const { return levels.empty(); }
};

OcclusionVolume make_occlusion_volume(const std::vector<const SmoothField*>& fields);

// A cone from a surface point towards a light.
struct LightCone {
  Vec3<float> tip, direction;  // direction: unit
  float slope;                 // radius over distance from the tip
  float start, end;            // distances from the tip between which it is traced [m]
};
// The fraction of the cone's light that arrives at its tip.
float cone_visibility(const OcclusionVolume& volume, const LightCone& cone);

// Ambient visibility (1 - ambient occlusion): the cosine-weighted fraction of the sky that a surface sees. Geometry
// beyond `reach` is ignored.
float sky_visibility(const OcclusionVolume& volume, const Vec3<float>& x, const Vec3<float>& normal,
                     float reach);

}  // namespace dollop
