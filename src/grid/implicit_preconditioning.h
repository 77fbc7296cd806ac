// What the implicit loops do with stored tangents beside products: make them positive semidefinite, and sum the blocks
// that they leave on the diagonal of the system. Included by implicit.h.
#pragma once

#include "grid/row.h"
#include "materials/implicit_material.h"
#include "math/definite.h"
#include "math/spectral.h"
#include "math/vec.h"

namespace dollop::inline DOLLOP_ISA {

// the place of an entry (a, b) of a symmetric matrix among xx yy zz xy xz yz
inline constexpr int place_of_pair[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};

// The tangents of a chunk of particles, made positive semidefinite: c~ and tau are replaced by their positive parts, which
// is sufficient. Off-diagonal directions count twice in the products of symmetric matrices, hence the root.  (IMP.14)
template <class S>
DOLLOP_APART void make_tangents_definite(S* tangent) {
  using R = Pack<S>;
  const auto weight = [](int e) { return e < 3 ? 1.0 : 1.4142135623730951; };
  for (int l = 0; l < chunk_size; l += R::lanes) {
    S* at = tangent + l;
    const auto load = [&](int k) { return R::load(at + chunk_size * k); };
    Matrix6<R> c;
    for (int e = 0; e < 6; ++e)
      for (int k = 0; k < 6; ++k)
        c.at[e][k] = R(S(0.5)) * (R(S(weight(e) / weight(k))) * load(6 * k + e) +
                                  R(S(weight(k) / weight(e))) * load(6 * e + k));
    if (!all_definite(c)) {
      keep_positive_part(c);
      for (int e = 0; e < 6; ++e)
        for (int k = 0; k < 6; ++k)
          (R(S(weight(k) / weight(e))) * c.at[e][k]).store(at + chunk_size * (6 * k + e));
    }
    const int first = tangent_stress;
    const SymMat3<R> tau{load(first),     load(first + 1), load(first + 2),
                         load(first + 3), load(first + 4), load(first + 5)};
    const auto a = eigen(tau);
    const R zero = R(S(0)), least = min(a.values.x, min(a.values.y, a.values.z));
    if (!any(least < zero)) continue;
    const Vec3<R> kept{max(a.values.x, zero), max(a.values.y, zero), max(a.values.z, zero)};
    const SymMat3<R> positive = spectral(a, kept);
    const R parts[6] = {positive.xx, positive.yy, positive.zz, positive.xy, positive.xz, positive.yz};
    for (int e = 0; e < 6; ++e) parts[e].store(at + chunk_size * (first + e));
  }
}

// What the tangent of a particle contributes to the block of a node, as coefficients of the six products g_a g_b of the
// gradient of its weight: out[product][component]. Part 0 has the components xx yy zz, part 1 xy xz yz.     (IMP.13)
template <class S>
DOLLOP_INLINE void block_coefficients(const S* tangent, int part, S scale, S out[6][4]) {
  static constexpr int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  // the response of entry (c, a) to a gradient with the entry (d, b) alone
  const auto response = [&](int c, int a, int d, int b) {
    const S share = d == b ? S(1) : S(0.5);
    S r = share * tangent[chunk_size * (6 * place_of_pair[d][b] + place_of_pair[c][a])];
    if (c == d) r += tangent[chunk_size * (tangent_stress + place_of_pair[a][b])];
    return r;
  };
  for (int n = 0; n < 6; ++n) {
    const int a = pair[n][0], b = pair[n][1];
    for (int k = 0; k < 3; ++k) {
      const int c = pair[3 * part + k][0], d = pair[3 * part + k][1];
      out[n][k] = scale * (a == b ? response(c, a, d, a) : response(c, a, d, b) + response(c, b, d, a));
    }
    out[n][3] = S(0);
  }
}

// adds the blocks of one particle to the rows of a tile
template <int K, class S, class Stencil>
DOLLOP_INLINE void add_blocks(const Stencil& st, int p, const S coefficients[6][4], int slab_stride,
                              int row_stride, S* tile) {
  Row<S> m[6];
  for (int n = 0; n < 6; ++n) m[n] = Row<S>::repeat4(coefficients[n]);
  const Row<S> wz = Row<S>::spread4(st.wz[p]), gz = Row<S>::spread4(st.gz[p]);
  for (int i = 0; i < K; ++i)
    for (int j = 0; j < K; ++j) {
      const Row<S> x = (st.gx[i][p] * st.wy[j][p]) * wz, y = (st.wx[i][p] * st.gy[j][p]) * wz;
      const Row<S> z = (st.wx[i][p] * st.wy[j][p]) * gz;
      S* at = tile + st.key[p] + i * slab_stride + j * row_stride;
      Row<S> sum = Row<S>::load(at);
      sum = fma(m[0], x * x, sum), sum = fma(m[1], y * y, sum), sum = fma(m[2], z * z, sum);
      sum = fma(m[3], x * y, sum), sum = fma(m[4], x * z, sum), sum = fma(m[5], y * z, sum);
      sum.store(at);
    }
}

}  // namespace dollop::inline DOLLOP_ISA
