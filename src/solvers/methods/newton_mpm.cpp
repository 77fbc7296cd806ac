#include "solvers/methods/newton_mpm.h"

#include <algorithm>
#include <limits>

#include "solvers/methods/elastic_dt.h"
#include "solvers/methods/newton_solve.h"
#include "solvers/phases/emission.h"
#include "solvers/phases/nozzle_contact.h"
#include "solvers/phases/particle_contact.h"
#include "solvers/phases/sampling_phase.h"
#include "solvers/phases/sorting.h"
#include "solvers/phases/state_guard.h"
#include "solvers/phases/time_keeping.h"

namespace dollop {
namespace {

// One implicit MPM step. Listing: docs/theory/implicit.md, Algorithm 2.  p: particle, i: grid node.
// Phases 1 to 6 leave the particles unchanged, so a step that they reject needs no undoing.
template <class S>
StepReport implicit_step(NewtonMpm<S>& newton, const Setup<S>& setup, State<S>& state, double dt) {
  StepReport report{.dt = dt};
  StepGrid<S>& grid = newton.explicit_mpm.grid;
  const AlignedArray<S>& v = newton.velocity;
  const MovingColliders colliders(setup.colliders, state.time, dt);
  const Obstacles obstacles(setup, state.time, dt);

  if (!prepare(colliders, setup, state, grid, report))
    return report;         // 1  sort new particles, laws of the step
  momentum_to_grid(grid);  // 2  m_i and (mv)_i               (MPM.4-5)
  update_velocity(grid);   // 3  v_i^n + dt g                 (MPM.7)
  if (!solve_velocity(obstacles, setup, state, grid, newton, report)) return report;  // 4     (IMP.1-7)
  apply_friction(colliders, newton, grid);                     // 5  Coulomb friction          (IMP.8)
  if (!check_velocity(v, state, grid, report)) return report;  // 6  finite, dt |v|, dt |grad v| small
  const StateGuard<S> guard(setup, state);                     //    where states are near bounds (DT.7)
  grid_to_particles(v, grid, report);                          // 7  v_p, C_p from the velocity with friction,
                                                               //    F_p, tau_p, x_p from that without it
  if (!guard.accepts(setup, state, report)) return report;     //    it undoes phase 7 otherwise  (DT.7)
  keep_out(colliders, grid, state, report);                    // 8  no particle enters a collider (BC.19-20)
  advance_time(report, state);                                 // 9  the step is accepted
  count_impacts(grid.impacts, state.tally);                    //    forces on colliders
  remove_threads(setup, state);                                // 10 torn, too thin for the grid  (TEAR.8)
  fill_gaps(colliders, setup, report, state);                  // 11 particle resampling          (RES.1-9)
  emit(setup.nozzles, dt, state);                              // 12 particles leave the nozzles  (SEED.10)
  sort_by_block(state);                                        // 13 memory order only, if needed
  return report;
}

}  // namespace

template <class S>
StepReport step(NewtonMpm<S>& newton, const Setup<S>& setup, State<S>& state, double dt) {
  const StepReport report = implicit_step(newton, setup, state, dt);
  // if Newton's method does not converge, take an explicit step, provided that dt is stable for it
  if (report.status != Status::not_converged || dt > elastic_dt(setup, state)) return report;
  return step(newton.explicit_mpm, setup, state, dt);
}

template <class S>
std::vector<Column> columns(const NewtonMpm<S>&, const Settings& settings) {
  return carried_columns(settings);
}

template <class S>
void make_ready(const Setup<S>& setup, const State<S>& state, NewtonMpm<S>& newton) {
  const Settings& settings = setup.settings();
  choose_loops(setup, true, newton.explicit_mpm.grid);
  update_lists(state, newton.explicit_mpm.grid);
  newton.kernels = setup.loops().implicit(settings.kernel, settings.forces);
  newton.symmetric = true;
  for (const MaterialBinding<S>& material : setup.materials) {
    newton.materials.push_back(setup.loops().implicit_material(material.model, material.tears()));
    const ModelInfo& info = models()[std::size_t(material.model)];
    newton.symmetric = newton.symmetric && info.symmetric_tangent && !material.tears();
  }
}

template <class S>
StepLimits step_limits(const NewtonMpm<S>&, const Setup<S>& setup, const State<S>& state) {
  return {std::numeric_limits<double>::infinity(), elastic_dt(setup, state)};
}

template <class S>
std::size_t bytes(const NewtonMpm<S>& newton) {
  std::size_t sum = bytes(newton.explicit_mpm) + newton.krylov.bytes();
  for (const AlignedArray<S>* a : {&newton.velocity, &newton.residual, &newton.change, &newton.trial,
                                   &newton.trial_residual, &newton.work, &newton.scale})
    sum += a->bytes();
  for (const AlignedArray<S>& a : newton.tangents) sum += a.bytes();
  return sum;
}

namespace {

// whether the tangents of all materials in a scene, used or not, are symmetric: the choice of MINRES is made at set-up
bool symmetric_tangents(const Scene& scene) {
  return std::all_of(scene.materials.begin(), scene.materials.end(), [](const Material& material) {
    const int model = find_model(material.model);
    if (model < 0) return true;
    const ModelInfo& info = models()[std::size_t(model)];
    return info.symmetric_tangent && !info.tears(resolve_parameters(info, material.parameters).data());
  });
}

}  // namespace

// Tangents, the fields of Newton's method and the vectors of MINRES or GMRES. The estimate assumes 0.3 nodes per
// particle at eight particles per cell: large blocks have 0.2, flat or scattered bodies have more.
template <class S>
double expected_bytes(const NewtonMpm<S>& newton, const Scene& scene, double particles_per_cell) {
  const double fields = 7 + (symmetric_tangents(scene) ? 5 : newton.options.linear_iterations + 1);
  const double nodes = 0.3 * (8 / particles_per_cell);
  return expected_bytes(newton.explicit_mpm, scene, particles_per_cell) +
         double(sizeof(S)) * (1.05 * tangent_reals + 4 * nodes * fields);
}

// The number of tangent products in a step grows with its length, and convergence may need several times as many:
// docs/performance.md.
template <class S>
double step_cost(const NewtonMpm<S>& newton, const Scene& scene, double dt) {
  const double most = newton.options.iterations * newton.options.linear_iterations;
  return 2 + std::min(6.5 * dt / elastic_dt(scene), most);
}

template <class S>
void after_restore(const State<S>& state, NewtonMpm<S>& newton) {
  after_restore(state, newton.explicit_mpm);
}

#define DOLLOP_INSTANTIATE(S)                                                             \
  template StepReport step(NewtonMpm<S>&, const Setup<S>&, State<S>&, double);            \
  template std::vector<Column> columns(const NewtonMpm<S>&, const Settings&);             \
  template void make_ready(const Setup<S>&, const State<S>&, NewtonMpm<S>&);              \
  template StepLimits step_limits(const NewtonMpm<S>&, const Setup<S>&, const State<S>&); \
  template std::size_t bytes(const NewtonMpm<S>&);                                        \
  template double expected_bytes(const NewtonMpm<S>&, const Scene&, double);              \
  template double step_cost(const NewtonMpm<S>&, const Scene&, double);                   \
  template void after_restore(const State<S>&, NewtonMpm<S>&);
DOLLOP_INSTANTIATE(float)
DOLLOP_INSTANTIATE(double)

}  // namespace dollop
