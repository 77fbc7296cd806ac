// Semi-implicit MPM: the forces are linearised at the start of the step, and one linear system is solved. Theory:
// docs/theory/implicit.md.
#pragma once

#include <tuple>

#include "materials/parameter.h"
#include "solvers/methods/implicit_mpm.h"

namespace dollop {

// The user settings of the method, in [simulation.semi-implicit].
struct SemiImplicitSettings {
  double linear_tolerance = 1e-4;
  double linear_iterations = 500;
  double preconditioner = 0;
  static constexpr Range below_one{0, 1, true, true};
  static constexpr auto parameters =
      std::tuple{Parameter<SemiImplicitSettings>{"linear_tolerance", &SemiImplicitSettings::linear_tolerance,
                                                 "", below_one,
                                                 "ends the linear solve when its residual has fallen to this "
                                                 "fraction; lower it for accuracy, raise it "
                                                 "for speed"},
                 Parameter<SemiImplicitSettings>{
                     "linear_iterations", &SemiImplicitSettings::linear_iterations, "", count_from(1, 10000),
                     "limits the iterations of the linear solver; what it has found by then is taken"},
                 Parameter<SemiImplicitSettings>{"preconditioner",
                                                 &SemiImplicitSettings::preconditioner,
                                                 "",
                                                 three_words,
                                                 preconditioner_help,
                                                 {"jacobi", "blocks", "none"}}};
};

template <class S>
struct SemiImplicitMpm : ImplicitMpm<S> {
  static constexpr const char* name = "semi-implicit";
  static constexpr const char* help =
      "steps longer than explicit ones by one linear solve each, for moderately stiff materials";
  static constexpr bool is_implicit = true;
  using Options = SemiImplicitSettings;
  Options options;
  AlignedArray<S>
      at_rest;  // R(0)                                                                    (IMP.15)
};

template <class S>
void make_ready(const Setup<S>& setup, const State<S>& state, SemiImplicitMpm<S>& mpm);
template <class S>
StepReport step(SemiImplicitMpm<S>& mpm, const Setup<S>& setup, State<S>& state, double dt);
template <class S>
std::size_t bytes(const SemiImplicitMpm<S>& mpm);
template <class S>
double expected_bytes(const SemiImplicitMpm<S>& mpm, const Scene& scene, double particles_per_cell);
template <class S>
double step_cost(const SemiImplicitMpm<S>& mpm, const Scene& scene, double dt);

}  // namespace dollop
