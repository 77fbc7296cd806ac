// Contact of the nodes of a grid with colliders. Theory: docs/theory/contact.md.
#pragma once

#include "boundary/moving_colliders.h"
#include "solvers/phases/step_grid.h"

namespace dollop {

// Applies Coulomb friction to the velocity of nodes in contact with colliders, and records the impulses.  (BC.3, BC.5)
template <class S>
void apply_contacts(const MovingColliders& colliders, StepGrid<S>& grid);

// The same for the nodes of one slot: the colliders one after the other, in two sweeps where several may touch, for
// corners. `still` holds the cached samples of static colliders; without it every collider is sampled.
template <class S>
void contact_in_block(const MovingColliders& colliders, const std::vector<SeenCollider>* still, double dt,
                      BlockGrid<S>& grid, std::size_t slot, std::vector<ColliderImpact>& impacts);

}  // namespace dollop
