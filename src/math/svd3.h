// Singular value decomposition of a 3x3 matrix and the polar decomposition, branch-free.
//
// F = U diag(sigma) V^T with rotations U and V, |sigma| in descending order; only the last sigma may be
// negative, and is where det F < 0. Errors are relative to the largest |F_ij|, for every finite input and for
// singular ones too (tests/math/test_svd3.simd.cpp): see docs/theory/math.md.                        (SVD.1)
#pragma once

#include "math/eigen3.h"

namespace dollop::inline DOLLOP_ISA {

template <class R>
struct Svd3 {
  Mat3<R> u;
  Vec3<R> sigma;
  Mat3<R> v;
};

// puts the longer of the columns p and q first; the sign flip keeps the determinants
template <int p, int q, class R>
DOLLOP_INLINE void order_columns(Mat3<R>& b, Mat3<R>& v, Vec3<R>& length) {
  const auto swap = length[p] < length[q];
  const R l_p = length[p];
  length[p] = select(swap, length[q], l_p);
  length[q] = select(swap, l_p, length[q]);
  for (int i = 0; i < 3; ++i) {
    const R b_p = b(i, p), v_p = v(i, p);
    b(i, p) = select(swap, b(i, q), b_p);
    b(i, q) = select(swap, -b_p, b(i, q));
    v(i, p) = select(swap, v(i, q), v_p);
    v(i, q) = select(swap, -v_p, v(i, q));
  }
}

// rotates the rows p and q of b so that b(q, p) vanishes and b(p, p) >= 0; u b stays the same        (SVD.3)
template <int p, int q, class R>
DOLLOP_INLINE void givens_rotate(Mat3<R>& b, Mat3<R>& u) {
  using S = ScalarOf<R>;
  const R x = b(p, p), y = b(q, p);
  const R square = x * x + y * y;
  const auto tiny =
      square < R(std::numeric_limits<S>::min() / std::numeric_limits<S>::epsilon());  // below rounding
  const R inverse = rsqrt(select(tiny, R(S(1)), square));
  const R c = select(tiny, R(S(1)), x * inverse), s = y * inverse;
  for (int j = p; j < 3; ++j) {
    const R b_p = b(p, j), b_q = b(q, j);
    b(p, j) = c * b_p + s * b_q;
    b(q, j) = c * b_q - s * b_p;
  }
  for (int i = 0; i < 3; ++i) {
    const R u_p = u(i, p), u_q = u(i, q);
    u(i, p) = c * u_p + s * u_q;
    u(i, q) = c * u_q - s * u_p;
  }
}

// makes the columns 1 and 2 of b orthogonal, rows 1 and 2 alone, by a rotation from the right that v shares
template <class R>
DOLLOP_INLINE void orthogonalise_tail(Mat3<R>& b, Mat3<R>& v) {
  const R pp = b(1, 1) * b(1, 1) + b(2, 1) * b(2, 1), qq = b(1, 2) * b(1, 2) + b(2, 2) * b(2, 2);
  const R pq = b(1, 1) * b(1, 2) + b(2, 1) * b(2, 2);
  const auto rotate = [&](Mat3<R>& m) {
    R a_pp = pp, a_qq = qq, a_pq = pq, unused_p = pq, unused_q = pq;
    jacobi_rotate<1, 2>(a_pp, a_qq, a_pq, unused_p, unused_q, m);
  };
  rotate(b);
  rotate(v);
}

template <class R>
DOLLOP_INLINE Svd3<R> svd(const Mat3<R>& matrix) {
  using S = ScalarOf<R>;
  using Format = FloatFormat<S>;

  // scale by a power of two to [1, 2); exact, undone at the end
  R largest = R(std::numeric_limits<S>::min());
  for (int i = 0; i < 9; ++i) largest = max(largest, abs(matrix(i / 3, i % 3)));
  const auto exponent = (to_bits(largest) >> Format::mantissa_bits) - Format::bias;
  const auto half = exponent >> 1;
  const R down1 = power_of_two<R>(-half), down2 = power_of_two<R>(half - exponent);
  const Mat3<R> f = down1 * (down2 * matrix);

  // V from the eigenvectors of F^T F, longest column of F V first                                     (SVD.2)
  const auto column_dot = [&](int i, int j) {
    return f(0, i) * f(0, j) + f(1, i) * f(1, j) + f(2, i) * f(2, j);
  };
  Mat3<R> v = eigen(SymMat3<R>{column_dot(0, 0), column_dot(1, 1), column_dot(2, 2), column_dot(0, 1),
                               column_dot(0, 2), column_dot(1, 2)})
                  .vectors;
  Mat3<R> b = f * v, u = Mat3<R>::identity();
  const auto length = [&](int j, int i0) {
    R s = b(2, j) * b(2, j);
    for (int i = i0; i < 2; ++i) s = s + b(i, j) * b(i, j);
    return s;
  };
  Vec3<R> lengths{length(0, 0), length(1, 0), length(2, 0)};
  order_columns<0, 1>(b, v, lengths);
  order_columns<0, 2>(b, v, lengths);
  order_columns<1, 2>(b, v, lengths);

  // U and sigma by Givens rotations; small singular values are lost to rounding in F^T F, so the last two columns
  // are made orthogonal again once the first one is split off
  givens_rotate<0, 1>(b, u);
  givens_rotate<0, 2>(b, u);
  orthogonalise_tail(b, v);
  lengths = {lengths.x, length(1, 1), length(2, 1)};
  order_columns<1, 2>(b, v, lengths);
  givens_rotate<1, 2>(b, u);

  // rounding may leave equal values out of order
  const R s2 = max(b(1, 1), abs(b(2, 2))), s1 = max(b(0, 0), s2);
  const R up1 = power_of_two<R>(half), up2 = power_of_two<R>(exponent - half);
  return {u, up1 * (up2 * Vec3<R>{s1, s2, b(2, 2)}), v};
}

// F = R S, R a rotation, S symmetric: positive semi-definite unless det F < 0                        (SVD.4)
template <class R>
struct Polar3 {
  Mat3<R> rotation;
  SymMat3<R> stretch;
};

template <class R>
DOLLOP_INLINE Polar3<R> polar(const Mat3<R>& matrix) {
  const Svd3<R> a = svd(matrix);
  return {a.u * transpose(a.v), assemble(a.v, a.sigma)};
}

}  // namespace dollop::inline DOLLOP_ISA
