#include "solvers/explicit_mpm.h"

#include "solvers/contact_phase.h"
#include "solvers/mpm_phases.h"
#include "solvers/sampling_phase.h"

namespace dollop {

// One explicit MPM step. Listing: docs/theory/mpm.md, Algorithm 1.  p: particle, i: grid node.
// Phases 1 to 6 leave the particles as they are, so a step that phase 6 rejects needs no undoing.
template <class S>
StepReport step(ExplicitMpm<S>& mpm, const Scene& scene, State<S>& state, double dt) {
  StepReport report{.dt = dt};
  const MovingColliders colliders(scene.colliders, state.time, dt);

  if (!prepare(mpm, scene.settings, state, report)) return report;  // 1  newcomers sorted, material constants
  particles_to_grid(mpm);                                    // 2  m_i and (mv)_i + dt f_i        (MPM.4-6)
  update_velocity(mpm);                                      // 3  v_i = (mv)_i / m_i + dt g      (MPM.7)
  drive_nozzles(state.time, dt, mpm);                        // 4  nozzles push as pistons        (SEED.14)
  apply_contacts(colliders, mpm);                            // 5  Coulomb projection at nodes    (BC.3)
  if (!check_velocity(mpm, state, report)) return report;    // 6  finite, dt |v|, dt |grad v| small
  grid_to_particles(mpm, report);                            // 7  v_p, C_p                       (MPM.8-9)
                                                             //    F_p, tau_p, x_p += dt v_p      (MPM.10)
  keep_out(colliders, mpm, state, report);                   // 8  none enters a collider         (BC.19-20)
  advance_time(mpm, report, state);                          // 9  the step is done
  remove_threads(mpm, state);                                // 10 torn, too thin for the grid    (TEAR.8)
  fill_gaps(colliders, scene.settings, report, mpm, state);  // 11 where material has thinned out (RES.1-9)
  emit(mpm, state, dt);                                      // 12 what nozzles have let out      (SEED.10)
  sort_by_block(state, mpm.grid);                            // 13 memory order only, if need be
  return report;
}

template StepReport step(ExplicitMpm<float>&, const Scene&, State<float>&, double);
template StepReport step(ExplicitMpm<double>&, const Scene&, State<double>&, double);

}  // namespace dollop
