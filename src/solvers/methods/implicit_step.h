// The step that all implicit methods share; they differ in how they solve for the velocity. Theory: docs/theory/implicit.md.
#pragma once

#include "solvers/methods/elastic_dt.h"
#include "solvers/methods/implicit_system.h"
#include "solvers/phases/emission.h"
#include "solvers/phases/mesh_motion.h"
#include "solvers/phases/particle_contact.h"
#include "solvers/phases/sampling_phase.h"
#include "solvers/phases/sorting.h"
#include "solvers/phases/state_guard.h"
#include "solvers/phases/time_keeping.h"

namespace dollop {

// One implicit MPM step. Listing: docs/theory/implicit.md, Algorithm 2.  p: particle, i: grid node.
// Phases 1 to 6 leave the particles unchanged, so a step that they reject needs no undoing. `solve(args)` finds v^{n+1};
// false, and the reason in the report, if it cannot. `keep()` may store on the particles what the next step begins with.
template <class S, class Solve, class Keep>
StepReport implicit_step(ImplicitMpm<S>& mpm, const Setup<S>& setup, State<S>& state, double dt,
                         Solve&& solve, Keep&& keep) {
  StepReport report{.dt = dt};
  StepGrid<S>& grid = mpm.explicit_mpm.grid;
  const AlignedArray<S>& v = mpm.velocity;
  const MovingColliders colliders(setup.colliders, state.time, dt);
  const Obstacles obstacles(setup, state.time, dt);

  if (!prepare(colliders, setup, state, grid, report))
    return report;           // 1  sort new particles, laws of the step
  damp_motion(setup, grid);  //    damping by round trips       (DAMP.1-6)
  momentum_to_grid(grid);    // 2  m_i and (mv)_i               (MPM.4-5)
  update_velocity(grid);     // 3  v_i^n + dt g                 (MPM.7)
  if (!solve(SolveArgs<S>{obstacles, setup, state, grid, report})) return report;  // 4        (IMP.1-17)
  apply_friction(colliders, mpm, grid);                        // 5  Coulomb friction          (IMP.8)
  if (!check_velocity(v, state, grid, report)) return report;  // 6  finite, dt |v|, dt |grad v| small
  const StateGuard<S> guard(setup, state);                     //    where states are near bounds (DT.7)
  keep();                                                      //    the start of the next step
  grid_to_particles(v, grid, report);                          // 7  v_p, C_p from the velocity with friction,
                                                               //    F_p, tau_p, x_p from that without it
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

// The implicit step; if its solve does not converge, an explicit one, provided that dt is stable for it.
template <class S, class Solve, class Keep = void (*)()>
StepReport implicit_or_explicit_step(
    ImplicitMpm<S>& mpm, const Setup<S>& setup, State<S>& state, double dt, Solve&& solve,
    Keep&& keep = [] {}) {
  const StepReport report = implicit_step(mpm, setup, state, dt, solve, keep);
  if (report.status != Status::not_converged || dt > elastic_dt(setup, state)) return report;
  return step(mpm.explicit_mpm, setup, state, dt);
}

}  // namespace dollop
