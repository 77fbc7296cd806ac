// The whole state to a stream and back, so that a run that goes on from it is bitwise the run that never stopped.
#pragma once

#include <iosfwd>

#include "solvers/observation/saved_state_format.h"
#include "solvers/setup/setup.h"

namespace dollop {

template <class S>
void save_state(const State<S>& state, std::ostream& stream);

// Needs the state of a simulation of the same scene. Throws std::runtime_error, and the state is of no use then, if the
// stream does not hold what save_state() wrote for one.
template <class S>
void restore_state(const Setup<S>& setup, std::istream& stream, State<S>& state);

}  // namespace dollop
