// Contact of the nodes of a grid with colliders. Theory: docs/theory/contact.md.
#pragma once

#include "boundary/moving_colliders.h"
#include "solvers/phases/step_grid.h"

namespace dollop {

// Applies Coulomb friction to the velocity of nodes in contact with colliders, and records the impulses.  (BC.3, BC.5)
template <class S>
void apply_contacts(const MovingColliders& colliders, StepGrid<S>& grid);

// the same without cached samples, and without recording impulses, for nozzles
template <class S>
void apply_pistons(const MovingColliders& pistons, StepGrid<S>& grid);

}  // namespace dollop
