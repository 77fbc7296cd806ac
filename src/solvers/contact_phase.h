// The phases of a step that deal with colliders. Theory: docs/theory/contact.md.
#pragma once

#include "boundary/moving_colliders.h"
#include "solvers/explicit_mpm.h"

namespace dollop {

// The pistons of the nozzles that flow.                                                                  (SEED.14)
template <class S>
std::vector<Collider> pistons(double time, const ExplicitMpm<S>& mpm);

// Gives the nodes just behind the fronts of nozzles that flow the velocity of the flow, as a piston would: what leaves
// pushes away what lies in front, and nothing flows back.                                               (SEED.14)
template <class S>
void drive_nozzles(double time, double dt, ExplicitMpm<S>& mpm);

// Gives the nodes inside colliders the velocity that the contact rule leaves them, and notes the impulses.
template <class S>
void apply_contacts(const MovingColliders& colliders, ExplicitMpm<S>& mpm);

// Puts particles that have entered a collider during the step back on its surface, on the side they came from, so that
// no wall of a cell or more leaks. Those that were inside before, as in a clamp, are left alone.              (BC.19)
template <class S>
void keep_out(const MovingColliders& colliders, const ExplicitMpm<S>& mpm, State<S>& state,
              StepReport& report);

}  // namespace dollop
