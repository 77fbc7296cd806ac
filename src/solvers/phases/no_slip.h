// No-slip walls: nodes inside mirror the velocity of the material outside. Theory: docs/theory/contact.md.
#pragma once

#include "boundary/moving_colliders.h"
#include "grid/block_grid.h"
#include "solvers/phases/impacts.h"

namespace dollop {

// Gives the nodes just inside no-slip colliders the mirror image of the velocity outside, and records the impulses.
// (BC.21)
template <class S>
void mirror_velocity(const MovingColliders& colliders, BlockGrid<S>& grid, SlotImpacts& impacts);

}  // namespace dollop
