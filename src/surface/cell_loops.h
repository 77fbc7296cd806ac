// The case table of dual marching cubes: the closed loops in which a surface cuts a cube, by which corners are inside.
//
// Corner c lies at x = c >> 2 & 1, y = c >> 1 & 1, z = c & 1. Edge 4 a + 2 u + v runs along the axis a, at the
// coordinates u and v on the other two axes, in their order.
#pragma once

#include <array>
#include <cstdint>

namespace dollop {

struct CellLoops {
  std::uint8_t count = 0;                     // number of loops
  std::array<std::uint8_t, 12> of_edge = {};  // index of the loop that cuts each edge; 255: none
  // Ambiguous faces (corners alternate) all of whose four edges belong to one loop: bit 2 a for the low face of axis a,
  // 2 a + 1 for the high one. If two cubes share such a face, the mesh is not a manifold there.
  std::uint8_t pinched = 0;
};

// How ambiguous faces are resolved: the surface separates the two corners that are inside, or the two outside.
enum class FaceRule { cut_inner, cut_outer };

// Looks up the table; `inside` has a bit for each corner.
const CellLoops& cell_loops(FaceRule rule, int inside);

constexpr int edge_number(int axis, int u, int v) { return 4 * axis + 2 * u + v; }
std::array<int, 2> edge_corners(int edge);  // the lower one first

}  // namespace dollop
