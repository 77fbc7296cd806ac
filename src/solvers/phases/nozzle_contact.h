// Nozzles push the material in front of them. Theory: docs/theory/seeding.md.
#pragma once

#include "solvers/phases/step_grid.h"

namespace dollop {

// The pistons of the nozzles that flow: colliders that fill the nozzle up to its front.                  (SEED.14)
std::vector<Collider> pistons(const std::vector<Nozzle>& nozzles, double time, double cell_size);

// Gives the nodes just behind the fronts of nozzles that flow the velocity of the flow, as a piston would: the emitted
// material pushes away the material in front, and nothing flows back.                               (SEED.14)
template <class S>
void drive_nozzles(const std::vector<Nozzle>& nozzles, double time, double dt, StepGrid<S>& grid);

}  // namespace dollop
