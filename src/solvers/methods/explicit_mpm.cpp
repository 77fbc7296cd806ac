#include "solvers/methods/explicit_mpm.h"

#include "solvers/methods/elastic_dt.h"
#include "solvers/phases/emission.h"
#include "solvers/phases/mesh_motion.h"
#include "solvers/phases/node_contact.h"
#include "solvers/phases/nozzle_contact.h"
#include "solvers/phases/particle_contact.h"
#include "solvers/phases/sampling_phase.h"
#include "solvers/phases/sorting.h"
#include "solvers/phases/state_guard.h"
#include "solvers/phases/time_keeping.h"

namespace dollop {

// One explicit MPM step. Listing: docs/theory/mpm.md, Algorithm 1.  p: particle, i: grid node.
// Phases 1 to 6 leave the particles unchanged, so a step that phase 6 rejects needs no undoing.
template <class S>
StepReport step(ExplicitMpm<S>& mpm, const Setup<S>& setup, State<S>& state, double dt) {
  StepReport report{.dt = dt};
  StepGrid<S>& grid = mpm.grid;
  const AlignedArray<S>& v = grid.blocks.velocity;
  const MovingColliders colliders(setup.colliders, state.time, dt);

  if (!prepare(colliders, setup, state, grid, report))
    return report;                                             // 1  sort new particles, laws of the step
  damp_motion(setup, grid);                                    //    damping by round trips       (DAMP.1-6)
  particles_to_grid(grid);                                     // 2  m_i and (mv)_i + dt f_i      (MPM.4-6)
  update_velocity(grid);                                       // 3  v_i = (mv)_i / m_i + dt g    (MPM.7)
  drive_nozzles(setup.nozzles, state.time, dt, grid);          // 4  nozzles push as pistons      (SEED.14)
  apply_contacts(colliders, grid);                             // 5  Coulomb friction at nodes    (BC.3)
  if (!check_velocity(v, state, grid, report)) return report;  // 6  finite, dt |v|, dt |grad v| small
  const StateGuard<S> guard(setup, state);                     //    where states are near bounds (DT.7)
  grid_to_particles(v, grid, report);                          // 7  v_p, C_p                     (MPM.8-9)
                                                               //    F_p, tau_p, x_p += dt v_p    (MPM.10)
  if (!guard.accepts(setup, state, report)) return report;     //    it undoes phase 7 otherwise  (DT.7)
  keep_out(colliders, grid, state, report);                    // 8  no particle enters a collider (BC.19-20)
  carry_meshes(setup, v, grid, dt, state);                     //    surface meshes follow         (EMB.1-4)
  advance_time(report, state);                                 // 9  the step is accepted
  count_impacts(grid.impacts, state.tally);                    //    forces on colliders
  remove_threads(setup, state);                                // 10 torn, too thin for the grid  (TEAR.8)
  fill_gaps(colliders, setup, report, state);                  // 11 particle resampling          (RES.1-9)
  emit(setup.nozzles, dt, state);                              // 12 particles leave the nozzles  (SEED.10)
  sort_by_block(state);                                        // 13 memory order only, if needed
  return report;
}

template <class S>
std::vector<Column> columns(const ExplicitMpm<S>&, const Settings& settings) {
  return carried_columns(settings);
}

template <class S>
void make_ready(const Setup<S>& setup, const State<S>& state, ExplicitMpm<S>& mpm) {
  choose_loops(setup, false, mpm.grid);
  update_lists(state, mpm.grid);
}

template <class S>
StepLimits step_limits(const ExplicitMpm<S>&, const Setup<S>& setup, const State<S>& state) {
  const double elastic = elastic_dt(setup, state);
  return {elastic, elastic};
}

template <class S>
std::size_t bytes(const ExplicitMpm<S>& mpm) {
  return mpm.grid.blocks.bytes() + mpm.grid.damped.bytes();
}

template <class S>
double expected_bytes(const ExplicitMpm<S>&, const Scene& scene, double particles_per_cell) {
  return grid_bytes_per_particle(scene.settings, particles_per_cell);
}

template <class S>
double step_cost(const ExplicitMpm<S>&, const Scene&, double /*dt*/) {
  return 1;
}

template <class S>
void after_restore(const State<S>& state, ExplicitMpm<S>& mpm) {
  update_lists(state, mpm.grid);
}

#define DOLLOP_INSTANTIATE(S)                                                               \
  template StepReport step(ExplicitMpm<S>&, const Setup<S>&, State<S>&, double);            \
  template std::vector<Column> columns(const ExplicitMpm<S>&, const Settings&);             \
  template void make_ready(const Setup<S>&, const State<S>&, ExplicitMpm<S>&);              \
  template StepLimits step_limits(const ExplicitMpm<S>&, const Setup<S>&, const State<S>&); \
  template std::size_t bytes(const ExplicitMpm<S>&);                                        \
  template double expected_bytes(const ExplicitMpm<S>&, const Scene&, double);              \
  template double step_cost(const ExplicitMpm<S>&, const Scene&, double);                   \
  template void after_restore(const State<S>&, ExplicitMpm<S>&);
DOLLOP_INSTANTIATE(float)
DOLLOP_INSTANTIATE(double)

}  // namespace dollop
