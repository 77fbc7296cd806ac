#include "solvers/explicit_mpm.h"

#include "solvers/mpm_phases.h"

namespace dollop {

// One explicit MPM step. Listing: docs/theory/mpm.md, Algorithm 1.  p: particle, i: grid node.
// Phases 1 to 5 leave the particles as they are, so a step that phase 5 rejects needs no undoing.
template <class S>
StepReport step(ExplicitMpm<S>& mpm, const Scene& scene, State<S>& state, double dt) {
  BlockGrid<S>& grid = mpm.grid;
  StepReport report{.dt = dt};

  if (!prepare(mpm, scene.settings, state, report)) return report;  // 1  newcomers sorted, material constants
  particles_to_grid(mpm);                                  // 2  m_i and (mv)_i + dt f_i        (MPM.4-6)
  update_velocity(mpm);                                    // 3  v_i = (mv)_i / m_i + dt g      (MPM.7)
  apply_contacts(scene.colliders, state.time + dt, grid);  // 4  Coulomb projection at nodes    (BC.3)
  if (!check_velocity(mpm, state, report)) return report;  // 5  finite, dt |v|, dt |grad v| small
  grid_to_particles(mpm, report);                          // 6  v_p, C_p                       (MPM.8-9)
                                                           //    F_p, tau_p, x_p += dt v_p      (MPM.10)
  advance_time(report, state);                             // 7  the step is done
  sort_by_block(state, grid);                              // 8  memory order only, if need be
  return report;
}

template StepReport step(ExplicitMpm<float>&, const Scene&, State<float>&, double);
template StepReport step(ExplicitMpm<double>&, const Scene&, State<double>&, double);

}  // namespace dollop
