// How a surface passes through a cube whose corners lie inside or outside: the closed loops in which it cuts the cube.
//
// Corner c lies at x = c >> 2 & 1, y = c >> 1 & 1, z = c & 1. Edge 4 a + 2 u + v runs along the axis a, at the
// places u and v on the other two axes, in their order.
#pragma once

#include <array>
#include <cstdint>

namespace dollop {

struct CellLoops {
  std::uint8_t count = 0;                     // of loops
  std::array<std::uint8_t, 12> of_edge = {};  // the loop that cuts an edge; 255: none
  // Faces whose corners alternate, all of whose four edges belong to one loop: bit 2 a for the low face of the axis a,
  // 2 a + 1 for the high one. Two such cubes that share such a face would touch in more than they should.
  std::uint8_t pinched = 0;
};

// What a face with alternating corners does: cuts off its inner corners, one by one, or its outer ones.
enum class FaceRule { cut_inner, cut_outer };

// `inside`: a bit for each corner. Made once.
const CellLoops& cell_loops(FaceRule rule, int inside);

constexpr int edge_number(int axis, int u, int v) { return 4 * axis + 2 * u + v; }
std::array<int, 2> edge_corners(int edge);  // the lower one first

}  // namespace dollop
