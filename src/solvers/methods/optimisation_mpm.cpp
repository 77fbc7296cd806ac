#include "solvers/methods/optimisation_mpm.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/denormals.h"
#include "core/parallel.h"
#include "core/profile.h"
#include "solvers/methods/implicit_step.h"
#include "solvers/methods/linear_solve.h"

namespace dollop {
namespace {

constexpr double armijo = 1e-4;    // part of the predicted decrease that a step must reach
constexpr int most_halvings = 20;  // of a step length
// linear tolerance far from the minimum: at 0.1 to 0.5 more outer iterations cost more than the products that they save
constexpr double least_exact = 0.02;

// The start: v^n + dt g, which is the solution of free fall, or no motion but that of the walls, whichever has the lower
// energy. The latter is always feasible. Returns the energy; `residual` is that of the start.
template <class S>
Energy choose_start(const SolveArgs<S>& args, ImplicitSystem<S>& system, OptimisationMpm<S>& mpm) {
  const MovingColliders& colliders = args.obstacles.moving();
  std::fill(mpm.trial.begin(), mpm.trial.end(), S(0));
  hold_to_surfaces(colliders, args.report.dt, mpm.contacts, mpm.trial.data());
  system.start(mpm.velocity.data());
  hold_to_surfaces(colliders, args.report.dt, mpm.contacts, mpm.velocity.data());
  const Energy free = system.energy(mpm.velocity.data(), mpm.residual.data());
  if (free.sum <= system.kinetic_energy(mpm.trial.data())) return free;
  const Energy still = system.energy(mpm.trial.data(), mpm.trial_residual.data());
  if (free.sum <= still.sum) return free;
  mpm.velocity.swap(mpm.trial);
  mpm.residual.swap(mpm.trial_residual);
  return still;
}

// Backtracking line search for the energy. A step length is taken if the energy falls by a part of what its slope predicts;
// where the fall is within rounding, if the slope there is small instead (Hager and Zhang). False if none is found: nothing
// has changed then.                                                                                     (IMP.17)
template <class S>
bool descend(Energy& energy, ImplicitSystem<S>& system, OptimisationMpm<S>& mpm) {
  const double slope = system.product(mpm.residual.data(), mpm.change.data());
  if (!(slope < 0)) return false;
  double part = 1;
  for (int k = 0; k <= most_halvings; ++k, part /= 2) {
    const S *v = mpm.velocity.data(), *change = mpm.change.data();
    S* moved = mpm.trial.data();
    parallel_ranges(system.size(), 4096, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) moved[i] = v[i] + S(part) * change[i];
    });
    const Energy after = system.energy(moved, mpm.trial_residual.data());
    if (!std::isfinite(after.sum)) continue;
    const double rounding = 4 * double(std::numeric_limits<S>::epsilon()) * (energy.size + after.size);
    const bool falls = after.sum <= energy.sum + armijo * part * slope;
    const bool is_near = std::fabs(after.sum - energy.sum) <= rounding;
    if (!falls && !is_near) continue;
    if (!falls && !(system.product(mpm.trial_residual.data(), change) <= (2 * armijo - 1) * slope)) continue;
    mpm.velocity.swap(mpm.trial);
    mpm.residual.swap(mpm.trial_residual);
    energy = after;
    return true;
  }
  return false;
}

// Finds v^{n+1} as the minimum of the energy, with contacts; false, and the reason in the report, if it is not found.
//                                                                                                      (IMP.11-14, 17)
template <class S>
bool solve_velocity(OptimisationMpm<S>& mpm, const SolveArgs<S>& args) {
  const ScopedPhase phase(Phase::solve);
  const FlushDenormals flush;
  StepReport& report = args.report;
  const MovingColliders& colliders = args.obstacles.moving();
  ImplicitSystem<S> system(args.grid, mpm);
  find_contacts(colliders, args.grid.blocks, mpm.contacts);
  Energy energy = choose_start(args, system, mpm);
  Convergence convergence(mpm.options.tolerance, least_residual(args));
  double now = 0;
  for (int k = 0;; ++k) {
    S* v = mpm.velocity.data();
    const HoldChange held = hold_to_surfaces(colliders, report.dt, mpm.contacts, v);
    if (held.velocity) energy = system.energy(v, mpm.residual.data());
    const bool released = release(mpm.residual.data(), mpm.contacts);
    set_projections(mpm.contacts);
    now = system.norm(mpm.residual.data());
    const auto rounding = [&] { return system.rounding(v, args.setup.settings().cell_size, report.dt); };
    // contacts that closed before the first iteration are those of the start
    const bool settled = (k == 0 || !held.active) && !released;
    if (convergence.reached(k, now, settled, rounding, report)) {
      system.balance(v, mpm.residual.data());
      return true;
    }
    if (!std::isfinite(now) || k == int(mpm.options.iterations)) break;
    system.linearise(v);
    // the linear solve is as exact as the distance from the minimum deserves (Eisenstat and Walker)
    const double distance = convergence.first() > 0 ? now / convergence.first() : 0;
    const double exact = std::min(least_exact, std::max(distance, mpm.options.tolerance));
    const KrylovOptions options{exact, 0, int(mpm.options.linear_iterations)};
    report.inner_iterations += solve_linear(options, mpm.residual.data(), system, mpm);
    if (!descend(energy, system, mpm)) break;
  }
  if (std::isfinite(now) && convergence.is_tolerable(now)) {
    system.balance(mpm.velocity.data(), mpm.residual.data());
    return true;
  }
  report.status = std::isfinite(now) ? Status::not_converged : Status::not_finite;
  return false;
}

}  // namespace

template <class S>
StepReport step(OptimisationMpm<S>& mpm, const Setup<S>& setup, State<S>& state, double dt) {
  const auto solve = [&](const SolveArgs<S>& args) { return solve_velocity(mpm, args); };
  return implicit_or_explicit_step(mpm, setup, state, dt, solve);
}

template <class S>
void make_ready(const Setup<S>& setup, const State<S>& state, OptimisationMpm<S>& mpm) {
  make_loops_ready(setup, state, StepForces::of_potential, mpm);
  mpm.preconditioner.kind = Preconditioning(int(mpm.options.preconditioner));
}

// the vectors of conjugate gradients
template <class S>
double expected_bytes(const OptimisationMpm<S>& mpm, const Scene& scene, double particles_per_cell) {
  return expected_bytes(mpm, scene, particles_per_cell, 3 + extra_fields(mpm.options.preconditioner));
}

// The number of products grows with the length of a step: docs/performance.md.
template <class S>
double step_cost(const OptimisationMpm<S>& mpm, const Scene& scene, double dt) {
  return 4 + std::min(6.5 * dt / elastic_dt(scene), mpm.options.iterations * mpm.options.linear_iterations);
}

#define DOLLOP_INSTANTIATE(S)                                                        \
  template StepReport step(OptimisationMpm<S>&, const Setup<S>&, State<S>&, double); \
  template void make_ready(const Setup<S>&, const State<S>&, OptimisationMpm<S>&);   \
  template double expected_bytes(const OptimisationMpm<S>&, const Scene&, double);   \
  template double step_cost(const OptimisationMpm<S>&, const Scene&, double);
DOLLOP_INSTANTIATE(float)
DOLLOP_INSTANTIATE(double)

}  // namespace dollop
