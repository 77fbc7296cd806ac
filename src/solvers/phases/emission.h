// Particles that leave the nozzles of a scene. Theory: docs/theory/seeding.md.
#pragma once

#include "solvers/setup/setup.h"

namespace dollop {

// Adds the particles that left the nozzles during the last dt.                                          (SEED.10)
template <class S>
void emit(const std::vector<Nozzle>& nozzles, double dt, State<S>& state);

}  // namespace dollop
