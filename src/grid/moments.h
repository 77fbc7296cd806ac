// Moments of a chunk of particles: sums about node 1 of the stencil, and affine fields from their gradient.
#pragma once

#include "grid/stencil.h"

namespace dollop::inline DOLLOP_ISA {

// moments about node 1 of the stencil become moments about the particle
template <class S, class Tile, Weights W>
DOLLOP_INLINE void center(const Stencil<S, Tile, W>& st, Row<S>* q) {
  using R = Pack<S>;
  for (int s = 0; s < Row<S>::parts; ++s)
    for (int d = 0; d < 3; ++d) {
      const R from_node = -R::load(st.u[d] + s * R::lanes);
      for (int c = 0; c < 3; ++c) {
        R& moment = q[4 + 4 * d + c].part[s];
        moment = fma(from_node, q[c].part[s], moment);
      }
    }
}

// Makes the increments of `a` an affine field that vanishes at the particles: adds its value at the first node.
template <class S, class Tile, Weights W>
DOLLOP_INLINE void start_at_first_node(const Stencil<S, Tile, W>& st, Row<S>* a) {
  using R = Pack<S>;
  for (int s = 0; s < Row<S>::parts; ++s)
    for (int d = 0; d < 3; ++d) {
      const R to_first = R(S(-1)) - R::load(st.u[d] + s * R::lanes);  // from the particle to the first node
      for (int c = 0; c < 3; ++c) a[c].part[s] = fma(to_first, a[4 + 4 * d + c].part[s], a[c].part[s]);
    }
}

}  // namespace dollop::inline DOLLOP_ISA
