// The sparse grid: the blocks that particles can reach, and the data of their nodes.
#pragma once

#include <vector>

#include "core/aligned_array.h"
#include "grid/islands.h"
#include "grid/kernels.h"
#include "particles/particle_store.h"

namespace dollop {

// The blocks that particles can reach before they are sorted again, with their neighbours: those that hold particles,
// and all adjacent ones; around sparse blocks only those that a stencil can touch.
struct ActiveBlocks {
  std::vector<BlockKey> slots;           // active blocks in key order
  std::vector<std::int32_t> neighbours;  // neighbour_count per slot; slots.size() where there is no block
  // a tile is a block that holds particles; those of islands have no slot, -1
  std::vector<std::int32_t> tile_of_slot, slot_of_tile;
  std::vector<OccupiedCells> cells;  // of each tile
  Islands islands;

  // builds the lists for these blocks; `stencil` is the number of nodes along an edge of a stencil
  void update(const BlockSpace& space, const std::vector<BlockKey>& occupied,
              const std::vector<OccupiedCells>& occupied_cells, int stencil, bool with_islands);
};

template <class S>
struct BlockGrid : ActiveBlocks {
  BlockSpace space;
  TransferChoice choice;
  const TransferKernels<S>* kernels = nullptr;

  AlignedArray<S> tiles, box_nodes, velocity, old_velocity, bounds;
  std::vector<TileRun> runs;
  std::vector<std::int32_t> run_tiles;
  int parts = 1;  // tasks that a run is divided among
  std::vector<TileReport<S>> reports;
  std::vector<std::int32_t> dense_tile_of_slot;
  std::vector<std::uint32_t> storage_of_tile, first_source;
  std::vector<BoxSource> sources;
  std::vector<NodeBox> boxes;             // those of the islands first
  std::vector<BlockCoord> island_blocks;  // that their places are counted from
  std::vector<BoxOfTile> box_of_tile;
  std::vector<std::uint8_t> dense_near;
  std::vector<std::uint16_t> rows;
  std::uint64_t layout = 0, order = 0;  // of the particle store that this was built for; 0: none
  bool whole_blocks = false;  // implicit solvers have loops over whole tiles: no block is sparse for them
  bool no_islands = false;

  // rebuilds the list of blocks if the layout of the particles has changed, and the runs if their order has
  void update_layout(const ParticleStore<S>& particles);
  // points the loops at the grid
  void set_loops(TransferArgs<S>& args);
  bool has_mass(std::size_t slot) const { return rows[slot] != 0; }
  std::size_t island_count() const { return island_blocks.size(); }
  std::size_t bytes() const;

 private:
  void make_boxes(const ParticleStore<S>& particles);
  void find_sources();
  void make_runs(const ParticleStore<S>& particles);
};

}  // namespace dollop
