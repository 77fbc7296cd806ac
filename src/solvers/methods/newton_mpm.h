// Implicit MPM: backward Euler on the grid by Newton's method. Theory: docs/theory/implicit.md.
#pragma once

#include "grid/implicit_kernels.h"
#include "linear/krylov.h"
#include "solvers/explicit_mpm.h"
#include "solvers/node_contacts.h"

namespace dollop {

// What Newton's method works with, kept from step to step. Fields hold four numbers a node.
template <class S>
struct NewtonMpm {
  const ImplicitKernels<S>* kernels = nullptr;
  std::vector<const ImplicitMaterial<S>*> materials;  // one for each group
  bool symmetric = false;                             // the tangent of every material is

  AlignedArray<S> velocity;  // v^{n+1} after contacts, without friction
  AlignedArray<S> residual;  // at that velocity
  AlignedArray<S> change, trial, trial_residual, work, scale;
  KrylovSpace<S> krylov;
  NodeContacts contacts;

  // what the loops of the current step are called with
  std::vector<std::vector<std::uint32_t>> first_chunk;  // for each group and tile
  std::vector<AlignedArray<S>> tangents;                // of each group
  std::vector<ImplicitGroup<S>> groups;
  ImplicitArgs<S> args{};

  std::size_t bytes() const;
};

// Advances the state by dt. A report that is not ok means that the state is as it was.
template <class S>
StepReport step(NewtonMpm<S>& newton, ExplicitMpm<S>& mpm, const Scene& scene, State<S>& state, double dt);

}  // namespace dollop
