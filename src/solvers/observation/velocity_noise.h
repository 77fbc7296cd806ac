// What the velocities of neighbouring particles have beside a linear field. Theory: docs/theory/measures.md.
#pragma once

#include "particles/particle_store.h"

namespace dollop {

// The rms of what a linear field leaves of the velocities in cubes two cells wide; 0 where no cube has enough
// particles for a fit [m/s]                                                                           (VN.4)
template <class S>
double velocity_noise(const ParticleStore<S>& store);

}  // namespace dollop
