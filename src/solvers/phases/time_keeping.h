// The clock and the counts of a run.
#pragma once

#include <dollop/simulation.h>

#include "solvers/setup/state.h"

namespace dollop {

// Records an accepted step: time, extremes and iterations.
template <class S>
void advance_time(const StepReport& report, State<S>& state);

}  // namespace dollop
