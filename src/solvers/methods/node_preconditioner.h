// The preconditioner of implicit steps, between the system and the Krylov solvers: an approximation L L^T of the system
// by nodes. The solvers see L^-1 A L^-T. Theory: docs/theory/implicit.md.
#pragma once

#include <cstddef>

#include "core/aligned_array.h"

namespace dollop {

enum class Preconditioning { jacobi, blocks, none };

// the help text of the setting that chooses it
inline constexpr const char* preconditioner_help =
    "what the linear solver is scaled by: the diagonal of the system (jacobi), its 3x3 blocks at the nodes "
    "(blocks), which "
    "cost more to make and save few iterations, or nothing (none), for comparisons";
// fields that it keeps beside the diagonal
inline double extra_fields(double setting) { return setting == double(Preconditioning::blocks) ? 2 : 0; }

// Fields hold four numbers per node; nodes without mass have zero factors.
template <class S>
struct NodePreconditioner {
  Preconditioning kind = Preconditioning::jacobi;
  AlignedArray<S> scale;  // 1/sqrt of the diagonal                                       (IMP.9)
  AlignedArray<S> diagonal,
      off_diagonal;  // of L^-1 of each block: 00 11 22, and 10 20 21             (IMP.13)

  // y = L^-1 x, from forces to scaled ones
  void apply(const S* x, S* y, std::size_t nodes) const;
  // y = L^-T x, from unknowns to velocities
  void apply_transposed(const S* x, S* y, std::size_t nodes) const;
  // Turns blocks xx yy zz and xy xz yz, without mass, into factors. `node` has the mass of each node as its fourth number.
  void factorise(const S* node, std::size_t nodes);
  std::size_t bytes() const { return scale.bytes() + diagonal.bytes() + off_diagonal.bytes(); }
};

}  // namespace dollop
