// Sums and fingerprints of the state.
#pragma once

#include <dollop/simulation.h>

#include "solvers/setup/setup.h"

namespace dollop {

// sums over all particles, in double, and the counts of the run
template <class S>
Metrics measure(const Setup<S>& setup, const State<S>& state);

// starts a new interval for the metrics that are means or extremes over an interval
template <class S>
void new_interval(const Setup<S>& setup, State<S>& state);

// a hash of every column of every particle, in order of id, and of the time
template <class S>
std::uint64_t hash_of(const State<S>& state);

}  // namespace dollop
