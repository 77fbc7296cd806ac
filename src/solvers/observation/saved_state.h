// The whole state to a stream and back, so that a run that goes on from it is bitwise the run that never stopped.
#pragma once

#include <cstdint>
#include <iosfwd>

#include "solvers/setup/setup.h"

namespace dollop {

// Raise it whenever the layout changes: the numbers that State and Tally list, the arrays after them, or what particles
// store. It is part of the format of checkpoints.
inline constexpr std::uint32_t saved_state_format = 6;

template <class S>
void save_state(const State<S>& state, std::ostream& stream);

// Needs the state of a simulation of the same scene. Throws std::runtime_error, and the state is of no use then, if the
// stream does not hold what save_state() wrote for one.
template <class S>
void restore_state(const Setup<S>& setup, std::istream& stream, State<S>& state);

}  // namespace dollop
