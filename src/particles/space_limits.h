// How large a domain may be.
#pragma once

#include "particles/block_space.h"

namespace dollop {

// along an axis: the grid numbers 4 block_limit cells on either side of the domain's minimum, and a body may leave it
inline constexpr double max_domain_cells = 4e6;
static_assert(max_domain_cells < 4.0 * (block_limit - 2));

}  // namespace dollop
