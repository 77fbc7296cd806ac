// A slow, precise reference for 3x3 matrices: long double for float, __float128 for double.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "math/vec.h"

namespace dollop::inline DOLLOP_ISA {

// Wide<S> has at least 40 bits more precision than S, and holds squares of any S without overflow or underflow
template <class S>
using Wide = std::conditional_t<std::is_same_v<S, float>, long double, __float128>;

template <class W>
W wide_abs(W a) {
  return a < 0 ? -a : a;
}
template <class W>
W wide_max(W a, W b) {  // NaN if one is
  return a > b || a != a ? a : b;
}

// the root of long double, then Newton steps up to the precision of W
template <class W>
W wide_sqrt(W a) {
  if (!(a > 0)) return 0;
  W r = W(std::sqrt((long double)(a)));
  for (int i = 0; i < 2; ++i) r = (r + a / r) / 2;
  return r;
}

template <class W>
struct WideMat3 {
  W m[3][3];
};

template <class W, class S>
WideMat3<W> widen(const Mat3<S>& a) {
  WideMat3<W> r;
  for (int i = 0; i < 9; ++i) r.m[i / 3][i % 3] = W(a(i / 3, i % 3));
  return r;
}
template <class W>
WideMat3<W> wide_transpose(const WideMat3<W>& a) {
  WideMat3<W> r;
  for (int i = 0; i < 9; ++i) r.m[i / 3][i % 3] = a.m[i % 3][i / 3];
  return r;
}
template <class W>
WideMat3<W> wide_product(const WideMat3<W>& a, const WideMat3<W>& b) {
  WideMat3<W> r;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      r.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
  return r;
}
template <class W>
WideMat3<W> wide_diagonal(W a, W b, W c) {
  return {{{a, 0, 0}, {0, b, 0}, {0, 0, c}}};
}
template <class W>
W wide_largest(const WideMat3<W>& a) {
  W r = 0;
  for (int i = 0; i < 9; ++i) r = wide_max(r, wide_abs(a.m[i / 3][i % 3]));
  return r;
}
template <class W>
W wide_distance(const WideMat3<W>& a, const WideMat3<W>& b) {
  W r = 0;
  for (int i = 0; i < 9; ++i) r = wide_max(r, wide_abs(a.m[i / 3][i % 3] - b.m[i / 3][i % 3]));
  return r;
}
template <class W>
W wide_det(const WideMat3<W>& a) {
  const auto& m = a.m;
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
         m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}
// largest |Q^T Q - 1|
template <class W>
W wide_orthogonality(const WideMat3<W>& q) {
  return wide_distance(wide_product(wide_transpose(q), q), wide_diagonal<W>(1, 1, 1));
}

// ascending
template <class W>
void wide_sort(W (&a)[3]) {
  for (int pass = 0; pass < 2; ++pass)
    for (int i = 0; i < 2; ++i)
      if (a[i] > a[i + 1]) {
        const W t = a[i];
        a[i] = a[i + 1];
        a[i + 1] = t;
      }
}

template <class W>
struct WideEigen {
  W values[3];
  WideMat3<W> vectors;
};

// classical Jacobi: zeroes the largest off-diagonal entry until all are exactly zero or negligible
template <class W>
WideEigen<W> wide_eigen(WideMat3<W> a) {
  WideEigen<W> r{{0, 0, 0}, wide_diagonal<W>(1, 1, 1)};
  const W negligible = wide_largest(a) * (std::is_same_v<W, long double> ? W(1e-21L) : W(1e-36L));
  for (int step = 0; step < 60; ++step) {
    int p = 0, q = 1;
    if (wide_abs(a.m[0][2]) > wide_abs(a.m[p][q])) p = 0, q = 2;
    if (wide_abs(a.m[1][2]) > wide_abs(a.m[p][q])) p = 1, q = 2;
    if (wide_abs(a.m[p][q]) <= negligible) break;
    const W theta = (a.m[q][q] - a.m[p][p]) / (2 * a.m[p][q]);
    const W root = wide_abs(theta) > W(1e18L) ? wide_abs(theta) : wide_sqrt(1 + theta * theta);
    const W t = (theta < 0 ? -1 : 1) / (wide_abs(theta) + root), c = 1 / wide_sqrt(1 + t * t), s = t * c;
    WideMat3<W> g = wide_diagonal<W>(1, 1, 1);
    g.m[p][p] = g.m[q][q] = c;
    g.m[p][q] = s;
    g.m[q][p] = -s;
    a = wide_product(wide_transpose(g), wide_product(a, g));
    a.m[p][q] = a.m[q][p] = 0;
    r.vectors = wide_product(r.vectors, g);
  }
  for (int i = 0; i < 3; ++i) r.values[i] = a.m[i][i];
  return r;
}

// Q diag(f(values)) Q^T
template <class W, class F>
WideMat3<W> wide_spectral(const WideEigen<W>& a, F&& f) {
  const WideMat3<W> d = wide_diagonal<W>(f(a.values[0]), f(a.values[1]), f(a.values[2]));
  return wide_product(a.vectors, wide_product(d, wide_transpose(a.vectors)));
}

}  // namespace dollop::inline DOLLOP_ISA
