#include "solvers/methods/node_preconditioner.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "linear/vectors.h"
#include "particles/block_layout.h"

namespace dollop {
namespace {

constexpr std::size_t grain = 4096;  // numbers that a task takes

}  // namespace

template <class S>
void NodePreconditioner<S>::apply(const S* x, S* y, std::size_t nodes) const {
  if (kind != Preconditioning::blocks) {
    const S* s = scale.data();
    if (kind == Preconditioning::jacobi)
      for_numbers(node_reals * nodes, [=](std::size_t i) { y[i] = s[i] * x[i]; });
    else
      for_numbers(node_reals * nodes, [=](std::size_t i) { y[i] = s[i] > S(0) ? x[i] : S(0); });
    return;
  }
  parallel_ranges(nodes, grain / node_reals, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = node_reals * begin; i < node_reals * end; i += node_reals) {
      const S *d = diagonal.data() + i, *o = off_diagonal.data() + i;
      const S a = x[i], b = x[i + 1], c = x[i + 2];
      y[i] = d[0] * a, y[i + 1] = o[0] * a + d[1] * b, y[i + 2] = o[1] * a + o[2] * b + d[2] * c;
      y[i + 3] = S(0);
    }
  });
}

template <class S>
void NodePreconditioner<S>::apply_transposed(const S* x, S* y, std::size_t nodes) const {
  if (kind != Preconditioning::blocks) return apply(x, y, nodes);
  parallel_ranges(nodes, grain / node_reals, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = node_reals * begin; i < node_reals * end; i += node_reals) {
      const S *d = diagonal.data() + i, *o = off_diagonal.data() + i;
      const S a = x[i], b = x[i + 1], c = x[i + 2];
      y[i] = d[0] * a + o[0] * b + o[1] * c, y[i + 1] = d[1] * b + o[2] * c, y[i + 2] = d[2] * c;
      y[i + 3] = S(0);
    }
  });
}

// Cholesky's method; a pivot below the mass, which an indefinite tangent can leave, is replaced by the mass.
template <class S>
void NodePreconditioner<S>::factorise(const S* node, std::size_t nodes) {
  parallel_ranges(nodes, grain / node_reals, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = node_reals * begin; i < node_reals * end; i += node_reals) {
      S *d = diagonal.data() + i, *o = off_diagonal.data() + i;
      const S mass = node[i + 3];
      if (!(mass > S(0))) {
        for (std::size_t k = 0; k < node_reals; ++k) d[k] = o[k] = S(0);
        continue;
      }
      const S l00 = std::sqrt(std::max(mass + d[0], mass)), l10 = o[0] / l00, l20 = o[1] / l00;
      const S l11 = std::sqrt(std::max(mass + d[1] - l10 * l10, mass)), l21 = (o[2] - l20 * l10) / l11;
      const S l22 = std::sqrt(std::max(mass + d[2] - l20 * l20 - l21 * l21, mass));
      d[0] = 1 / l00, d[1] = 1 / l11, d[2] = 1 / l22, d[3] = S(0);
      o[0] = -l10 * d[0] * d[1], o[2] = -l21 * d[1] * d[2], o[1] = -(l20 * d[0] + l21 * o[0]) * d[2];
      o[3] = S(0);
    }
  });
}

template struct NodePreconditioner<float>;
template struct NodePreconditioner<double>;

}  // namespace dollop
