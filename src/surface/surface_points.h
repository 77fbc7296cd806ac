// The particles that a surface is made of.
#pragma once

#include <dollop/simulation.h>

#include <cstdint>
#include <string>
#include <vector>

#include "math/vec.h"
#include "surface/surface.h"

namespace dollop {

struct SurfacePoints {
  std::vector<Vec3<float>> x = {};       // [m]
  std::vector<float> volume = {};        // [m^3]
  std::vector<std::uint32_t> from = {};  // index of the particle in its frame
  double total_volume = 0;               // [m^3]
  double spacing = 0;                    // edge of a cube of the volume that a typical particle has [m]

  bool empty() const { return x.empty(); }
  std::size_t size() const { return x.size(); }
};

// Leaves out particles whose material is not surfaced, whose position or volume is not finite, whose volume is not
// positive, and those more than four million spacings from the origin. Where the frame has no volumes, all particles get the same, estimated from how close they lie.
SurfacePoints collect_points(const ParticleFrame& frame, const SurfaceOptions& options);

}  // namespace dollop
