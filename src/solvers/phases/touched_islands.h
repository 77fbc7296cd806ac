// Islands that something other than their particles may act on.
#pragma once

#include <cstdint>
#include <vector>

#include "boundary/moving_colliders.h"
#include "grid/block_grid.h"

namespace dollop {

class TouchedIslands {
 public:
  // Marks the islands whose nodes colliders, or the pistons in nozzles, may touch in a step, wherever their particles are
  // before the next sort. Empty if nothing is there to touch any.
  template <class S>
  const std::vector<char>& find(const MovingColliders& colliders, const MovingColliders& pistons,
                                const BlockGrid<S>& grid);

 private:
  std::vector<char> by_still_, by_any_;  // by colliders that never move; by all
  std::uint64_t layout_ = 0;             // of the grid that by_still_ belongs to
};

}  // namespace dollop
