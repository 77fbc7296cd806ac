// What the particles look like as a body: its volume, density, holes, pieces and threads. For validation; it is not
// part of a step. Theory: docs/theory/resampling.md.
#pragma once

#include <dollop/simulation.h>

#include "particles/particle_store.h"

namespace dollop {

// Needs a sorted store; particles may have drifted out of their blocks by a cell since. `kernel` is the one that joins
// particles and grid. The same at any thread count. On periodic axes material goes on beyond the border; where every
// axis is periodic there is no outside, and all space without material is void.
template <class S>
Survey survey(const ParticleStore<S>& store, Kernel kernel);

}  // namespace dollop
