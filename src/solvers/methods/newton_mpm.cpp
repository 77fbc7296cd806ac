#include "solvers/newton_mpm.h"

#include "solvers/contact_phase.h"
#include "solvers/mpm_phases.h"
#include "solvers/newton_solve.h"
#include "solvers/sampling_phase.h"

namespace dollop {

// One implicit MPM step. Listing: docs/theory/implicit.md, Algorithm 2.  p: particle, i: grid node.
// Phases 1 to 6 leave the particles as they are, so a step that is rejected needs no undoing.
template <class S>
StepReport step(NewtonMpm<S>& newton, ExplicitMpm<S>& mpm, const Scene& scene, State<S>& state, double dt) {
  StepReport report{.dt = dt};
  const MovingColliders colliders(scene.colliders, state.time, dt);
  const Obstacles obstacles(scene.colliders, pistons(state.time, mpm), state.time, dt);

  if (!prepare(mpm, scene.settings, state, report)) return report;  // 1  newcomers sorted, material constants
  momentum_to_grid(mpm);                                            // 2  m_i and (mv)_i            (MPM.4-5)
  update_velocity(mpm);                                             // 3  v_i^n + dt g              (MPM.7)
  if (!solve_velocity(obstacles, scene.settings, state, mpm, newton, report)) return report;  // 4   (IMP.1-7)
  rub_surfaces(colliders, newton, mpm);                      // 5  Coulomb friction          (IMP.8)
  if (!check_velocity(mpm, state, report)) return report;    // 6  finite, dt |v|, dt |grad v| small
  grid_to_particles(mpm, report);                            // 7  v_p, C_p from the velocity with friction,
                                                             //    F_p, tau_p, x_p from that without it
  keep_out(colliders, mpm, state, report);                   // 8  none enters a collider    (BC.19-20)
  advance_time(mpm, report, state);                          // 9  the step is done
  remove_threads(mpm, state);                                // 10 torn, too thin for the grid
  fill_gaps(colliders, scene.settings, report, mpm, state);  // 11 where material has thinned out
  emit(mpm, state, dt);                                      // 12 what nozzles have let out
  sort_by_block(state, mpm.grid);                            // 13 memory order only, if need be
  return report;
}

template StepReport step(NewtonMpm<float>&, ExplicitMpm<float>&, const Scene&, State<float>&, double);
template StepReport step(NewtonMpm<double>&, ExplicitMpm<double>&, const Scene&, State<double>&, double);

}  // namespace dollop
