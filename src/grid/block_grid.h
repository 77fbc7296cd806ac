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
  std::vector<std::size_t> run_shares, scatter_shares;  // of threads: parts of all runs, and runs with nodes
  int parts = 1;                                        // tasks that a run is divided among
  std::vector<TileReport<S>> reports;
  std::vector<std::int32_t> dense_tile_of_slot;
  std::vector<std::uint32_t> storage_of_tile, first_source;
  std::vector<BoxSource> sources;
  std::vector<NodeBox> boxes;             // those of the islands first
  std::vector<BlockCoord> island_blocks;  // that their places are counted from
  std::vector<char> touched;  // of each island: something other than its particles may act on its nodes
  std::vector<char> lone;     // of each island: its particle is lone, and its nodes are not stored
  std::vector<std::int32_t> stored_islands;  // the others
  std::size_t first_lone_run = 0;            // runs of lone particles come last
  std::uint64_t order = 0;                   // of the particle store that the runs were built for
  std::vector<BoxOfTile> box_of_tile;
  std::vector<std::uint8_t> dense_near;
  std::vector<std::uint16_t> rows;
  std::uint64_t layout = 0;   // of the particle store that this was built for; 0: none
  bool whole_blocks = false;  // implicit solvers have loops over whole tiles: no block is sparse for them
  bool no_islands = false;

  // rebuilds the list of blocks if the layout of the particles has changed
  void update_layout(const ParticleStore<S>& particles);
  // Rebuilds the runs if the order of the particles has changed, or which islands are touched; without marks none is.
  // Particles alone on the others are lone.
  void update_runs(const ParticleStore<S>& particles, const std::vector<char>& touched);
  // points the loops at the grid
  void set_loops(TransferArgs<S>& args);
  // makes room for the nodes that the particles of sparse blocks touch in a step
  void open_boxes(TransferArgs<S>& args);
  bool has_mass(std::size_t slot) const { return rows[slot] != 0; }
  std::size_t island_count() const { return island_blocks.size(); }
  bool is_lone(std::size_t tile) const {
    const std::int32_t box = box_of_tile[tile].box;
    return box >= 0 && boxes[std::size_t(box)].island && lone[std::size_t(box)];
  }
  std::size_t bytes() const;

 private:
  void make_boxes(const ParticleStore<S>& particles);
  void find_sources();
  void find_lone(const ParticleStore<S>& particles);
  void make_runs(const ParticleStore<S>& particles);
};

}  // namespace dollop
