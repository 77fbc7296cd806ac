// Calls the functions that every method provides on the method that a simulation uses.
#pragma once

#include <dollop/simulation.h>

#include "solvers/frame/method.h"

namespace dollop {

// Returns the method that the settings name. Only its options are set.
template <class S>
Method<S> method_of(const Settings& settings);

// the particle columns that the method adds to the common ones and to those of the materials
template <class S>
std::vector<Column> columns(const Method<S>& method, const Settings& settings) {
  return std::visit([&](const auto& m) { return columns(m, settings); }, method);
}
// prepares the method for the first step: it chooses its loops and reads the set-up
template <class S>
void make_ready(const Setup<S>& setup, const State<S>& state, Method<S>& method) {
  std::visit([&](auto& m) { make_ready(setup, state, m); }, method);
}
// Advances the state by dt. If the step is rejected (the report is not ok), the state is unchanged.
template <class S>
StepReport step(Method<S>& method, const Setup<S>& setup, State<S>& state, double dt) {
  return std::visit([&](auto& m) { return step(m, setup, state, dt); }, method);
}
template <class S>
StepLimits step_limits(const Method<S>& method, const Setup<S>& setup, const State<S>& state) {
  return std::visit([&](const auto& m) { return step_limits(m, setup, state); }, method);
}
// memory that the method holds now, and the estimated memory per particle before a run
template <class S>
std::size_t bytes(const Method<S>& method) {
  return std::visit([](const auto& m) { return bytes(m); }, method);
}
template <class S>
double expected_bytes(const Method<S>& method, const Scene& scene, double particles_per_cell) {
  return std::visit([&](const auto& m) { return expected_bytes(m, scene, particles_per_cell); }, method);
}
// estimated cost of a step of length dt, in units of one explicit step
template <class S>
double step_cost(const Method<S>& method, const Scene& scene, double dt) {
  return std::visit([&](const auto& m) { return step_cost(m, scene, dt); }, method);
}
// called after the state was restored from a checkpoint: the method recomputes the data that it derives from the state
template <class S>
void after_restore(const State<S>& state, Method<S>& method) {
  std::visit([&](auto& m) { after_restore(state, m); }, method);
}

}  // namespace dollop
