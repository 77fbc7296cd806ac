// Positions of nodes, and access to neighbouring nodes.
#pragma once

#include <array>
#include <cmath>

#include "grid/block_grid.h"
#include "particles/block_space.h"

namespace dollop {

// nodes that are meant to lie on a face may be off it by rounding [cells]
inline constexpr double contact_skin = 1e-5;
// from a node to a collider that it may touch: in a step it moves by at most that [cells]
inline constexpr double farthest_touch = 1;

inline Double3 node_place(const BlockSpace& space, const BlockCoord& block, double x, double y, double z) {
  return {space.to_world(block[0], x, 0), space.to_world(block[1], y, 1), space.to_world(block[2], z, 2)};
}
inline Double3 node_place(const BlockSpace& space, BlockKey key, double x, double y, double z) {
  return node_place(space, coord_of(key), x, y, z);
}
inline Double3 node_place(const BlockSpace& space, const BlockCoord& block, int node) {
  const auto [x, y, z] = place_of_node(node);
  return node_place(space, block, x, y, z);
}

// The numbers of a node in a slot or in a neighbouring block, by its index relative to node 0 of the slot, from -4 to 7
// along each axis; null if there is no such block.
template <class S>
const S* node_near(const BlockGrid<S>& grid, std::size_t slot, const int (&at)[3]) {
  const auto [neighbour, node] = node_around(at);
  const auto other = std::size_t(grid.neighbours[neighbour_count * slot + neighbour]);
  return other < grid.slots.size() ? grid.velocity.data() + slot_reals * other + node_reals * node : nullptr;
}

// The same for a node at any distance; null also if a block on the way to it is missing.
template <class S>
const S* node_far(const BlockGrid<S>& grid, std::size_t slot, std::array<int, 3> at) {
  const auto near = [](int x) { return x >= -block_edge && x < 2 * block_edge; };
  while (!near(at[0]) || !near(at[1]) || !near(at[2])) {
    int hop[3];  // a node of the next block
    for (std::size_t d = 0; d < 3; ++d) {
      const int blocks = near(at[d]) ? 0 : at[d] < 0 ? -1 : 1;
      hop[d] = block_edge * blocks, at[d] -= block_edge * blocks;
    }
    slot = std::size_t(grid.neighbours[neighbour_count * slot + node_around(hop).neighbour]);
    if (slot >= grid.slots.size()) return nullptr;
  }
  return node_near(grid, slot, {at[0], at[1], at[2]});
}

// The nodes of a slot, and what is around them.
template <class Grid>
class SlotNodes {
 public:
  SlotNodes(Grid& grid, std::size_t slot) : grid_(grid), slot_(slot), block_(coord_of(grid.slots[slot])) {}
  int size() const { return block_nodes; }
  Double3 middle() const { return node_place(grid_.space, block_, 1.5, 1.5, 1.5); }
  double radius() const { return 1.5 * std::sqrt(3.0); }  // [cells]
  // false: the node and the rest of its row have none
  bool may_have_mass(int n) const { return grid_.rows[slot_] >> (n / block_edge) & 1; }
  auto* node(int n) const { return grid_.velocity.data() + slot_reals * slot_ + node_reals * std::size_t(n); }
  Double3 place(int n) const { return node_place(grid_.space, block_, n); }
  // the mass of the node at an offset from a node, at most 4 along each axis
  double mass_near(int n, const int (&offset)[3]) const {
    const auto at = place_of_node(n);
    const auto* near = node_near(grid_, slot_, {at[0] + offset[0], at[1] + offset[1], at[2] + offset[2]});
    return near ? double(near[3]) : 0;
  }

 private:
  Grid& grid_;
  std::size_t slot_;
  BlockCoord block_;
};

// The nodes of an island; there is no mass around them.
template <class S>
class IslandNodes {
 public:
  IslandNodes(BlockGrid<S>& grid, std::size_t island)
      : grid_(grid), box_(grid.boxes[island]), block_(grid.island_blocks[island]) {}
  int size() const { return box_.count[0] * box_.count[1] * box_.count[2]; }
  Double3 middle() const {
    return at(0.5 * (box_.count[0] - 1), 0.5 * (box_.count[1] - 1), 0.5 * (box_.count[2] - 1));
  }
  double radius() const {
    double square = 0;
    for (const std::int8_t count : box_.count) square += 0.25 * (count - 1) * (count - 1);
    return std::sqrt(square);
  }
  bool may_have_mass(int) const { return true; }
  S* node(int n) const {
    return grid_.box_nodes.data() +
           node_reals * (box_.storage * std::size_t(grid_.kernels->fields) + std::size_t(n));
  }
  Double3 place(int n) const {
    const auto p = place_in_box(n);
    return at(p[0], p[1], p[2]);
  }
  double mass_near(int n, const int (&offset)[3]) const {
    const auto p = place_in_box(n);
    int to = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      const int x = p[d] + offset[d];
      if (x < 0 || x >= box_.count[d]) return 0;
      to = to * box_.count[d] + x;
    }
    return double(node(to)[3]);
  }

 private:
  std::array<int, 3> place_in_box(int n) const {
    const int z = box_.count[2], y = box_.count[1];
    return {n / z / y, n / z % y, n % z};
  }
  Double3 at(double x, double y, double z) const {
    return node_place(grid_.space, block_, box_.first[0] + x, box_.first[1] + y, box_.first[2] + z);
  }
  BlockGrid<S>& grid_;
  const NodeBox& box_;
  BlockCoord block_;
};

// Whether the normal at a node inside a wall points away from the material: in a thin wall the nearest face may be the
// far one. Then there is hardly any mass a cell ahead along the normal, compared with a cell behind.      (BC.23)
template <class Nodes>
bool faces_away(const Nodes& nodes, int node, const Double3& normal) {
  constexpr double hardly = 1.0 / 8;
  int ahead[3], behind[3];
  for (std::size_t d = 0; d < 3; ++d) ahead[d] = int(std::lround(normal[d])), behind[d] = -ahead[d];
  return nodes.mass_near(node, ahead) < hardly * nodes.mass_near(node, behind);
}

}  // namespace dollop
