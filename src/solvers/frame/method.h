// The methods of time integration: one closed list. Adding one: its files, and its name here. docs/adding-a-solver.md
// shows how.
#pragma once

#include <variant>

#include "solvers/methods/explicit_mpm.h"
#include "solvers/methods/newton_mpm.h"

namespace dollop {

template <class S>
using Method = std::variant<ExplicitMpm<S>, NewtonMpm<S>>;

}  // namespace dollop
