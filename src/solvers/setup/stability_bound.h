// The stability limit of explicit time steps. Theory: docs/theory/time_step.md.
#pragma once

#include <dollop/scene.h>

#include "materials/registry.h"

namespace dollop {

// Largest stable step of the explicit method near rest, for any arrangement of particles [s]. `affine_kept` is the
// part of the affine velocity that particles carry from step to step: 1 in APIC, 0 in PIC and FLIP.      (DT.1-3, DT.6)
double stability_bound(const Stiffness& material, double cell_size, Kernel kernel, ForceForm forces,
                       double affine_kept = 1);

// the same for the transfer of a scene
double stability_bound(const Stiffness& material, const Settings& settings);

}  // namespace dollop
