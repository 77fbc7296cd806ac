// The loops of each model: declared here, compiled in one unit for each model and precision.
#pragma once

#include "core/isa.h"
#include "materials/admm_material.h"
#include "materials/implicit_material.h"
#include "materials/material_kernels.h"

namespace dollop::inline DOLLOP_ISA {

// null for the tearing of a model that cannot tear, and for a potential that it does not have
template <class Model, class S>
const MaterialKernels<S>* material_loops(bool tears);
template <class Model, class S>
const ImplicitMaterial<S>* implicit_loops(bool tears, StepForces forces);
// null for a model without branches too
template <class Model, class S>
const AdmmMaterial<S>* admm_loops(bool tears);

}  // namespace dollop::inline DOLLOP_ISA
