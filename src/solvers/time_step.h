// How long a step may be. Theory: docs/theory/time_step.md.
#pragma once

#include <dollop/scene.h>

#include "materials/registry.h"

namespace dollop {

// Largest stable step of the explicit method near rest, for any arrangement of particles [s]. Without
// viscosity this is beta h sqrt(rho / modulus) (DT.1-3)
double stability_bound(const Stiffness& material, double cell_size, Kernel kernel, ForceForm forces);

}  // namespace dollop
