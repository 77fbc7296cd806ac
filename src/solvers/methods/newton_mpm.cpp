#include "solvers/methods/newton_mpm.h"

#include <algorithm>
#include <cmath>

#include "core/denormals.h"
#include "core/parallel.h"
#include "core/profile.h"
#include "solvers/methods/implicit_step.h"

namespace dollop {
namespace {

constexpr double shortest_line_search = 1.0 / 16;  // relative to the Newton step

// Solves the linear system of a Newton step for the velocity change. Returns the number of iterations.   (IMP.6)
template <class S>
int solve_linear(ImplicitSystem<S>& system, NewtonMpm<S>& newton) {
  S *b = newton.trial_residual.data(), *x = newton.trial.data();
  const std::size_t n = system.size();
  system.right_hand_side(newton.residual.data(), b);
  const KrylovOptions options{newton.options.linear_tolerance, 0, int(newton.options.linear_iterations)};
  const auto apply = [&](const S* from, S* to) { system.apply(from, to); };
  const KrylovReport report = newton.symmetric ? minres(apply, b, x, n, options, newton.krylov)
                                               : gmres(apply, b, x, n, options, newton.krylov);
  system.unscale(x, newton.change.data());
  return report.iterations;
}

// Backtracking line search: takes the first step length of 1, 1/2, ... that reduces the residual, or else the shortest.
// False if the residual there is not finite: nothing has changed then.
template <class S>
bool line_search(double before, ImplicitSystem<S>& system, NewtonMpm<S>& newton) {
  for (double part = 1;; part /= 2) {
    const S *v = newton.velocity.data(), *change = newton.change.data();
    S* moved = newton.trial.data();
    parallel_ranges(system.size(), 4096, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) moved[i] = v[i] + S(part) * change[i];
    });
    system.residual(moved, newton.trial_residual.data());
    const double after = system.norm(newton.trial_residual.data());
    if (after < before || part <= shortest_line_search) {
      if (!std::isfinite(after)) return false;
      newton.velocity.swap(newton.trial);
      newton.residual.swap(newton.trial_residual);
      return true;
    }
  }
}

// Finds v^{n+1} from v^n + dt g, with contacts; false, and the reason in the report, if Newton's method does not
// converge.                                                                                             (IMP.1-7)
template <class S>
bool solve_velocity(NewtonMpm<S>& newton, const SolveArgs<S>& args) {
  const ScopedPhase phase(Phase::solve);
  const FlushDenormals flush;
  StepReport& report = args.report;
  const MovingColliders& colliders = args.obstacles.moving();
  S* v = newton.velocity.data();
  ImplicitSystem<S> system(args.grid, newton);
  find_contacts(colliders, args.grid.blocks, newton.contacts);
  system.start(newton.velocity.data());
  Convergence convergence(newton.options.tolerance, least_residual(args));
  double now = 0;
  bool known = false;  // whether the residual belongs to the current velocity
  for (int k = 0;; ++k) {
    v = newton.velocity.data();
    const HoldChange held = hold_to_surfaces(colliders, report.dt, newton.contacts, v);
    if (held.velocity || !known) system.residual(v, newton.residual.data());
    const bool released = release(newton.residual.data(), newton.contacts);
    set_projections(newton.contacts);
    now = system.norm(newton.residual.data());
    const auto rounding = [&] { return system.rounding(v, args.setup.settings().cell_size, report.dt); };
    const bool settled = !held.active && !released;
    if (convergence.reached(k, now, settled, rounding, report)) return true;
    if (!std::isfinite(now) || k == int(newton.options.iterations)) break;
    system.linearise(v);
    report.inner_iterations += solve_linear(system, newton);
    if (!line_search(now, system, newton)) break;
    known = true;
  }
  if (convergence.is_tolerable(now)) return true;
  report.status = std::isfinite(now) ? Status::not_converged : Status::not_finite;
  return false;
}

}  // namespace

template <class S>
StepReport step(NewtonMpm<S>& newton, const Setup<S>& setup, State<S>& state, double dt) {
  const auto solve = [&](const SolveArgs<S>& args) { return solve_velocity(newton, args); };
  return implicit_or_explicit_step(newton, setup, state, dt, solve);
}

template <class S>
void make_ready(const Setup<S>& setup, const State<S>& state, NewtonMpm<S>& newton) {
  make_loops_ready(setup, state, StepForces::of_state, newton);
}

// the vectors of MINRES or GMRES
template <class S>
double expected_bytes(const NewtonMpm<S>& newton, const Scene& scene, double particles_per_cell) {
  const double vectors = symmetric_tangents(scene, false) ? 5 : newton.options.linear_iterations + 1;
  return expected_bytes(newton, scene, particles_per_cell, vectors);
}

// The number of tangent products in a step grows with its length, and convergence may need several times as many:
// docs/performance.md.
template <class S>
double step_cost(const NewtonMpm<S>& newton, const Scene& scene, double dt) {
  const double most = newton.options.iterations * newton.options.linear_iterations;
  return 2 + std::min(6.5 * dt / elastic_dt(scene), most);
}

#define DOLLOP_INSTANTIATE(S)                                                  \
  template StepReport step(NewtonMpm<S>&, const Setup<S>&, State<S>&, double); \
  template void make_ready(const Setup<S>&, const State<S>&, NewtonMpm<S>&);   \
  template double expected_bytes(const NewtonMpm<S>&, const Scene&, double);   \
  template double step_cost(const NewtonMpm<S>&, const Scene&, double);
DOLLOP_INSTANTIATE(float)
DOLLOP_INSTANTIATE(double)

}  // namespace dollop
