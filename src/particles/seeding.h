// Fills shapes with particles.
#pragma once

#include <dollop/shapes.h>

#include <vector>

#include "particles/block_space.h"

namespace dollop {

// Points of a cubic lattice inside a bounded shape: `per_cell` to a grid cell, in the middle of equal parts
// of the cells, so that 8 per cell lie at 1/4 and 3/4. Order: x slowest.
struct LatticeSeeds {
  std::vector<Double3> places;  // [m]
  double volume;                // of each [m^3]
};
LatticeSeeds seed_lattice(const Shape& shape, const BlockSpace& space, double per_cell);

}  // namespace dollop
