// From which side of a wall a node inside it belongs to the material. Theory: docs/theory/contact.md.
#pragma once

#include <cmath>

#include "grid/block_grid.h"

namespace dollop {

// The mass of a node of a slot or next to it; the place is relative to node 0 of the slot.
template <class S>
double node_mass(const BlockGrid<S>& grid, std::size_t slot, const int (&at)[3]) {
  int around = 0, local = 0;
  for (const int a : at) around = 3 * around + (a >> 2) + 1, local = 4 * local + (a & 3);
  const auto other = std::size_t(grid.neighbours[27 * slot + std::size_t(around)]);
  return other < grid.slots.size() ? double(grid.velocity[256 * other + 4 * std::size_t(local) + 3]) : 0;
}

// Whether the material of a node inside a wall is behind it: the nearest face of a thin wall, which the normal is of, may
// be the far one. Then there is hardly any mass a cell ahead, compared with a cell behind.                 (BC.23)
template <class S>
bool faces_away(const BlockGrid<S>& grid, std::size_t slot, int node, const Double3& normal) {
  constexpr double hardly = 1.0 / 8;
  int ahead[3], behind[3];
  const int at[3] = {node / 16, node / 4 % 4, node % 4};
  for (std::size_t d = 0; d < 3; ++d) {
    const int step = int(std::lround(normal[d]));
    ahead[d] = at[d] + step, behind[d] = at[d] - step;
  }
  return node_mass(grid, slot, ahead) < hardly * node_mass(grid, slot, behind);
}

}  // namespace dollop
