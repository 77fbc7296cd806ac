// The stability limit of explicit time steps. Theory: docs/theory/time_step.md.
#pragma once

#include <dollop/scene.h>

#include "materials/registry.h"
#include "solvers/setup/setup.h"

namespace dollop {

// Largest stable step of the explicit method near rest, for any arrangement of particles [s]. `affine_kept` is the
// part of the affine velocity that particles carry from step to step: 1 in APIC, 0 in PIC and FLIP.      (DT.1-3, DT.6)
double stability_bound(const Stiffness& material, double cell_size, Kernel kernel, ForceForm forces,
                       double affine_kept = 1);

// the same for the transfer of a scene
double stability_bound(const Stiffness& material, const Settings& settings);

// The longest step that the stiffness of the material in a simulation allows, with the safety factor; infinite if there
// is no material and no nozzle will emit any [s].
template <class S>
double elastic_dt(const Setup<S>& setup, const State<S>& state);

// the same for the materials that a scene uses, before anything is set up
double elastic_dt(const Scene& scene);

}  // namespace dollop
