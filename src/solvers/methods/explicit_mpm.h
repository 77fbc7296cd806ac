// The explicit material point method. Theory: docs/theory/mpm.md.
#pragma once

#include <dollop/simulation.h>

#include "solvers/methods/step_limits.h"
#include "solvers/phases/step_grid.h"

namespace dollop {

template <class S>
struct ExplicitMpm {
  static constexpr const char* name = "explicit";
  static constexpr const char* help = "explicit steps, as long as stability allows";
  struct Options {  // the method has none
    static constexpr std::tuple<> parameters{};
  };

  StepGrid<S> grid;
};

// The functions that every method provides: docs/adding-a-solver.md.
template <class S>
std::vector<Column> columns(const ExplicitMpm<S>&, const Settings& settings);
template <class S>
void make_ready(const Setup<S>& setup, const State<S>& state, ExplicitMpm<S>& mpm);
template <class S>
StepReport step(ExplicitMpm<S>& mpm, const Setup<S>& setup, State<S>& state, double dt);
template <class S>
StepLimits step_limits(const ExplicitMpm<S>&, const Setup<S>& setup, const State<S>& state);
template <class S>
std::size_t bytes(const ExplicitMpm<S>& mpm);
template <class S>
double expected_bytes(const ExplicitMpm<S>&, const Scene& scene, double particles_per_cell);
template <class S>
double step_cost(const ExplicitMpm<S>&, const Scene& scene, double dt);
template <class S>
void after_restore(const State<S>& state, ExplicitMpm<S>& mpm);

}  // namespace dollop
