// The linear system of an implicit step, P (m + K) P z = -P R, by the Krylov solver that fits it. Theory:
// docs/theory/implicit.md.
#pragma once

#include "solvers/methods/implicit_system.h"

namespace dollop {

// Solves for the velocity change `mpm.change` at the tangents that are stored; `r` is the residual R. Symmetric systems are
// solved by conjugate gradients. If such a system turns out not to be positive definite, its tangents are replaced by their
// positive semidefinite parts, and it is solved again. Others are solved by GMRES. Returns the number of products.
//                                                                                                      (IMP.6, IMP.14)
template <class S>
int solve_linear(const KrylovOptions& options, const S* r, ImplicitSystem<S>& system, ImplicitMpm<S>& mpm);

// Iterations of GMRES at most: each keeps a field.
inline constexpr int most_gmres_iterations = 100;

}  // namespace dollop
