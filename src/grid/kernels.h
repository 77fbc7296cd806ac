// The hot loops, as tables of functions: one table for each instruction set and precision.
//
// This header is shared by code of every instruction set, so it holds plain structs and pointers only.
#pragma once

#include <dollop/numerics.h>

#include <cstddef>
#include <cstdint>

#include "materials/material_kernels.h"
#include "particles/block_layout.h"

namespace dollop {

// The particles of one material as arguments of the loops.
template <class S>
struct GroupView {
  S* x[3];                     // position relative to node 0 of the particle's block [cells]
  S* v[3];                     // [m/s]
  S* c[9];                     // affine velocity [1/s], row-major; null unless the transfer carries it
  S* mass;                     // [kg]
  S* volume;                   // at rest [m^3]
  S* const* state;             // columns of the material
  const std::uint32_t* begin;  // first particle of each tile, and the end of the last
  const MaterialKernels<S>* material;
  const void* law;       // of a state: stress, energy
  const void* step_law;  // of `advance` and of implicit solvers, for the dt of the step
};

// What a task of the loops takes, as a range of the list of tiles: one tile, some tiles of sparse blocks, or some tiles
// of lone particles. A lone particle shares its nodes with no other, and nothing touches them in the step.
enum class RunKind : std::uint8_t { dense, sparse, lone };
struct TileRun {
  std::int32_t begin, end;
  RunKind kind;
};

// The nodes that the particles of a sparse tile touch in a step, or those of the tiles of an island, z fastest.
struct NodeBox {
  std::int32_t tile;                 // its place is counted from the block of this one
  bool island;                       // its nodes are no nodes of slots
  std::uint32_t nodes = 0;           // that it has room for: a multiple of four
  std::size_t storage = 0;           // where they begin, in nodes of one field
  std::int8_t first[3] = {0, 0, 0};  // its first node, relative to node 0 of the block
  std::int8_t count[3] = {0, 0, 0};  // nodes along each axis
};

// The node box of a tile. A node of its block is `shift` further on than when counted from the block of the box's tile.
struct BoxOfTile {
  std::int32_t box = -1;
  std::int8_t shift[3] = {0, 0, 0};
};

// The node box of a sparse tile that reaches a slot, and where the tile lies among the blocks around the slot.
struct BoxSource {
  std::int32_t box, offset;
};

// Extremes over the particles of a run of tiles, or a part of one, found by grid_to_particles.
template <class S>
struct TileReport {
  S max_speed_squared;   // of the particles' new velocity
  S max_travel;          // distance that a particle moves [cells]
  S max_increment_norm;  // |dt grad v|
  S min_det;             // of 1 + dt grad v
  bool finite;
  bool left_margin;  // some particle must be re-sorted before the next step
};

template <class S>
struct TransferArgs {
  S cell_size, dt;
  S gravity[3];
  S mass_floor;     // nodes with less mass count as empty
  S residual_kept;  // FLIP and fading: share that stays of what the grid does not hold of a velocity
  S carry_limit;    // fading: at |dt grad v|^2 of its inverse, residuals are carried along half as much
  bool strained_affine =
      false;         // of two velocities: C belongs to the places after the step             (SUB.6)
  S symmetric_kept;  // RPIC: fraction of the symmetric part of C that is kept; 1 for APIC
  bool advect_particle_velocity;
  const GroupView<S>* groups;
  int group_count;

  int slot_count;                    // active blocks
  const std::int32_t* neighbours;    // neighbour_count per slot; slot_count where there is no block
  const std::int32_t* tile_of_slot;  // -1: the block holds no particles, or few and is sparse
  const std::int32_t* slot_of_tile;
  const TileRun* runs;
  const std::int32_t* run_tiles;  // the list of tiles
  int parts;  // tasks that the particles of a run are divided among when they take velocities
  const OccupiedCells* cells;  // of each tile
  const BoxOfTile* box_of_tile;
  const std::uint32_t* storage_of_tile;  // number in `tiles` of a tile that is not sparse
  const std::uint32_t* first_source;     // of each slot in `sources`, and the end of the last
  const BoxSource* sources;
  const std::uint8_t* dense_near;  // of each slot: whether a tile that is not sparse may reach it

