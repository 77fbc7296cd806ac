// Implicit MPM: backward Euler on the grid by Newton's method. Theory: docs/theory/implicit.md.
#pragma once

#include "grid/implicit_kernels.h"
#include "linear/krylov.h"
#include "solvers/methods/explicit_mpm.h"
#include "solvers/methods/implicit_contact.h"
#include "solvers/methods/newton_settings.h"

namespace dollop {

// The working memory of Newton's method, kept from step to step. Fields hold four numbers per node.
template <class S>
struct NewtonMpm {
  static constexpr const char* name = "newton";
  static constexpr const char* help = "implicit steps by Newton's method, as long as max_dt and cfl allow";
  using Options = NewtonSettings;

  Options options;
  ExplicitMpm<S> explicit_mpm;  // shares its grid; takes the step if Newton's method does not converge
  const ImplicitKernels<S>* kernels = nullptr;
  std::vector<const ImplicitMaterial<S>*> materials;  // one for each group
  bool symmetric = false;                             // whether the tangent of every material is symmetric

  AlignedArray<S> velocity;  // v^{n+1} after contacts, without friction
  AlignedArray<S> residual;  // at that velocity
  AlignedArray<S> change, trial, trial_residual, work, scale;
  KrylovSpace<S> krylov;
  ImplicitContacts contacts;

  // arguments of the loops in the current step
  std::vector<std::vector<std::uint32_t>> first_chunk;  // for each group and tile
  std::vector<AlignedArray<S>> tangents;                // of each group
  std::vector<ImplicitGroup<S>> groups;
  ImplicitArgs<S> args{};
};

template <class S>
std::vector<Column> columns(const NewtonMpm<S>&, const Settings& settings);
template <class S>
void make_ready(const Setup<S>& setup, const State<S>& state, NewtonMpm<S>& newton);
template <class S>
StepReport step(NewtonMpm<S>& newton, const Setup<S>& setup, State<S>& state, double dt);
template <class S>
StepLimits step_limits(const NewtonMpm<S>&, const Setup<S>& setup, const State<S>& state);
template <class S>
std::size_t bytes(const NewtonMpm<S>& newton);
template <class S>
double expected_bytes(const NewtonMpm<S>& newton, const Scene& scene, double particles_per_cell);
template <class S>
double step_cost(const NewtonMpm<S>& newton, const Scene& scene, double dt);
template <class S>
void after_restore(const State<S>& state, NewtonMpm<S>& newton);

}  // namespace dollop
