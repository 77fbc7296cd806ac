// Particle volumes from the density on the grid. Theory: docs/theory/seeding.md.
#pragma once

#include <dollop/numerics.h>

#include "particles/particle_store.h"

namespace dollop {

// V_p = m_p / rho_p with rho_p = sum_i w_ip m_i / h^3, once, at the start. Particles near a surface see empty nodes, so
// their volume comes out too large: up to 1.6 times on a face, 4.3 times in a corner.                  (SEED.8)
template <class S>
void estimate_volumes(Kernel kernel, ParticleStore<S>& particles);

}  // namespace dollop
