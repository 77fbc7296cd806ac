// Positions of nodes, and access to neighbouring nodes.
#pragma once

#include <cmath>

#include "grid/block_grid.h"
#include "particles/block_space.h"

namespace dollop {

// nodes that are meant to lie on a face may be off it by rounding [cells]
inline constexpr double contact_skin = 1e-5;

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

// Whether the normal at a node inside a wall points away from the material: in a thin wall the nearest face may be the
// far one. Then there is hardly any mass a cell ahead along the normal, compared with a cell behind.      (BC.23)
template <class S>
bool faces_away(const BlockGrid<S>& grid, std::size_t slot, int node, const Double3& normal) {
  constexpr double hardly = 1.0 / 8;
  int ahead[3], behind[3];
  const auto at = place_of_node(node);
  for (std::size_t d = 0; d < 3; ++d) {
    const int step = int(std::lround(normal[d]));
    ahead[d] = at[d] + step, behind[d] = at[d] - step;
  }
  const auto mass = [&](const int(&place)[3]) {
    const S* near = node_near(grid, slot, place);
    return near ? double(near[3]) : 0;
  };
  return mass(ahead) < hardly * mass(behind);
}

}  // namespace dollop
