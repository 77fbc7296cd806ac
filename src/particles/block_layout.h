// Blocks of grid nodes: how they lie in memory, and the blocks around one.
//
// Shared by code of every instruction set, so constants and what is evaluated at compile time there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace dollop {

inline constexpr int block_edge = 4;  // nodes along an edge of a block
inline constexpr int block_rows = block_edge * block_edge, block_nodes = block_rows * block_edge;

inline constexpr int node_reals = 4;  // numbers of a node: three of a velocity or momentum, and mass
inline constexpr int row_reals = block_edge * node_reals;    // of the nodes of a block along z
inline constexpr int slot_reals = block_nodes * node_reals;  // of all nodes of a block
inline constexpr int bounds_reals = 2 * node_reals;          // least and largest velocity of a block

// A block and those around it, x slowest.
inline constexpr int neighbour_count = 27, neighbour_self = 13;
constexpr std::array<int, 3> neighbour_offset(int neighbour) {
  return {neighbour / 9 - 1, neighbour / 3 % 3 - 1, neighbour % 3 - 1};
}

// The place of a node in its block, from 0 to 3 on each axis; z changes fastest.
constexpr std::array<int, 3> place_of_node(int node) {
  return {node / block_rows, node / block_edge % block_edge, node % block_edge};
}

// Blocks with at most this many particles are sparse: the loops take several of them at a time, and the grid stores only
// what their particles reach. With more particles a whole block is the faster way.
inline constexpr std::uint32_t most_in_sparse_block = 8;

// The cells of a block that its particles are in when they have been sorted. Until the next sort a particle may leave
// them by one cell. Blocks that are not sparse count as filled.
struct OccupiedCells {
  std::uint8_t sparse = 0;  // 1: the block is sparse
  std::array<std::int8_t, 3> low{0, 0, 0}, high{block_edge - 1, block_edge - 1, block_edge - 1};
  bool operator==(const OccupiedCells&) const = default;
};

// A node of a block or of one around it.
struct NodeAround {
  std::size_t neighbour, node;
};
// the node at a place from -4 to 7 on each axis, relative to node 0 of the block
constexpr NodeAround node_around(const int (&place)[3]) {
  NodeAround found{0, 0};
  for (const int x : place) {
    found.neighbour = 3 * found.neighbour + std::size_t((x >> 2) + 1);
    found.node = block_edge * found.node + std::size_t(x & 3);
  }
  return found;
}

}  // namespace dollop
