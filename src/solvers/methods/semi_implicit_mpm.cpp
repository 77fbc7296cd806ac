#include "solvers/methods/semi_implicit_mpm.h"

#include <algorithm>
#include <cmath>

#include "core/denormals.h"
#include "core/parallel.h"
#include "core/profile.h"
#include "solvers/methods/implicit_step.h"
#include "solvers/methods/linear_solve.h"

namespace dollop {
namespace {

constexpr int most_contact_rounds = 4;  // solves of a step as contacts close and open
constexpr int most_blends = 6;          // towards the motion without stress

// y = a x + y over all numbers of a field
template <class S>
void add(S a, const S* x, S* y, std::size_t n) {
  parallel_ranges(n, 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) y[i] += a * x[i];
  });
}

// The forces at du = 0 and their linear change: R(v) = R(0) + (m + K) v                               (IMP.15)
template <class S>
class LinearisedForces {
 public:
  LinearisedForces(ImplicitSystem<S>& system, SemiImplicitMpm<S>& mpm) : system_(system), mpm_(mpm) {
    std::fill(mpm.velocity.begin(), mpm.velocity.end(), S(0));
    mpm.at_rest.resize(system.size());
    system.residual(mpm.velocity.data(), mpm.at_rest.data());
    system.linearise(mpm.velocity.data());
  }
  void residual(const S* v, S* r) {
    system_.multiply(v, r);
    add(S(1), mpm_.at_rest.data(), r, system_.size());
  }

 private:
  ImplicitSystem<S>& system_;
  SemiImplicitMpm<S>& mpm_;
};

// Moves v halfway to v^n + dt g held to the contacts, the motion without stress, until the potential of the step is defined
// there: a linear solve knows nothing of particles that turn over. The contact impulses in the residual move with it. False
// if the potential never is defined.                                                                  (IMP.16)
template <class S>
bool make_feasible(const SolveArgs<S>& args, ImplicitSystem<S>& system, SemiImplicitMpm<S>& mpm) {
  S *v = mpm.velocity.data(), *r = mpm.residual.data();
  S *safe = mpm.trial.data(), *safe_r = mpm.trial_residual.data();
  for (int k = 0; !std::isfinite(system.energy(v).sum); ++k) {
    if (k == most_blends) return false;
    if (k == 0) {
      system.start(safe);
      hold_to_surfaces(args.obstacles.moving(), args.report.dt, mpm.contacts, safe);
      std::fill(safe_r, safe_r + system.size(), S(0));
      system.add_momentum(safe, safe_r);
    }
    parallel_ranges(system.size(), 4096, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        v[i] = S(0.5) * (v[i] + safe[i]);
        r[i] = S(0.5) * (r[i] + safe_r[i]);
      }
    });
  }
  return true;
}

// Finds v^{n+1} by one linear solve, repeated if contacts have closed or opened; false, and the reason in the report, if
// the result is not feasible.                                                                       (IMP.15-16)
template <class S>
bool solve_velocity(SemiImplicitMpm<S>& mpm, const SolveArgs<S>& args) {
  const ScopedPhase phase(Phase::solve);
  const FlushDenormals flush;
  StepReport& report = args.report;
  const MovingColliders& colliders = args.obstacles.moving();
  ImplicitSystem<S> system(args.grid, mpm);
  find_contacts(colliders, args.grid.blocks, mpm.contacts);
  LinearisedForces<S> forces(system, mpm);
  const KrylovOptions options{mpm.options.linear_tolerance, 0, int(mpm.options.linear_iterations)};
  S *v = mpm.velocity.data(), *r = mpm.residual.data();
  system.start(v);
  bool settled = false;
  for (int k = 0; k < most_contact_rounds && !settled; ++k) {
    hold_to_surfaces(colliders, report.dt, mpm.contacts, v);
    forces.residual(v, r);
    set_projections(mpm.contacts);
    report.inner_iterations += solve_linear(options, r, system, mpm);
    ++report.outer_iterations;
    add(S(1), mpm.change.data(), v, system.size());
    forces.residual(v, r);
    const bool released = release(r, mpm.contacts);
    settled = !released && !hold_to_surfaces(colliders, report.dt, mpm.contacts, v).active;
  }
  system.balance(v, r);
  const bool is_finite = std::isfinite(system.norm(r));
  if (is_finite && (!mpm.has_potential || make_feasible(args, system, mpm))) return true;
  report.status = Status::not_converged;
  return false;
}

}  // namespace

template <class S>
StepReport step(SemiImplicitMpm<S>& mpm, const Setup<S>& setup, State<S>& state, double dt) {
  const auto solve = [&](const SolveArgs<S>& args) { return solve_velocity(mpm, args); };
  return implicit_or_explicit_step(mpm, setup, state, dt, solve);
}

template <class S>
void make_ready(const Setup<S>& setup, const State<S>& state, SemiImplicitMpm<S>& mpm) {
  make_loops_ready(setup, state, StepForces::of_potential, mpm);
  mpm.preconditioner.kind = Preconditioning(int(mpm.options.preconditioner));
}

template <class S>
std::size_t bytes(const SemiImplicitMpm<S>& mpm) {
  return bytes(static_cast<const ImplicitMpm<S>&>(mpm)) + mpm.at_rest.bytes();
}

// the vectors of conjugate gradients or GMRES, and the forces at rest
template <class S>
double expected_bytes(const SemiImplicitMpm<S>& mpm, const Scene& scene, double particles_per_cell) {
  const double vectors = symmetric_tangents(scene, true)
                             ? 3
                             : std::min(mpm.options.linear_iterations, double(most_gmres_iterations)) + 1;
  return expected_bytes(mpm, scene, particles_per_cell,
                        vectors + 1 + extra_fields(mpm.options.preconditioner));
}

// The number of products grows with the length of a step: docs/performance.md.
template <class S>
double step_cost(const SemiImplicitMpm<S>& mpm, const Scene& scene, double dt) {
  return 4 + std::min(2.5 * dt / elastic_dt(scene), mpm.options.linear_iterations);
}

#define DOLLOP_INSTANTIATE(S)                                                        \
  template StepReport step(SemiImplicitMpm<S>&, const Setup<S>&, State<S>&, double); \
  template void make_ready(const Setup<S>&, const State<S>&, SemiImplicitMpm<S>&);   \
  template std::size_t bytes(const SemiImplicitMpm<S>&);                             \
  template double expected_bytes(const SemiImplicitMpm<S>&, const Scene&, double);   \
  template double step_cost(const SemiImplicitMpm<S>&, const Scene&, double);
DOLLOP_INSTANTIATE(float)
DOLLOP_INSTANTIATE(double)

}  // namespace dollop
