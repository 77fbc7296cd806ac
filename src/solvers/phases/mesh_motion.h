// Surface meshes of bodies follow the material. Theory: docs/theory/embedded_meshes.md.
#pragma once

#include "solvers/phases/step_grid.h"

namespace dollop {

// Moves the points of the surface meshes with `moving`, the velocity of the nodes that moves the particles. The particles do
// not notice. Call it before particles are sorted again.                                               (EMB.1-4, EMB.8)
template <class S>
void carry_meshes(const Setup<S>& setup, const AlignedArray<S>& moving, const StepGrid<S>& grid, double dt,
                  State<S>& state);

}  // namespace dollop
