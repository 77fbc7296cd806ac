// Weak particles whose neighbourhood is a speck, a thread or a sheet: geometry below the cells' size that no
// longer acts as a solid body. Theory: docs/theory/foam.md.
#pragma once

#include <vector>

#include "particles/particle_store.h"

namespace dollop {

// When the particles of a group count as thin.
struct ThinRule {
  // thin if the least eigenvalue of the neighbourhood is at most this fraction of the largest; 0: never
  double ratio = 0;
  // thin as well if the largest eigenvalue is below this [cells^2]
  double size = 0;
  // array of the group that is not 0 for weak particles; others are never thin; -1: none is weak
  int weak = -1;
};

// Marks the thin particles among the weak ones; nothing is removed. For every weak particle p, over the
// particles q of every group within the cubic spline's support (p among them), with w = w_pq of the spline:
//   c = sum w m_q x_q / sum w m_q,   A = sum w^2 m_q^2 (x_q - c)(x_q - c)^T / sum w^2 m_q^2            (TEAR.7)
// with eigenvalues l0 <= l1 <= l2. It is thin if l0 <= ratio l2 or l2 < size.                          (TEAR.8)
// One rule a group; returns a mark for each particle of each group. Particles may have left their blocks by up to a
// cell. The result is the same at any thread count; blocks without weak particles cost nothing.
template <class S>
std::vector<std::vector<char>> thin_particles(const ParticleStore<S>& store,
                                              const std::vector<ThinRule>& rules);

}  // namespace dollop
