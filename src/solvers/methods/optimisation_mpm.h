// Implicit MPM as optimisation: backward Euler by minimising the potential of the step. Theory: docs/theory/implicit.md.
#pragma once

#include <tuple>

#include "materials/parameter.h"
#include "solvers/methods/implicit_mpm.h"

namespace dollop {

// The user settings of the method, in [simulation.optimisation].
struct OptimisationSettings {
  double tolerance = 1e-3;
  double iterations = 30;
  double linear_iterations = 300;
  double preconditioner = 0;
  static constexpr Range below_one{0, 1, true, true};
  static constexpr auto parameters = std::tuple{
      Parameter<OptimisationSettings>{"tolerance", &OptimisationSettings::tolerance, "", below_one,
                                      "ends the minimisation when the residual has fallen to this fraction "
                                      "of the first one; lower it for "
                                      "accuracy, raise it for speed"},
      Parameter<OptimisationSettings>{
          "iterations", &OptimisationSettings::iterations, "", count_from(1, 1000),
          "limits the iterations of a step; a step that needs more is repeated with half its length"},
      Parameter<OptimisationSettings>{"linear_iterations", &OptimisationSettings::linear_iterations, "",
                                      count_from(1, 10000),
                                      "limits the iterations of the linear solver in each of them, which "
                                      "ends earlier far from the minimum"},
      Parameter<OptimisationSettings>{"preconditioner",
                                      &OptimisationSettings::preconditioner,
                                      "",
                                      three_words,
                                      preconditioner_help,
                                      {"jacobi", "blocks", "none"}}};
};

template <class S>
struct OptimisationMpm : ImplicitMpm<S> {
  static constexpr const char* name = "optimisation";
  static constexpr const char* help =
      "implicit steps that minimise a potential and never gain energy, for elastic and viscoelastic "
      "materials";
  static constexpr bool is_implicit = true;
  static constexpr bool needs_potential = true;
  using Options = OptimisationSettings;
  Options options;
};

template <class S>
void make_ready(const Setup<S>& setup, const State<S>& state, OptimisationMpm<S>& mpm);
template <class S>
StepReport step(OptimisationMpm<S>& mpm, const Setup<S>& setup, State<S>& state, double dt);
template <class S>
double expected_bytes(const OptimisationMpm<S>& mpm, const Scene& scene, double particles_per_cell);
template <class S>
double step_cost(const OptimisationMpm<S>& mpm, const Scene& scene, double dt);

}  // namespace dollop
