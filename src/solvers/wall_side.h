// From which side of a wall a node inside it belongs to the material. Theory: docs/theory/contact.md.
#pragma once

#include <cmath>

#include "solvers/impacts.h"

namespace dollop {

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
  const auto mass = [&](const int(&place)[3]) {
    const S* near = node_near(grid, slot, place);
    return near ? double(near[3]) : 0;
  };
  return mass(ahead) < hardly * mass(behind);
}

}  // namespace dollop
