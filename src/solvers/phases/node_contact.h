// Contact of the nodes of a grid with colliders. Theory: docs/theory/contact.md.
#pragma once

#include "boundary/moving_colliders.h"
#include "solvers/phases/step_grid.h"

namespace dollop {

// Gives the nodes inside colliders the velocity that Coulomb's law leaves them, and notes the impulses.  (BC.3, BC.5)
template <class S>
void apply_contacts(const MovingColliders& colliders, StepGrid<S>& grid);

// The same for the nodes of one slot: the colliders one after the other, twice where several may touch, so that corners
// hold. `still` is what the block has seen before of colliders that do not move; without it all are asked.
template <class S>
void contact_in_block(const MovingColliders& colliders, const std::vector<SeenCollider>* still, double dt,
                      BlockGrid<S>& grid, std::size_t slot, std::vector<ColliderImpact>& impacts);

}  // namespace dollop
