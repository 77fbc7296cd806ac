// The positive semidefinite part of a symmetric 6x6 matrix, for many matrices at a time: one in each lane of a pack.
// Theory: docs/theory/math.md.
#pragma once

#include <type_traits>

#include "math/elementary.h"

namespace dollop::inline DOLLOP_ISA {

template <class R>
struct Matrix6 {
  R at[6][6];
};

// Whether all lanes are positive definite: the pivots of their factors L D L^T are positive.           (DEF.1)
template <class R>
DOLLOP_APART bool all_definite(const Matrix6<R>& a) {
  using S = ScalarOf<R>;
  R l[6][6], pivot[6];
  for (int j = 0; j < 6; ++j) {
    R d = a.at[j][j];
    for (int k = 0; k < j; ++k) d = d - l[j][k] * l[j][k] * pivot[k];
    if (any(d <= R(S(0)))) return false;
    pivot[j] = d;
    const R scale = R(S(1)) / d;
    for (int i = j + 1; i < 6; ++i) {
      R sum = a.at[i][j];
      for (int k = 0; k < j; ++k) sum = sum - l[i][k] * l[j][k] * pivot[k];
      l[i][j] = sum * scale;
    }
  }
  return true;
}

// Replaces negative eigenvalues by zero, by so many sweeps of Jacobi's rotations that their errors are rounding    (DEF.2)
template <class R>
DOLLOP_APART void keep_positive_part(Matrix6<R>& a) {
  using S = ScalarOf<R>;
  const R zero = R(S(0)), one = R(S(1));
  Matrix6<R> v;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) v.at[i][j] = i == j ? one : zero;
  constexpr int sweeps = std::is_same_v<S, float> ? 7 : 10;
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (int p = 0; p < 5; ++p)
      for (int q = p + 1; q < 6; ++q) {
        const R off = a.at[p][q];
        const auto done = abs(off) <= R(S(1e-30));
        const R theta = R(S(0.5)) * (a.at[q][q] - a.at[p][p]) / select(done, one, off);
        const R t = copysign(one, theta) / (abs(theta) + sqrt(theta * theta + one));
        const R tangent = select(done, zero, t), c = one / sqrt(tangent * tangent + one), s = tangent * c;
        for (int k = 0; k < 6; ++k) {
          const R x = a.at[k][p], y = a.at[k][q];
          a.at[k][p] = c * x - s * y, a.at[k][q] = s * x + c * y;
        }
        for (int k = 0; k < 6; ++k) {
          const R x = a.at[p][k], y = a.at[q][k];
          a.at[p][k] = c * x - s * y, a.at[q][k] = s * x + c * y;
        }
        for (int k = 0; k < 6; ++k) {
          const R x = v.at[k][p], y = v.at[k][q];
          v.at[k][p] = c * x - s * y, v.at[k][q] = s * x + c * y;
        }
      }
  R kept[6];
  for (int k = 0; k < 6; ++k) kept[k] = max(a.at[k][k], zero);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j <= i; ++j) {
      R sum = zero;
      for (int k = 0; k < 6; ++k) sum = sum + kept[k] * v.at[i][k] * v.at[j][k];
      a.at[i][j] = a.at[j][i] = sum;
    }
}

}  // namespace dollop::inline DOLLOP_ISA
