// Gauges: sums over parts of the material.
#pragma once

#include <dollop/simulation.h>

#include "solvers/setup/state.h"

namespace dollop {

// The current readings of the gauges of a scene, all but the flow.
template <class S>
std::vector<GaugeReading> read_gauges(const Scene& scene, const State<S>& state);

}  // namespace dollop
