// The closed list of time integration methods. To add a method, write its files and add its name here, as
// docs/adding-a-solver.md shows.
#pragma once

#include <variant>

#include "solvers/methods/admm_mpm.h"
#include "solvers/methods/explicit_mpm.h"
#include "solvers/methods/newton_mpm.h"
#include "solvers/methods/optimisation_mpm.h"
#include "solvers/methods/semi_implicit_mpm.h"
#include "solvers/methods/subcycled_mpm.h"

namespace dollop {

template <class S>
using Method = std::variant<ExplicitMpm<S>, NewtonMpm<S>, SemiImplicitMpm<S>, OptimisationMpm<S>,
                            SubcycledMpm<S>, AdmmMpm<S>>;

}  // namespace dollop
