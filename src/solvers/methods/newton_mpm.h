// Implicit MPM: backward Euler on the grid by Newton's method. Theory: docs/theory/implicit.md.
#pragma once

#include "solvers/methods/implicit_mpm.h"
#include "solvers/methods/newton_settings.h"

namespace dollop {

template <class S>
struct NewtonMpm : ImplicitMpm<S> {
  static constexpr const char* name = "newton";
  static constexpr const char* help = "implicit steps by Newton's method, as long as max_dt and cfl allow";
  static constexpr bool is_implicit = true;
  using Options = NewtonSettings;
  Options options;
};

template <class S>
void make_ready(const Setup<S>& setup, const State<S>& state, NewtonMpm<S>& newton);
template <class S>
StepReport step(NewtonMpm<S>& newton, const Setup<S>& setup, State<S>& state, double dt);
template <class S>
double expected_bytes(const NewtonMpm<S>& newton, const Scene& scene, double particles_per_cell);
template <class S>
double step_cost(const NewtonMpm<S>& newton, const Scene& scene, double dt);

}  // namespace dollop
