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

// Extremes over the particles of one tile, found by grid_to_particles.
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
  S mass_floor;      // nodes with less mass count as empty
  S flip_ratio;      // FLIP only
  S symmetric_kept;  // RPIC: fraction of the symmetric part of C that is kept; 1 for APIC
  bool advect_particle_velocity;
  const GroupView<S>* groups;
  int group_count;

  int slot_count;                    // active blocks
  const std::int32_t* neighbours;    // neighbour_count per slot; slot_count where there is no block
  const std::int32_t* tile_of_slot;  // -1: the block holds no particles
  const std::int32_t* slot_of_tile;

  S* tiles;         // momentum with the impulse dt f, mass; FLIP: the impulse in a second field
  S* velocity;      // velocity and mass of nodes: slot_reals per slot; slot_count is a block of zeros
  S* old_velocity;  // before forces; FLIP only
  S* bounds;        // bounds_reals per slot: least and largest velocity of the nodes that have mass
  TileReport<S>* reports;
};

template <class S>
struct TransferKernels {
  int tile_reals;  // numbers in a tile
  // mass and momentum, and with stresses the impulses dt f
  void (*particles_to_tile)(const TransferArgs<S>&, bool with_stresses, int tile);
  void (*tiles_to_slot)(const TransferArgs<S>&, int slot);  // sums the tiles, divides by mass, adds gravity
  // `moving` is the velocity of the nodes that moves and strains the particles: `velocity` of the arguments, or, where
  // two velocities are gathered, another field
  void (*velocity_bounds)(const TransferArgs<S>&, const S* moving, int slot);
  void (*grid_to_particles)(const TransferArgs<S>&, const S* moving, int tile);
  // the report of grid_to_particles; nothing else is written
  void (*inspect_tile)(const TransferArgs<S>&, const S* moving, int tile);
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

// The loops of one instruction set and precision. `index` is a position in material_list.h; a material that tears has
// its own loops, null for a model that cannot tear.
template <class S>
struct LoopTables {
  const TransferKernels<S>* (*transfers)(const TransferChoice&);
  const MaterialKernels<S>* (*material)(int index, bool tears);
  const ImplicitKernels<S>* (*implicit)(Kernel kernel, ForceForm forces);
  const ImplicitMaterial<S>* (*implicit_material)(int index, bool tears);
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
