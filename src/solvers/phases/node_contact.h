// Contact of the nodes of a grid with colliders. Theory: docs/theory/contact.md.
#pragma once

#include "boundary/moving_colliders.h"
#include "solvers/phases/step_grid.h"

namespace dollop {

// How far the nodes have moved in a step that is divided into parts.
template <class S>
struct NodeMotion {
  const S* displacement = nullptr;  // field, over the length of the step [m/s]; null: the step is not divided
  double elapsed = 0;               // since the start of the step [s]
  double part = 0;                  // length of a part [s]
};

// Applies Coulomb friction to the velocity of nodes in contact with colliders, and records the impulses.  (BC.3, BC.5)
template <class S>
void apply_contacts(const MovingColliders& colliders, StepGrid<S>& grid, const NodeMotion<S>& motion = {});

// the same without cached samples, and without recording impulses, for nozzles
template <class S>
void apply_pistons(const MovingColliders& pistons, StepGrid<S>& grid, const NodeMotion<S>& motion = {});

}  // namespace dollop
