#include "solvers/phases/touched_islands.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "solvers/phases/node_access.h"

namespace dollop {
namespace {

// a ball around all nodes that the particles of an island can reach before they are sorted again, and what these may touch
struct Ball {
  Double3 middle;
  double radius;  // [m]
};
template <class S>
Ball reach_of(const BlockGrid<S>& grid, std::size_t island) {
  const double stencil = grid.kernels->stencil;
  double middle[3], square = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    double first = HUGE_VAL, last = -HUGE_VAL;
    for (std::uint32_t n = grid.islands.begin[island]; n < grid.islands.begin[island + 1]; ++n) {
      const auto tile = std::size_t(grid.islands.tiles[n]);
      const double shift = grid.box_of_tile[tile].shift[d];
      first = std::min(first, grid.cells[tile].low[d] - shift - 1);
      last = std::max(last, grid.cells[tile].high[d] - shift + stencil);
    }
    middle[d] = 0.5 * (first + last);
    square += 0.25 * (last - first) * (last - first);
  }
  const double cells = std::sqrt(square) + farthest_touch + contact_skin;
  return {node_place(grid.space, grid.island_blocks[island], middle[0], middle[1], middle[2]),
          cells * grid.space.cell_size};
}

template <class S>
void mark(const MovingColliders& colliders, MovingColliders::Which which, const BlockGrid<S>& grid,
          std::vector<char>& touched) {
  parallel_for(touched.size(), 64, [&](std::size_t i) {
    if (touched[i]) return;
    const Ball ball = reach_of(grid, i);
    touched[i] = !colliders.near(ball.middle, ball.radius, which).empty();
  });
}

}  // namespace

template <class S>
const std::vector<char>& TouchedIslands::find(const MovingColliders& colliders,
                                              const MovingColliders& pistons, const BlockGrid<S>& grid) {
  using Which = MovingColliders::Which;
  if (layout_ != grid.layout) {
    layout_ = grid.layout;
    by_still_.assign(colliders.size() > 0 ? grid.island_count() : 0, 0);
    mark(colliders, Which::still, grid, by_still_);
  }
  if (!colliders.any_moving() && pistons.size() == 0) return by_still_;
  by_any_ = by_still_;
  by_any_.resize(grid.island_count(), 0);
  mark(colliders, Which::moving, grid, by_any_);
  mark(pistons, Which::all, grid, by_any_);
  return by_any_;
}

template const std::vector<char>& TouchedIslands::find(const MovingColliders&, const MovingColliders&,
                                                       const BlockGrid<float>&);
template const std::vector<char>& TouchedIslands::find(const MovingColliders&, const MovingColliders&,
                                                       const BlockGrid<double>&);

}  // namespace dollop
