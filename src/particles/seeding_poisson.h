// Poisson-disk sampling: random points with a least distance that leave no gap. Theory: docs/theory/seeding.md.
#pragma once

#include <dollop/shapes.h>

#include <cstdint>
#include <vector>

#include "particles/block_space.h"
#include "particles/seeding_bricks.h"

namespace dollop {

// Points that repeat with the period `size` on each axis. No two, images included, are closer than `distance`, and
// every position has one within (1 + poisson_gap) of `distance` (SEED.4). A point may be closer to its own image where
// the period is shorter than the distance.
struct PoissonTile {
  Double3 size;
  std::vector<Double3> points;  // in [0, size)
};
inline constexpr double poisson_gap = 1.0 / 1024;

PoissonTile make_poisson_tile(const Double3& size, double distance, std::uint64_t seed, std::uint64_t stream);

// the approximate edge of a tile [spacings]: 4096 points
inline constexpr double poisson_tile_edge = 16;

// the points of the repeated tile that lie in the region
std::vector<Double3> fill_poisson(const SeedRegion& region, const BlockSpace& space, double spacing,
                                  std::uint64_t seed, std::uint64_t stream);

std::vector<Double3> joined(const std::vector<std::vector<Double3>>& parts);

}  // namespace dollop
