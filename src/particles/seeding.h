// Fills shapes with particles. Theory: docs/theory/seeding.md.
#pragma once

#include <dollop/numerics.h>
#include <dollop/shapes.h>

#include <cstdint>
#include <vector>

#include "particles/block_space.h"

namespace dollop {

struct Seeds {
  std::vector<Double3> places;  // positions [m]
  double volume;                // of each particle [m^3]
};

// Points inside a bounded shape, on average `per_cell` to a grid cell. They depend on `seed` and `stream` (the number
// of the body, say) and never on the number of threads.
//   lattice   cubic, at the centres of equal parts of cells, so that 8 per cell lie at 1/4 and 3/4 (SEED.1); x slowest
//   jittered  each point of the lattice moved at random within its part (SEED.3), same number and volume
//   poisson   Poisson-disk sampling: no two points are closer than poisson_distance spacings (SEED.4); volumes add up
//             to that of the shape (SEED.5)
// On a periodic axis that is shorter than the shape, the shape is folded: it fills the period once (SEED.6).
// Throws a SceneError if the shape is unbounded, takes more than max_seeds points or lies beyond the range of block
// coordinates; its `where` names the shape of body number `stream`, and callers that seed something else replace it.
Seeds seed(const Shape& shape, const BlockSpace& space, double per_cell, Seeding kind, std::uint64_t seed,
           std::uint64_t stream);

// The approximate number of points that seed() would make, without making them: volume over spacing cubed, with the
// volume in closed form or measured in a few milliseconds. Infinite for unbounded shapes; any sizes are safe.
double estimate_count(const Shape& shape, const BlockSpace& space, double per_cell);

inline constexpr double max_seeds = 4e9;
inline constexpr double poisson_distance =
    0.902;  // smallest distance of Poisson-disk points in spacings (SEED.4)

// the edge of the cube that one particle represents [m]     (SEED.1)
double seed_spacing(const BlockSpace& space, double per_cell);

}  // namespace dollop
