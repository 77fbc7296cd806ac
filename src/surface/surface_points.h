// The particles that a surface is reconstructed from.
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
  double spacing = 0;                    // edge of a cube with the volume of a typical particle [m]

  bool empty() const { return x.empty(); }
  std::size_t size() const { return x.size(); }
};

// Leaves out particles whose material is not surfaced, whose position or volume is not finite, whose volume is not
// positive, and those more than four million spacings from the origin. If the frame has no volumes, all particles get
// the same volume, estimated from their spacing.
SurfacePoints collect_points(const ParticleFrame& frame, const SurfaceOptions& options);

}  // namespace dollop
