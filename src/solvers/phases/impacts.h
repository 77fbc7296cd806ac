// Impulses of the material on colliders in a step.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "boundary/rigid.h"
#include "solvers/setup/state.h"

namespace dollop {

// The impulse of some nodes, or particles, on one collider.
struct ColliderImpact {
  std::size_t collider;
  Impact impact;
};
using SlotImpacts = std::vector<std::vector<ColliderImpact>>;  // for the nodes of each slot

inline void add_impact(std::vector<ColliderImpact>& impacts, std::size_t collider,
                       const Vec3<double>& impulse, const Vec3<double>& x) {
  auto it = std::find_if(impacts.begin(), impacts.end(),
                         [&](const ColliderImpact& i) { return i.collider == collider; });
  if (it == impacts.end()) it = impacts.insert(it, {collider, {}});
  const Vec3<double> moment = cross(x, impulse);
  it->impact.impulse = to_array(to_vec(it->impact.impulse) + impulse);
  it->impact.moment = to_array(to_vec(it->impact.moment) + moment);
}

// adds an impulse and its moment to those on the same collider
inline void add_impact(std::vector<ColliderImpact>& impacts, const ColliderImpact& one) {
  auto it = std::find_if(impacts.begin(), impacts.end(),
                         [&](const ColliderImpact& i) { return i.collider == one.collider; });
  if (it == impacts.end()) it = impacts.insert(it, {one.collider, {}});
  for (std::size_t d = 0; d < 3; ++d) {
    it->impact.impulse[d] += one.impact.impulse[d];
    it->impact.moment[d] += one.impact.moment[d];
  }
}

// Adds the impulses of an accepted step to the tally, slot by slot.
inline void count_impacts(const SlotImpacts& impacts, Tally& tally) {
  for (const auto& slot : impacts)
    for (const ColliderImpact& one : slot)
      for (std::size_t d = 0; d < 3; ++d) {
        tally.impacts[one.collider].impulse[d] += one.impact.impulse[d];
        tally.impacts[one.collider].moment[d] += one.impact.moment[d];
      }
}

}  // namespace dollop
