// What grid blocks see of colliders that never move, kept from step to step.
#pragma once

#include <unordered_map>
#include <vector>

#include "boundary/moving_colliders.h"
#include "grid/block_grid.h"

namespace dollop {

// A collider as the nodes of a block see it.
struct SeenCollider {
  NearCollider near;
  std::vector<ContactSample> samples;  // at the 64 nodes, without the velocity; empty: too far to be touched
  std::vector<double> clearance;       // a ball about the node of less than this is outside [m]
};

class ContactCache {
 public:
  // sees to the blocks of the grid, and forgets others when they have become many
  template <class S>
  void update(const MovingColliders& colliders, const BlockGrid<S>& grid);
  const std::vector<SeenCollider>& of_slot(std::size_t slot) const { return *slots_[slot]; }
  // A lower bound of the distance to a collider that does not move, from what the nearest node has seen of it; the point
  // is given relative to node 0 of a block [cells]. Minus infinity if that is not known.                     (BC.22)
  template <class S>
  double clearance(const BlockGrid<S>& grid, std::size_t slot, std::size_t collider,
                   const Double3& cells) const;

 private:
  std::unordered_map<BlockKey, std::vector<SeenCollider>> blocks_;
  std::vector<const std::vector<SeenCollider>*> slots_;
  std::uint64_t layout_ = 0;  // of the grid that the slots are those of
};

// from the middle of a block, how near a collider must be for a node to touch it in a step, and for a particle [cells]
inline constexpr double node_reach = 3.6, particle_reach = 9.6;

}  // namespace dollop
