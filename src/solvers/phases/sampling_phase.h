// The phases of a step that add and remove particles: torn threads go, thinned-out material is filled.
// Theory: docs/theory/resampling.md.
#pragma once

#include "solvers/contact_phase.h"

namespace dollop {

inline constexpr std::int64_t removal_interval = 10;  // steps between looks for torn threads
inline constexpr double fine_search_strain = 0.1;  // between two fillings: beyond it the search goes deeper

// Takes out torn particles in threads and crumbs that the grid cannot resolve, every few steps.   (TEAR.7-8)
template <class S>
void remove_threads(ExplicitMpm<S>& mpm, State<S>& state);

// Fills thinned-out material with new particles and merges those that coincide, when it is due.    (RES.1-9)
template <class S>
void fill_gaps(const MovingColliders& colliders, const Settings& settings, const StepReport& report,
               ExplicitMpm<S>& mpm, State<S>& state);

}  // namespace dollop
