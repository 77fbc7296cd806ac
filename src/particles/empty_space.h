// Classifies the space without material: the open air around a body, and voids inside it. The unit of length is r, half
// a grid cell. Theory: docs/theory/resampling.md.
//
// With the distance phi to the particles' spheres on nodes of spacing r (RES.1-3), and six neighbours to a node:
//   empty   phi > 0
//   far     phi > 2, and connected by such nodes to the space beyond all material
//   open    empty, and nearer than 2 + sqrt(3) to a far node
//   pocket  empty, but not open: part of a void
// So the open air is the space that a ball of radius 2 sweeps when it rolls over the outside of the material; the ball
// is grown by the diagonal of a cell because its centre is at nodes only. It reaches into concave edges and corners of
// boxes, so these are not voids; it does not enter cracks and gaps narrower than 4, nor closed cavities.   (RES.11)
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "particles/sphere_distance.h"

namespace dollop {

class EmptySpace {
 public:
  explicit EmptySpace(const SphereDistance& distance);

  // whether nodes (i, j, k) of a brick and of the next ones, up to 8, belong to pockets; false if none does
  bool load_pockets(std::size_t brick, bool (&pocket)[9][9][9]) const;

  // the number of bricks without nodes that are closed off from the open air: all of their volume is void
  std::uint64_t closed_bricks() const;

 private:
  using Bits = std::array<std::uint64_t, brick_width>;  // node (i, j, k): bit 8 j + k of [i]

  // An interval along `axis_`, possibly infinite, of bricks without nodes that have the same coordinates on the other
  // axes.
  struct Gap {
    std::int32_t begin, end;
    std::size_t line;
    bool far;
  };
  struct Line {  // the gaps of one line that holds bricks; all other lines are far
    std::array<std::int32_t, 2> place;
    std::size_t first, last;  // gaps
  };
  struct Face {  // of a brick, towards a gap
    std::size_t brick;
    int side;
  };
  static constexpr std::int32_t beyond = -1;   // a line without bricks: far
  static constexpr std::int32_t present = -2;  // there is a brick

  void find_gaps();
  const Line* find_line(const BlockCoord& brick) const;
  BlockCoord place_of(const Gap& gap) const;
  std::int32_t gap_at(const BlockCoord& brick) const;  // of a brick that has no nodes, or `beyond`
  bool is_far(const BlockCoord& brick) const;          // of a brick that has no nodes

  struct
      Waiting {  // the open list of the flood fill: far gaps and nodes whose neighbours are not yet visited
    std::vector<std::size_t> gaps, nodes;
  };
  void flood();
  void enter_gap(std::size_t gap, Waiting& waiting);
  void enter_node(std::size_t brick, int i, int j, int k, Waiting& waiting);
  void enter_face(const Face& face, Waiting& waiting);
  void spread_gap(std::size_t gap, Waiting& waiting);
  void spread_node(std::size_t node, Waiting& waiting);
  void find_pockets(std::size_t brick, const std::vector<CellCoord>& ball);

  const SphereDistance& distance_;
  int axis_ = -1;  // the first axis that is not periodic; -1: all axes are periodic, and nothing is far
  std::vector<Line> lines_;
  std::vector<Gap> gaps_;
  std::vector<std::array<std::int32_t, 6>> beside_;  // the gap on each side of a brick
  std::vector<std::vector<Face>> faces_;             // of each gap
  std::vector<Bits> far_, pocket_;
};

}  // namespace dollop
