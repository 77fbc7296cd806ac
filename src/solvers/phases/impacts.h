// What the material does to colliders in a step.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "boundary/rigid.h"
#include "solvers/setup/state.h"

namespace dollop {

// What some nodes, or particles, did to a collider.
struct ColliderImpact {
  std::size_t collider;
  Impact impact;
};
using SlotImpacts = std::vector<std::vector<ColliderImpact>>;  // those of the nodes of each slot

inline void add_impact(std::vector<ColliderImpact>& impacts, std::size_t collider,
                       const Vec3<double>& impulse, const Vec3<double>& x) {
  auto it = std::find_if(impacts.begin(), impacts.end(),
                         [&](const ColliderImpact& i) { return i.collider == collider; });
  if (it == impacts.end()) it = impacts.insert(it, {collider, {}});
  const Vec3<double> moment = cross(x, impulse);
  it->impact.impulse = to_array(to_vec(it->impact.impulse) + impulse);
  it->impact.moment = to_array(to_vec(it->impact.moment) + moment);
}

// Counts what colliders felt in a step that has been taken, slot by slot.
inline void count_impacts(const SlotImpacts& impacts, Tally& tally) {
  for (const auto& slot : impacts)
    for (const ColliderImpact& one : slot)
      for (std::size_t d = 0; d < 3; ++d) {
        tally.impacts[one.collider].impulse[d] += one.impact.impulse[d];
        tally.impacts[one.collider].moment[d] += one.impact.moment[d];
      }
}

}  // namespace dollop
