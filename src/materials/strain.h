// The strain e = F F^T - 1 that the isotropic models store, and how a step changes it.
//
// Storing the difference from 1 keeps small strains to full relative precision: in float a strain of 1e-6
// still has seven digits, where F or F F^T would keep one. At rest every column of a state is zero.
#pragma once

#include "math/dual.h"
#include "math/elementary.h"
#include "math/vec.h"

namespace dollop::inline DOLLOP_ISA {

// (1 + du)(1 + e)(1 + du)^T - 1 without forming 1 + anything (KIN.2)
template <class R>
DOLLOP_INLINE SymMat3<R> advance_strain(const Mat3<R>& du, const SymMat3<R>& e) {
  const Mat3<R> m = du + du * to_mat3(e);
  const auto entry = [&](int i, int j) DOLLOP_INLINE_LAMBDA {
    return e(i, j) + (m(i, j) + m(j, i) + (m(i, 0) * du(j, 0) + m(i, 1) * du(j, 1) + m(i, 2) * du(j, 2)));
  };
  return {entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)};
}

// det(1 + e) - 1, exact for small strains                                                           (KIN.3)
template <class R>
DOLLOP_INLINE R volume_change_squared(const SymMat3<R>& e) {
  return trace(e) + second_invariant(e) + det(e);
}

// J^2 = det(1 + e), exact for large strains: in strong compression the sum above cancels
template <class R>
DOLLOP_INLINE R volume_ratio_squared(const SymMat3<R>& e) {
  return det(e + SymMat3<R>::diagonal(R(ScalarOf<R>(1))));
}

// ln J                                                                                              (KIN.3)
template <class R>
DOLLOP_INLINE R log_volume_ratio(const SymMat3<R>& e) {
  using S = ScalarOf<R>;
  const R change = volume_change_squared(e);
  return R(S(0.5)) * select(change > R(S(-0.5)), log1p(change), log(volume_ratio_squared(e)));
}

// J                                                                                                 (KIN.3)
template <class R>
DOLLOP_INLINE R volume_ratio(const SymMat3<R>& e) {
  using S = ScalarOf<R>;
  const R change = volume_change_squared(e);
  return sqrt(select(change > R(S(-0.5)), R(S(1)) + change, volume_ratio_squared(e)));
}

// x (1 + e) - 1, from x - 1
template <class R>
DOLLOP_INLINE SymMat3<R> scaled_strain(const R& change, const SymMat3<R>& e) {
  return e + SymMat3<R>::diagonal(change) + change * e;
}

// the same shape with det(1 + e) = J^2                                                              (KIN.4)
template <class R>
DOLLOP_INLINE SymMat3<R> with_log_volume(const R& log_j, const SymMat3<R>& e) {
  return scaled_strain(expm1(R(ScalarOf<R>(2.0 / 3.0)) * (log_j - log_volume_ratio(e))), e);
}

// det(1 + du) - 1, exact for small increments
template <class R>
DOLLOP_INLINE R volume_increment(const Mat3<R>& du) {
  const auto minor = [&](int i, int j)
                         DOLLOP_INLINE_LAMBDA { return du(i, i) * du(j, j) - du(i, j) * du(j, i); };
  return trace(du) + (minor(0, 1) + minor(0, 2) + minor(1, 2)) + det(du);
}

}  // namespace dollop::inline DOLLOP_ISA
