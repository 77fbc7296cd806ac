// Particles that share their nodes with no others, and reports on the particles of a run.
// Included by transfers.h, once for each instruction set.
#pragma once

#include "grid/kernels.h"
#include "grid/row.h"
#include "math/bspline.h"

namespace dollop::inline DOLLOP_ISA {

// The velocity transfer, as far as the loops differ.
enum class Carry { plain, flip, affine, fading };
// particles carry an affine velocity
constexpr bool is_affine(Carry c) { return c == Carry::affine || c == Carry::fading; }
// particles keep a part of their own velocity: nodes have a velocity before forces, and impulses are scattered apart
constexpr bool keeps_own(Carry c) { return c == Carry::flip || c == Carry::fading; }

// Extremes over particles, lane by lane; as in TileReport.
template <class S>
struct LaneReport {
  using R = Pack<S>;
  R speed{S(0)}, travel{S(0)}, norm{S(0)}, det{S(1)}, poison{S(0)}, margin{S(0)};

  TileReport<S> total() const {
    S most_speed = 0, most_travel = 0, most_norm = 0, least_det = 1, most_margin = 0, any_poison = 0;
    for (int k = 0; k < R::lanes; ++k) {
      most_speed = max(most_speed, speed[k]);
      most_travel = max(most_travel, travel[k]);
      most_norm = max(most_norm, norm[k]);
      least_det = min(least_det, det[k]);
      most_margin = max(most_margin, margin[k]);
      any_poison += poison[k];
    }
    return {most_speed, sqrt(most_travel),  sqrt(most_norm),
            least_det,  any_poison == S(0), most_margin > S(0)};
  }
};

// Between which cells each particle of a chunk may be without having to be sorted again.
template <class S>
struct Margins {
  static constexpr int margin = 1;
  alignas(64) S low[3][chunk_size], high[3][chunk_size];
  void set(int p, const OccupiedCells& cells) {
    for (std::size_t d = 0; d < 3; ++d) {
      low[d][p] = S(cells.low[d] - margin);
      high[d][p] = S(cells.high[d] + 1 + margin);
    }
  }
};

// sum of w'^2 / w over the nodes of a stencil along an axis; nodes of no more than the least weight are empty
template <int K, class R>
DOLLOP_INLINE R sum_of_slopes(const R& x, const R& least) {
  using S = ScalarOf<R>;
  const R zero = R(S(0)), one = R(S(1)), f = x - floor(x - R(S(BSpline<K>::offset)));
  R w[4], d[4], sum = zero;
  BSpline<K>::weights(f, w);
  BSpline<K>::derivatives(f, d);
  for (int k = 0; k < K; ++k) {
    const auto empty = w[k] <= least;
    sum += select(empty, zero, d[k] * d[k] / select(empty, one, w[k]));
  }
  return sum;
}

// The sums that a lone particle gathers from its nodes, in closed form: velocity in q, with the moments if these are
// wanted; the gradient in q if there are no moments, else, unless it is that of the moments, in t. With the fading transfer
// q is of v - r v^old, and t of v. `tau` is the stress of the chunk.                                      (MPM.12)
template <class S, int K, Carry C, bool moments, bool mls>
DOLLOP_INLINE void lone_sums(const TransferArgs<S>& a, const GroupView<S>& g, std::size_t i, const S* tau,
                             Row<S>* q, [[maybe_unused]] Row<S>* t) {
  using R = Pack<S>;
  static constexpr bool affine = is_affine(C), flip = C == Carry::flip, fading = C == Carry::fading;
  static constexpr int packed[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
  for (int s = 0; s < Row<S>::parts; ++s) {
    const int first = s * R::lanes;
    const std::size_t l = i + std::size_t(first);
    const R m = R::load(g.mass + l);
    const R force = R(-a.dt / a.cell_size) * R::load(g.volume + l) / m;
    const R lost = R(fading ? S(1) - a.residual_kept : S(1));  // of its own velocity, it gathers this
    R slopes[3];
    for (int d = 0; d < 3; ++d) {
      const R x = R::load(g.x[d] + l), v = R::load(g.v[d] + l);
      const R spoilt = (x - x) + (m - m);  // not a number if place or mass is none, else zero
      const R after = v + R(a.dt * a.gravity[d]) + spoilt, change = after - R(a.residual_kept) * v;
      q[d].part[s] = fading ? change : after;
      q[3 + 4 * d].part[s] = flip ? change : R(S(0));
      if constexpr (fading) t[d].part[s] = after;
      if constexpr (!mls) slopes[d] = sum_of_slopes<K>(x, R(a.mass_floor) / m);
    }
    const R inertia = R(S(1 / BSpline<K>::inverse_inertia));
    for (int row = 0; row < 3; ++row)
      for (int col = 0; col < 3; ++col) {
        const R stress = force * R::load(tau + chunk_size * packed[row][col] + first);
        const R turn = affine ? R(a.cell_size) * R::load(g.c[3 * row + col] + l) : R(S(0));
        const int k = 4 + 4 * col + row;
        if constexpr (moments) q[k].part[s] = fma(inertia, lost * turn, stress);
        if constexpr (!mls) (moments ? t : q)[k].part[s] = fma(slopes[col], stress, turn);
        if constexpr (mls && fading) t[k].part[s] = fma(inertia, turn, stress);
      }
  }
}

}  // namespace dollop::inline DOLLOP_ISA
