// What nodes do to colliders, and where nodes are.
#pragma once

#include <algorithm>
#include <vector>

#include "boundary/rigid.h"
#include "particles/block_space.h"
#include "solvers/explicit_mpm.h"

namespace dollop {

// nodes that are meant to lie on a face may be off it by rounding [cells]
inline constexpr double contact_skin = 1e-5;

inline Double3 node_place(const BlockSpace& space, const BlockCoord& block, double x, double y, double z) {
  return {space.to_world(block[0], x, 0), space.to_world(block[1], y, 1), space.to_world(block[2], z, 2)};
}
inline Double3 node_place(const BlockSpace& space, BlockKey key, double x, double y, double z) {
  return node_place(space, coord_of(key), x, y, z);
}

// The numbers of a node of a slot or of a block next to it, at a place relative to node 0 of the slot; null if no block
// is there. Places are from -4 to 7.
template <class S>
const S* node_near(const BlockGrid<S>& grid, std::size_t slot, const int (&at)[3]) {
  std::size_t around = 0, local = 0;
  for (const int a : at)
    around = 3 * around + std::size_t((a >> 2) + 1), local = 4 * local + std::size_t(a & 3);
  const auto other = std::size_t(grid.neighbours[27 * slot + around]);
  return other < grid.slots.size() ? grid.velocity.data() + 256 * other + 4 * local : nullptr;
}

inline void add_impact(std::vector<NodeImpact>& impacts, std::size_t collider, const Vec3<double>& impulse,
                       const Vec3<double>& x) {
  auto it = std::find_if(impacts.begin(), impacts.end(),
                         [&](const NodeImpact& i) { return i.collider == collider; });
  if (it == impacts.end()) it = impacts.insert(it, {collider, {}});
  const Vec3<double> moment = cross(x, impulse);
  it->impact.impulse = to_array(to_vec(it->impact.impulse) + impulse);
  it->impact.moment = to_array(to_vec(it->impact.moment) + moment);
}

}  // namespace dollop
