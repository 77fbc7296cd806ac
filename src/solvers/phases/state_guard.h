// Keeps the states of particles within what numbers can hold. Theory: docs/theory/time_step.md.
#pragma once

#include <dollop/simulation.h>

#include <vector>

#include "solvers/setup/setup.h"

namespace dollop {

inline constexpr double max_extent = 1e15;  // of the state of a particle                               (DT.7)
inline constexpr double state_growth = 4;   // of the logarithm of an extent, in units of dt |grad v|

// How far the states of all particles are from rest: the largest J, 1/J, |F F^T - 1| and Cauchy stress in units of 1e15
// Pa, but at least 1; infinite if a number of a state is not finite.
template <class S>
double extent_of(const Setup<S>& setup, State<S>& state);

// Made before particles take their velocities and strains. Where a state is so close to its bounds that a step might lead
// beyond them, it holds a copy of the particles; mostly it holds nothing.
template <class S>
class StateGuard {
 public:
  StateGuard(const Setup<S>& setup, State<S>& state);

  // Whether all states are within bounds; if not, the particles are as before, and the report says why.
  bool accepts(const Setup<S>& setup, State<S>& state, StepReport& report) const;

 private:
  std::vector<std::vector<AlignedArray<S>>> copy_;  // all numbers of the particles, by group
};

}  // namespace dollop
