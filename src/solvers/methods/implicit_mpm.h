// What the implicit methods share: their working memory, and the functions that are the same for all of them.
// Theory: docs/theory/implicit.md.
#pragma once

#include "grid/implicit_kernels.h"
#include "linear/krylov.h"
#include "solvers/methods/explicit_mpm.h"
#include "solvers/methods/implicit_contact.h"
#include "solvers/methods/node_preconditioner.h"

namespace dollop {

// Kept from step to step. Fields hold four numbers per node.
template <class S>
struct ImplicitMpm {
  ExplicitMpm<S> explicit_mpm;  // shares its grid; takes the step if the implicit solve does not converge
  const ImplicitKernels<S>* kernels = nullptr;
  std::vector<const ImplicitMaterial<S>*> materials;  // one for each group
  bool symmetric = false;                             // whether the tangent of every material is symmetric
  bool keeps_tangents = true;
  bool has_potential = false;  // whether the forces of every material derive from a potential

  AlignedArray<S> velocity;  // v^{n+1} after contacts, without friction
  AlignedArray<S> residual;  // at that velocity
  AlignedArray<S> change, trial, trial_residual, work;
  NodePreconditioner<S> preconditioner;
  KrylovSpace<S> krylov;
  ImplicitContacts contacts;

  // arguments of the loops in the current step
  std::vector<std::vector<std::uint32_t>> first_chunk;  // for each group and tile
  std::vector<AlignedArray<S>> tangents;                // of each group
  std::vector<ImplicitGroup<S>> groups;
  ImplicitArgs<S> args{};
  std::vector<double> energies;  // potentials of the tiles
};

template <class S>
std::vector<Column> columns(const ImplicitMpm<S>&, const Settings& settings);
template <class S>
StepLimits step_limits(const ImplicitMpm<S>&, const Setup<S>& setup, const State<S>& state);
template <class S>
std::size_t bytes(const ImplicitMpm<S>& mpm);
template <class S>
void after_restore(const State<S>& state, ImplicitMpm<S>& mpm);

// Prepares the loops; the forces are those of the potentials of the materials that have one, if `forces` says so.
template <class S>
void make_loops_ready(const Setup<S>& setup, const State<S>& state, StepForces forces, ImplicitMpm<S>& mpm);

// Memory per particle of a method with this many vectors of the linear solver, before a run.
template <class S>
double expected_bytes(const ImplicitMpm<S>& mpm, const Scene& scene, double particles_per_cell,
                      double krylov_vectors);

// whether the tangents of all materials in a scene, used or not, are symmetric; `derived`: with the forces of potentials
bool symmetric_tangents(const Scene& scene, bool derived);

}  // namespace dollop
