// Implicit MPM by ADMM: local steps of the particles alternate with a linear solve for the velocity of the nodes, whose
// matrix is the same for all components. Theory: docs/theory/admm.md.
#pragma once

#include "grid/admm_kernels.h"
#include "solvers/methods/admm_settings.h"
#include "solvers/methods/implicit_mpm.h"

namespace dollop {

template <class S>
struct AdmmMpm : ImplicitMpm<S> {
  static constexpr const char* name = "admm";
  static constexpr const char* help =
      "implicit steps that alternate between particles and grid, for stiff, yielding and viscoelastic "
      "materials";
  static constexpr bool is_implicit = true;
  static constexpr bool needs_branches = true;
  using Options = AdmmSettings;
  Options options;

  const AdmmKernels<S>* loops = nullptr;
  std::vector<const AdmmMaterial<S>*> branches;  // one for each group
  std::vector<bool> tears;                       // likewise

  // of the current step
  std::vector<std::vector<std::uint32_t>> first_batch;  // for each group and tile
  std::vector<AlignedArray<S>> data, torn_tangents;     // of each group
  std::vector<AdmmGroup<S>> batches;
  AdmmArgs<S> split{};
};

template <class S>
std::vector<Column> columns(const AdmmMpm<S>&, const Settings& settings);
template <class S>
void make_ready(const Setup<S>& setup, const State<S>& state, AdmmMpm<S>& admm);
template <class S>
StepReport step(AdmmMpm<S>& admm, const Setup<S>& setup, State<S>& state, double dt);
template <class S>
std::size_t bytes(const AdmmMpm<S>& admm);
template <class S>
double expected_bytes(const AdmmMpm<S>& admm, const Scene& scene, double particles_per_cell);
template <class S>
double step_cost(const AdmmMpm<S>& admm, const Scene& scene, double dt);

}  // namespace dollop
