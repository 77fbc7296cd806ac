// The memory order of particles.
#pragma once

#include <dollop/simulation.h>

#include <optional>

#include "solvers/setup/state.h"

namespace dollop {

// Re-sorts the particles by block and cell if some particle has left the margin of its block, or is new. If a particle
// cannot be placed, returns it and changes nothing.
template <class S>
std::optional<LostParticle> sort_by_block(State<S>& state);

// The same at the start of a step: false, and the reason in the report, if a particle cannot be placed.
template <class S>
bool sort_by_block(State<S>& state, StepReport& report);

}  // namespace dollop
