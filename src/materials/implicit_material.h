// The interface of the models to implicit solvers: the stress of a trial state, and its tangent.
// Theory: docs/theory/implicit.md.
//
// Shared by code of every instruction set, so plain structs and pointers only.
#pragma once

#include <cstddef>

#include "materials/material_kernels.h"

namespace dollop {

// The tangent of a particle: 36 numbers c~, by direction of the symmetric strain increment; 6 of the Kirchhoff stress
// tau; 9 of f^-1, where f = 1 + dt grad v. Chunks of particles hold one quantity after the other.          (IMP.4)
inline constexpr int tangent_stress = 36, tangent_inverse = 42, tangent_reals = 51;

// Nothing is written to the columns. `du` holds dt grad v: du[9][chunk_size].
template <class S>
struct ImplicitMaterial {
  // tau f^-T of the state after a step: force[9][chunk_size]                                              (IMP.2)
  void (*trial)(const void* step_law, const S* du, S* const* state, std::size_t i, S* force);
  // tangent[tangent_reals][chunk_size]
  void (*linearise)(const void* step_law, const S* du, S* const* state, std::size_t i, S* tangent);
  // The potential that the forces derive from, per volume at rest: density[chunk_size], infinite where it is not
  // defined. Null: these forces have none.                                                              (IMP.11)
  void (*potential)(const void* step_law, const S* du, S* const* state, std::size_t i, S* density);
  // both, for little more than the first alone
  void (*trial_and_potential)(const void* step_law, const S* du, S* const* state, std::size_t i, S* force,
                              S* density);
};

// which stress the forces of an implicit step come from
enum class StepForces {
  of_state,     // that of the state after the step
  of_potential  // that which derives from the potential of the step
};

}  // namespace dollop
