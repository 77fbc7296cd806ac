// Eigen-decomposition of a symmetric 3x3 matrix: cyclic Jacobi with a fixed number of sweeps, branch-free.
//
// A = Q diag(values) Q^T with Q a rotation (EIG.1); the order of the eigenvalues is not fixed. Error bounds,
// relative to the largest |A_ij| and for every finite input (tests/math/test_eigen3.simd.cpp): see
// docs/theory/math.md.
#pragma once

#include <limits>

#include "math/elementary.h"
#include "math/vec.h"

namespace dollop::inline DOLLOP_ISA {

template <class R>
struct Eigen3 {
  Vec3<R> values;
  Mat3<R> vectors;  // columns
};

// sweeps after which off-diagonal entries are below rounding, measured on millions of random and clustered matrices
template <class S>
inline constexpr int jacobi_sweeps = std::is_same_v<S, float> ? 4 : 5;

// one Jacobi rotation in the plane (p, q); r is the third axis
template <int p, int q, class R>
DOLLOP_INLINE void jacobi_rotate(R& a_pp, R& a_qq, R& a_pq, R& a_rp, R& a_rq, Mat3<R>& v) {
  using S = ScalarOf<R>;
  const R h = a_qq - a_pp, d = a_pq + a_pq;
  const R square = h * h + d * d + R(std::numeric_limits<S>::min() * S(4));  // guards 0/0
  const R root = square * rsqrt(square);
  const R t = d * reciprocal(h + copysign(root, h));  // tan of the angle, |t| <= 1                 (EIG.2)
  const R c = rsqrt(R(S(1)) + t * t), s = t * c;
  a_pp = a_pp - t * a_pq;
  a_qq = a_qq + t * a_pq;
  a_pq = R(S(0));
  const R rp = c * a_rp - s * a_rq;
  a_rq = s * a_rp + c * a_rq;
  a_rp = rp;
  for (int k = 0; k < 3; ++k) {
    const R vp = v(k, p), vq = v(k, q);
    v(k, p) = c * vp - s * vq;
    v(k, q) = s * vp + c * vq;
  }
}

template <class R>
DOLLOP_INLINE Eigen3<R> eigen(const SymMat3<R>& matrix) {
  using S = ScalarOf<R>;
  using Format = FloatFormat<S>;
  SymMat3<R> a = matrix;
  Eigen3<R> result{{}, Mat3<R>::identity()};

  // scale by a power of two to [1, 2), so that squares neither overflow nor vanish; exact, undone at the end
  R largest = max(max(max(abs(a.xx), abs(a.yy)), max(abs(a.zz), abs(a.xy))), max(abs(a.xz), abs(a.yz)));
  largest = max(largest, R(std::numeric_limits<S>::min()));
  const auto exponent = (to_bits(largest) >> Format::mantissa_bits) - Format::bias;
  const auto half = exponent >> 1;
  const R down1 = power_of_two<R>(-half), down2 = power_of_two<R>(half - exponent);
  a = down1 * (down2 * a);

#pragma GCC unroll 8
  for (int sweep = 0; sweep < jacobi_sweeps<S>; ++sweep) {
    jacobi_rotate<0, 1>(a.xx, a.yy, a.xy, a.xz, a.yz, result.vectors);
    jacobi_rotate<0, 2>(a.xx, a.zz, a.xz, a.xy, a.yz, result.vectors);
    jacobi_rotate<1, 2>(a.yy, a.zz, a.yz, a.xy, a.xz, result.vectors);
  }
  const R up1 = power_of_two<R>(half), up2 = power_of_two<R>(exponent - half);
  result.values = up1 * (up2 * Vec3<R>{a.xx, a.yy, a.zz});
  return result;
}

}  // namespace dollop::inline DOLLOP_ISA
