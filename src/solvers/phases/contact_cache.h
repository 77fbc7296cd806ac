// A cache of static colliders, sampled at the nodes of grid blocks and kept from step to step.
#pragma once

#include <unordered_map>
#include <vector>

#include "boundary/moving_colliders.h"
#include "grid/block_grid.h"

namespace dollop {

// A collider, sampled at the nodes of a block.
struct SeenCollider {
  NearCollider near;
  std::vector<ContactSample> samples;  // at the 64 nodes, without the velocity; empty: too far for contact
  std::vector<double> clearance;  // signed distance at the nodes: a smaller ball around one is outside [m]
};

class ContactCache {
 public:
  // samples the new blocks of the grid; clears the cache first if it has become too large
  template <class S>
  void update(const MovingColliders& colliders, const BlockGrid<S>& grid);
  const std::vector<SeenCollider>& of_slot(std::size_t slot) const { return *slots_[slot]; }
  // A lower bound of the signed distance to a static collider, from the sample at the nearest node. The point is given
  // relative to node 0 of a block [cells]. Minus infinity if there is no sample.                      (BC.22)
  template <class S>
  double clearance(const BlockGrid<S>& grid, std::size_t slot, std::size_t collider,
                   const Double3& cells) const;

 private:
  std::unordered_map<BlockKey, std::vector<SeenCollider>> blocks_;
  std::vector<const std::vector<SeenCollider>*> slots_;
  std::uint64_t layout_ = 0;  // layout of the grid that the slots belong to
};

// largest distance from the middle of a block to a collider that a node, or a particle, may touch in a step [cells]
inline constexpr double node_reach = 3.6, particle_reach = 9.6;

}  // namespace dollop
