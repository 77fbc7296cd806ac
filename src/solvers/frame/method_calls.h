// The functions that every method has, for whichever of them a simulation was given.
#pragma once

#include <dollop/simulation.h>

#include "solvers/frame/method.h"

namespace dollop {

// The method that the settings name, with its options and nothing else yet.
template <class S>
Method<S> method_of(const Settings& settings);

// columns that the method carries on the particles, beside the common ones and those of the materials
template <class S>
std::vector<Column> columns(const Method<S>& method, const Settings& settings) {
  return std::visit([&](const auto& m) { return columns(m, settings); }, method);
}
// chooses loops and takes what it needs from the set-up, before the first step
template <class S>
void make_ready(const Setup<S>& setup, const State<S>& state, Method<S>& method) {
  std::visit([&](auto& m) { make_ready(setup, state, m); }, method);
}
// Advances the state by dt. A report that is not ok means that the state is as it was.
template <class S>
StepReport step(Method<S>& method, const Setup<S>& setup, State<S>& state, double dt) {
  return std::visit([&](auto& m) { return step(m, setup, state, dt); }, method);
}
template <class S>
StepLimits step_limits(const Method<S>& method, const Setup<S>& setup, const State<S>& state) {
  return std::visit([&](const auto& m) { return step_limits(m, setup, state); }, method);
}
// memory that the method itself holds now, and for each particle in a run that has yet to begin
template <class S>
std::size_t bytes(const Method<S>& method) {
  return std::visit([](const auto& m) { return bytes(m); }, method);
}
template <class S>
double expected_bytes(const Method<S>& method, const Scene& scene, double particles_per_cell) {
  return std::visit([&](const auto& m) { return expected_bytes(m, scene, particles_per_cell); }, method);
}
// time of a step of this length, in explicit steps, for the estimate of a run
template <class S>
double step_cost(const Method<S>& method, const Scene& scene, double dt) {
  return std::visit([&](const auto& m) { return step_cost(m, scene, dt); }, method);
}
// the state was replaced by a stored one: what the method derives from it is made anew
template <class S>
void after_restore(const State<S>& state, Method<S>& method) {
  std::visit([&](auto& m) { after_restore(state, m); }, method);
}

}  // namespace dollop
