// The phases of a step that change the number of particles. Theory: docs/theory/resampling.md, docs/theory/foam.md.
#pragma once

#include <dollop/simulation.h>

#include "boundary/moving_colliders.h"
#include "solvers/setup/setup.h"

namespace dollop {

inline constexpr std::int64_t removal_interval = 10;  // steps between searches for torn threads
inline constexpr double fine_search_strain = 0.1;     // strain between resamplings that needs a finer search

// Removes torn particles in threads and crumbs that the grid cannot resolve, every few steps.      (TEAR.7-8)
template <class S>
void remove_threads(const Setup<S>& setup, State<S>& state);

// Particle resampling, when it is due: fills voids with new particles and merges those that coincide. (RES.1-9)
template <class S>
void fill_gaps(const MovingColliders& colliders, const Setup<S>& setup, const StepReport& report,
               State<S>& state);

}  // namespace dollop
