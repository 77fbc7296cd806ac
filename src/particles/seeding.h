// Fills shapes with particles. Theory: docs/theory/seeding.md.
#pragma once

#include <dollop/numerics.h>
#include <dollop/shapes.h>

#include <cstdint>
#include <vector>

#include "particles/block_space.h"

namespace dollop {

struct Seeds {
  std::vector<Double3> places;  // [m]
  double volume;                // of each [m^3]
};

// Points inside a bounded shape, on average `per_cell` to a grid cell. They depend on `seed` and `stream` (a number
// of the body, say) and never on the number of threads.
//   lattice   cubic, in the middle of equal parts of the cells, so that 8 per cell lie at 1/4 and 3/4 (SEED.1); x slowest
//   jittered  each point of the lattice moved within its own part (SEED.3), same number and volume
//   poisson   no two closer than poisson_distance spacings (SEED.4); volumes add up to that of the shape (SEED.5)
// On a periodic axis that is shorter than the shape, the shape is folded: it fills the period once (SEED.6).
// Throws SceneError where the shape is unbounded, takes more than max_seeds points or lies where the grid cannot count;
// its `where` is the shape of body number `stream`, and who seeds something else puts its own in place of it.
Seeds seed(const Shape& shape, const BlockSpace& space, double per_cell, Seeding kind, std::uint64_t seed,
           std::uint64_t stream);

// About how many points seed() would make, without making them: volume over spacing cubed, with the volume in closed
// form or measured in a few milliseconds. Infinite for unbounded shapes; any sizes are safe.
double estimate_count(const Shape& shape, const BlockSpace& space, double per_cell);

inline constexpr double max_seeds = 4e9;
inline constexpr double poisson_distance =
    0.902;  // smallest distance of Poisson-disk points in spacings (SEED.4)

// the edge of the cube that one particle stands for [m]     (SEED.1)
double seed_spacing(const BlockSpace& space, double per_cell);

}  // namespace dollop