  S* tiles;  // momentum with the impulse dt f, mass; FLIP and fading: the impulse in a second field
  NodeBox* boxes;
  S* box_nodes;         // as `tiles`; of islands, then as `velocity` with `old_velocity`
  std::uint16_t* rows;  // of each slot: bit n is set if row n may have mass; all others are zero
  S* velocity;          // velocity and mass of nodes: slot_reals per slot; slot_count is a block of zeros
  S* old_velocity;      // before forces; FLIP and fading only
  S* bounds;  // bounds_reals per slot, then per island: least and largest velocity of the nodes that have mass
  TileReport<S>* reports;  // `parts` for each run
};

template <class S>
struct TransferKernels {
  int stencil;                                             // nodes along an edge of a stencil
  int tile_reals;                                          // numbers in a tile
  int fields;                                              // in `box_nodes`
  void (*measure_boxes)(const TransferArgs<S>&, int run);  // which nodes the particles of sparse tiles touch
  // mass and momentum, and with stresses the impulses dt f; lone particles have no nodes
  void (*particles_to_tiles)(const TransferArgs<S>&, bool with_stresses, int run);
  void (*tiles_to_slot)(const TransferArgs<S>&, int slot);  // sums the tiles, divides by mass, adds gravity
  void (*box_velocity)(const TransferArgs<S>&, int box);    // the same for an island
  // `moving` is the velocity of the nodes that moves and strains the particles: `velocity` of the arguments, or, where
  // two velocities are gathered, another field
  void (*velocity_bounds)(const TransferArgs<S>&, const S* moving, int slot);
  void (*box_bounds)(const TransferArgs<S>&, int box);
  // computes what lone particles would gather
  void (*grid_to_particles)(const TransferArgs<S>&, const S* moving, int run, int part);
  // the report of grid_to_particles for a run of lone particles; nothing else is written. Null where there are none.
  void (*inspect_lone)(const TransferArgs<S>&, int run, int part);
};

// The settings that determine the loops of a run.
struct TransferChoice {
  Kernel kernel;
  Transfer transfer;
  ForceForm forces;
  bool two_velocities = false;  // particles take one velocity, and are moved and strained by another
};

template <class S>
struct ImplicitKernels;  // implicit_kernels.h
template <class S>
struct ImplicitMaterial;  // materials/implicit_material.h
enum class StepForces;
template <class S>
struct AdmmKernels;  // admm_kernels.h
template <class S>
struct AdmmMaterial;  // materials/admm_material.h

// The loops of one instruction set and precision. `index` is a position in material_list.h; a material that tears has
// its own loops, null for a model that cannot tear; forces of a potential are null for one that has none, and those of ADMM
// for one without branches.
template <class S>
struct LoopTables {
  const TransferKernels<S>* (*transfers)(const TransferChoice&);
  const MaterialKernels<S>* (*material)(int index, bool tears);
  const ImplicitKernels<S>* (*implicit)(Kernel kernel, ForceForm forces);
  const ImplicitMaterial<S>* (*implicit_material)(int index, bool tears, StepForces forces);
  const AdmmKernels<S>* (*admm)(Kernel kernel, ForceForm forces);
  const AdmmMaterial<S>* (*admm_material)(int index, bool tears);
};

// One instruction set.
struct InstructionSet {
  const char* name;
  bool (*supported)();
  const LoopTables<float>* in_float;
  const LoopTables<double>* in_double;
  template <class S>
  const LoopTables<S>& loops() const;
};

// Every instruction set built in, slowest first. The program uses the best one that this machine has, or the one named
// by the environment variable DOLLOP_ISA (baseline, avx2, avx512).
int instruction_set_count();
const InstructionSet& instruction_set(int index);
const InstructionSet& best_instruction_set();
// For tests and benchmarks: null if this machine cannot run an instruction set of that name.
const InstructionSet* find_instruction_set(const char* name);

}  // namespace dollop
