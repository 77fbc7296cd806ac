// The sparse grid: the blocks that particles can reach, and the data of their nodes.
#pragma once

#include <vector>

#include "core/aligned_array.h"
#include "grid/kernels.h"
#include "particles/particle_store.h"

namespace dollop {

// The blocks that hold particles and all blocks adjacent to them, with their neighbours.
struct ActiveBlocks {
  std::vector<BlockKey> slots;           // active blocks in key order
  std::vector<std::int32_t> neighbours;  // neighbour_count per slot; slots.size() where there is no block
  std::vector<std::int32_t> tile_of_slot, slot_of_tile;  // a tile is a slot whose block holds particles

  // builds the lists for these blocks
  void update(const BlockSpace& space, const std::vector<BlockKey>& occupied);
};

template <class S>
struct BlockGrid : ActiveBlocks {
  BlockSpace space;
  TransferChoice choice;
  const TransferKernels<S>* kernels = nullptr;

  AlignedArray<S> tiles, velocity, old_velocity, bounds;
  std::vector<TileReport<S>> reports;
  std::uint64_t layout = 0;  // layout of the particle store that this was built for; 0: none

  // rebuilds the list of blocks if the layout of the particles has changed
  void update_layout(const ParticleStore<S>& particles);
  std::size_t bytes() const;
};

}  // namespace dollop
