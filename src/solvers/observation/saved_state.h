// Writes the whole state to a checkpoint and reads it back: a restarted run is bitwise the uninterrupted run.
#pragma once

#include <iosfwd>

#include "solvers/observation/saved_state_format.h"
#include "solvers/setup/setup.h"

namespace dollop {

template <class S>
void save_state(const State<S>& state, std::ostream& stream);

// The state must be that of a simulation of the same scene. Throws std::runtime_error if the stream was not written by
// save_state() for such a simulation; the state is invalid then.
template <class S>
void restore_state(const Setup<S>& setup, std::istream& stream, State<S>& state);

}  // namespace dollop
