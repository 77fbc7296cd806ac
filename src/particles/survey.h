// Measures the body that the particles represent: its volume, density, voids, pieces and threads. For validation; it is
// not part of a step. Theory: docs/theory/resampling.md.
#pragma once

#include <dollop/simulation.h>

#include "particles/particle_store.h"

namespace dollop {

// Needs a sorted store; particles may have drifted out of their blocks by a cell since. `kernel` is that of the
// transfers between particles and grid. The result is the same at any thread count. On periodic axes material continues
// across the border; where every axis is periodic there is no outside, and all space without material is void.
template <class S>
Survey survey(const ParticleStore<S>& store, Kernel kernel);

}  // namespace dollop
