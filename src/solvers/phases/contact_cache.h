// A cache of static colliders, sampled at the nodes of grid blocks and kept from step to step.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "boundary/moving_colliders.h"
#include "grid/block_grid.h"

namespace dollop {

// A collider, as the nodes of a block see it.
struct SeenCollider {
  NearCollider near;
  bool in_reach;                              // nodes of the block may touch it
  std::array<double, block_nodes> clearance;  // at the nodes: a smaller ball around one is outside [m]

  // the contact at a node, whose place is x, without the velocity; sampled when it is first asked for
  const ContactSample& sample(const MovingColliders& colliders, const Double3& x, int node) {
    std::uint8_t& number = number_[std::size_t(node)];
    if (number == 0) {
      samples_.push_back(colliders.sample(near, x));
      number = std::uint8_t(samples_.size());
    }
    return samples_[number - 1u];
  }

 private:
  std::vector<ContactSample> samples_;              // most nodes near a collider never touch it
  std::array<std::uint8_t, block_nodes> number_{};  // of the sample of each node, from 1 on; 0: not sampled
};

class ContactCache {
 public:
  // samples the new blocks of the grid; clears the cache first if it has become too large
  template <class S>
  void update(const MovingColliders& colliders, const BlockGrid<S>& grid);
  const std::vector<SeenCollider>& of_slot(std::size_t slot) const { return *slots_[slot]; }
  std::vector<SeenCollider>& of_slot(std::size_t slot) { return *slots_[slot]; }  // one thread at a time
  // A lower bound of the signed distance to a static collider, from the sample at the nearest node. The point is given
  // relative to node 0 of a block [cells]. Minus infinity if there is no sample.                      (BC.22)
  template <class S>
  double clearance(const BlockGrid<S>& grid, std::size_t slot, std::size_t collider,
                   const Double3& cells) const;

 private:
  std::unordered_map<BlockKey, std::vector<SeenCollider>> blocks_;
  std::vector<std::vector<SeenCollider>*> slots_;
  std::uint64_t layout_ = 0;  // layout of the grid that the slots belong to
};

// largest distance from the middle of a block to a collider that a node, or a particle, may touch in a step [cells]
inline constexpr double node_reach = 3.6, particle_reach = 9.6;

}  // namespace dollop
