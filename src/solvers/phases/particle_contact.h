// Contact of single particles with colliders. Theory: docs/theory/contact.md.
#pragma once

#include <dollop/simulation.h>

#include "boundary/moving_colliders.h"
#include "solvers/phases/step_grid.h"

namespace dollop {

// How the particles moved in a step.
struct ParticleMotion {
  double dt;               // [s]
  bool own_velocity;       // moved by dt times their own velocity, so that the start of their path is known
  bool resolves_velocity;  // the contact rule applies to the velocity of touching particles (BC.20)
};

// The grid and its cached samples of static colliders.
template <class S>
struct StillContacts {
  const ContactCache& cache;
  const BlockGrid<S>& blocks;
  LoopAffinity& affinity;
};

// Puts particles that have entered a collider during the step back on its surface, on the side they came from, so that
// no wall of a cell or more leaks. Particles that were inside before, as in a clamp, are left alone. Without `still`
// every collider near a particle is sampled, so that methods without a grid can use it.                     (BC.19)
template <class S>
void keep_out(const MovingColliders& colliders, const ParticleMotion& motion, const StillContacts<S>* still,
              State<S>& state, StepReport& report);

// the same for particles that the nodes of a grid have moved
template <class S>
void keep_out(const MovingColliders& colliders, StepGrid<S>& grid, State<S>& state, StepReport& report);

}  // namespace dollop
