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
