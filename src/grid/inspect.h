// Looks at a step before it is taken.
#pragma once

#include "grid/kernels.h"

namespace dollop {

// Finds the report that grid_to_particles would give on a run of tiles, or a part of it; nothing else is written. Lone
// particles, all of which are inspected in each step, have a loop for it. For others the loop advances copies of the particles:
// that takes longer, but few runs may be rejected, and one more loop for each combination of settings took the compiler a third
// of the time of all transfers.
template <class S>
void inspect(const TransferKernels<S>& kernels, const TransferArgs<S>& args, const S* moving, int run,
             int part);

}  // namespace dollop
