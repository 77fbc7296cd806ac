// The time step that the stiffness of the materials allows. Theory: docs/theory/time_step.md.
#pragma once

#include <dollop/scene.h>

#include "solvers/setup/setup.h"

namespace dollop {

// The longest step that the stiffness of the material in a simulation allows, with the safety factor; infinite if there
// is no material and no nozzle will emit any [s].
template <class S>
double elastic_dt(const Setup<S>& setup, const State<S>& state);

// the same for the materials that a scene uses, before anything is set up
double elastic_dt(const Scene& scene);

}  // namespace dollop
