// Spray: sparse blocks whose particles meet no others on the grid.
#pragma once

#include <cstdint>
#include <vector>

#include "particles/block_space.h"

namespace dollop {

// An island is one sparse block, or some, whose particles share nodes with no others before they are sorted again. All
// nodes that they can reach fit into a box of stencil + 4 nodes along each axis.
struct Islands {
  std::vector<std::int32_t> tiles;      // those of one island after the other
  std::vector<std::uint32_t> begin{0};  // of each island in `tiles`, and the end of the last
};

// the islands among the occupied blocks, in the order of their first tiles
Islands find_islands(const std::vector<BlockKey>& occupied, const std::vector<OccupiedCells>& cells,
                     int stencil);

}  // namespace dollop
