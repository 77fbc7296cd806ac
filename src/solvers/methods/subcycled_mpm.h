// Explicit steps on a grid that is kept for several of them. Theory: docs/theory/subcycled.md.
#pragma once

#include <tuple>

#include "grid/implicit_kernels.h"
#include "materials/parameter.h"
#include "solvers/methods/explicit_mpm.h"

namespace dollop {

// The user settings of the method, in [simulation.subcycled].
struct SubcycledSettings {
  double interval = 0;  // [s]; 0: fading_time()
  static constexpr auto parameters = std::tuple{
      Parameter<SubcycledSettings>{"interval", &SubcycledSettings::interval, "s", not_negative,
                                   "time after which particles and grid exchange velocities again, which "
                                   "sets the damping; 0: four explicit steps of "
                                   "the scene. Raise it to damp less, lower it where motion is noisy"}};
};

template <class S>
struct SubcycledMpm {
  static constexpr const char* name = "subcycled";
  static constexpr const char* help =
      "explicit steps on a grid that is kept for several of them: damping that does not depend on the time "
      "step";
  using Options = SubcycledSettings;
  Options options;

  StepGrid<S> grid;
  const ImplicitKernels<S>* kernels = nullptr;        // forces of a trial displacement
  std::vector<const ImplicitMaterial<S>*> materials;  // one for each group
  double interval = 0;                                // [s]

  AlignedArray<S> displacement;  // of the nodes since the start of the step, over its length [m/s]
  AlignedArray<S> force;         // at that displacement, times the length of the step
  SlotImpacts impacts;           // on colliders, of all sub-steps
  // arguments of the loops in the current step
  std::vector<std::uint32_t> no_chunks;  // these loops store no tangents
  std::vector<ImplicitGroup<S>> groups;
};

template <class S>
std::vector<Column> columns(const SubcycledMpm<S>&, const Settings& settings);
template <class S>
void make_ready(const Setup<S>& setup, const State<S>& state, SubcycledMpm<S>& mpm);
template <class S>
StepReport step(SubcycledMpm<S>& mpm, const Setup<S>& setup, State<S>& state, double dt);
template <class S>
StepLimits step_limits(const SubcycledMpm<S>& mpm, const Setup<S>& setup, const State<S>& state);
template <class S>
std::size_t bytes(const SubcycledMpm<S>& mpm);
template <class S>
double expected_bytes(const SubcycledMpm<S>& mpm, const Scene& scene, double particles_per_cell);
template <class S>
double step_cost(const SubcycledMpm<S>& mpm, const Scene& scene, double dt);
template <class S>
void after_restore(const State<S>& state, SubcycledMpm<S>& mpm);

}  // namespace dollop
