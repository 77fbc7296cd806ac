// The grid of a step, and the phases that carry particles to it and back. Theory: docs/theory/mpm.md. Each phase times
// itself; none throws, logs or reads configuration files.
#pragma once

#include <dollop/simulation.h>

#include "core/parallel.h"
#include "grid/block_grid.h"
#include "solvers/phases/contact_cache.h"
#include "solvers/phases/impacts.h"
#include "solvers/phases/round_trips.h"
#include "solvers/phases/touched_islands.h"
#include "solvers/setup/setup.h"

namespace dollop {

inline constexpr double max_strain_increment = 0.5;  // dt |grad v| that a step may have
inline constexpr double max_travel = 1;              // cells that a particle may move in a step

// The grid and the loop arguments of a grid-based method. The list of blocks and `cache` are kept until the particles
// enter other blocks; what the nodes hold and everything else is valid for one step only.
template <class S>
struct StepGrid {
  BlockGrid<S> blocks;              // the nodes: positions, mass and velocity
  ContactCache cache;               // cached samples of static colliders
  TouchedIslands touched;           // islands that colliders or nozzles may act on in this step
  SlotImpacts impacts;              // on colliders in this step, for each slot
  std::vector<LawBytes> step_laws;  // one for each group
  std::vector<GroupView<S>> views;
  DampedMotion<S> damped;  // of round trips
  TransferArgs<S> args{};  // arguments of the loops
  LoopAffinity affinity;   // of loops over tiles and slots
};

// the columns that particles carry for the transfer of the settings: APIC and RPIC have an affine velocity
std::vector<Column> carried_columns(const Settings& settings);

// Estimated memory of nodes and tiles per particle [bytes].
double grid_bytes_per_particle(const Settings& settings, double particles_per_cell);

// Chooses the loops for the settings. With `two_velocities` particles take one velocity and are moved by another.
template <class S>
void choose_loops(const Setup<S>& setup, bool two_velocities, StepGrid<S>& grid);

// Rebuilds the lists of blocks and of tasks for sorted particles, as if nothing were near them.
template <class S>
void update_lists(const State<S>& state, StepGrid<S>& grid);

// Sorts particles that have no block yet and points the loops at the particles and nodes of this step. Particles that
// share nodes with no others, and are far from colliders and nozzles, get no nodes. False, and the reason in the report,
// if a particle cannot be placed.
template <class S>
bool prepare(const MovingColliders& colliders, const Setup<S>& setup, State<S>& state, StepGrid<S>& grid,
             StepReport& report);

// The loops of a way to the grid and back, with the kernels of the step or others for the same particles.
template <class S>
void scatter(const TransferKernels<S>& kernels, bool with_stresses, TransferArgs<S>& args, StepGrid<S>& grid);
template <class S>
void find_node_velocities(const TransferKernels<S>& kernels, const TransferArgs<S>& args, StepGrid<S>& grid);
template <class S>
void gather(const TransferKernels<S>& kernels, const S* moving, const TransferArgs<S>& args,
            StepGrid<S>& grid);

// m_i and (m v)_i + dt f_i                                                                             (MPM.4-6)
template <class S>
void particles_to_grid(StepGrid<S>& grid);

// m_i and (m v)_i alone: the forces of an implicit step are not known yet                              (MPM.4-5)
template <class S>
void momentum_to_grid(StepGrid<S>& grid);

// v_i = (m v)_i / m_i + dt g                                                                             (MPM.7)
template <class S>
void update_velocity(StepGrid<S>& grid);

// Whether particles may be moved and strained by the velocity `moving` of the nodes; if not, the report says why.
template <class S>
bool check_velocity(const AlignedArray<S>& moving, const State<S>& state, StepGrid<S>& grid,
                    StepReport& report);

// Particles take the velocity of the grid; `moving` moves and strains them.                            (MPM.8-10)
template <class S>
void grid_to_particles(const AlignedArray<S>& moving, StepGrid<S>& grid, StepReport& report);

}  // namespace dollop
