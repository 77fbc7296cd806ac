// The format of a stored state, which is part of the format of checkpoints.
#pragma once

#include <cstdint>

namespace dollop {

// Raise it whenever the layout changes: the numbers that State and Tally list, the arrays after them, or what particles
// store.
inline constexpr std::uint32_t saved_state_format = 8;

}  // namespace dollop
