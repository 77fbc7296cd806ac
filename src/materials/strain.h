// The strain e = F F^T - 1 that the isotropic models store, and how a step changes it.
//
// Storing the difference from 1 keeps small strains to full relative precision: in float a strain of 1e-6
// still has seven digits, where F or F F^T would keep one. At rest every column of a state is zero.
#pragma once

#include <limits>
#include <type_traits>

#include "math/dual.h"
#include "math/elementary.h"
#include "math/vec.h"

namespace dollop::inline DOLLOP_ISA {

// a matrix without the derivatives of its entries
template <class R>
DOLLOP_INLINE auto values_of(const Mat3<R>& a) {
  return make_mat3<ValueOf<R>>([&](int i, int j) DOLLOP_INLINE_LAMBDA { return value_of(a(i, j)); });
}

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

// the least and the largest volume ratio that a state may have: beyond, products of strains would overflow or be rounding
template <class S>
inline constexpr S least_volume_ratio = std::is_same_v<S, float> ? S(1e-6) : S(1e-9);
template <class S>
inline constexpr S largest_volume_ratio = S(1e6);
// J - 1 within these
template <class R>
DOLLOP_INLINE R held_volume(const R& change) {
  using S = ScalarOf<R>;
  return max(min(change, R(largest_volume_ratio<S>)), R(least_volume_ratio<S> - S(1)));
}
// norm of dev b beyond which det b, a sum of products of three entries, has hardly a digit: epsilon^(-1/3) / 4  (HB.14)
template <class S>
inline constexpr S largest_deviator = std::is_same_v<S, float> ? S(50) : S(4e4);

// J^2 = det(1 + e), exact for large strains: in strong compression the sum above cancels
template <class R>
DOLLOP_INLINE R volume_ratio_squared(const SymMat3<R>& e) {
  using S = ScalarOf<R>;
  return max(det(e + SymMat3<R>::diagonal(R(S(1)))), R(least_volume_ratio<S> * least_volume_ratio<S>));
}

// The strain within what a number can hold: rounding leaves a small eigenvalue of 1 + e beside a large one no digit, or
// makes it negative, so it is kept from falling below the part `ratio` of their sum; and large ones are kept from
// overflow                                                                                              (KIN.5)
template <class R>
DOLLOP_INLINE SymMat3<R> held_strain(const SymMat3<R>& e,
                                     ScalarOf<R> ratio = ScalarOf<R>(16) *
                                                         std::numeric_limits<ScalarOf<R>>::epsilon()) {
  using S = ScalarOf<R>;
  using V = decltype(value_of(e.xx));
  const V one = V(S(1)), x = value_of(e.xx) + one, y = value_of(e.yy) + one, z = value_of(e.zz) + one;
  const V xy = value_of(e.xy), xz = value_of(e.xz), yz = value_of(e.yz);
  const V in_yz = y * z - yz * yz, minors = in_yz + (x * y - xy * xy) + (x * z - xz * xz);
  const V volume = x * in_yz - xy * (xy * z - yz * xz) + xz * (xy * yz - y * xz);
  const V total = x + y + z, least = V(ratio) * max(total, one);
  const auto thin = either(volume < least * minors, minors < least * total), vast = total > V(S(1e6));
  if (!any(either(thin, vast))) return e;
  const R grown = R(select(thin, least, V(S(0)))), shrunk = R(select(vast, V(S(1e6)) / total - one, V(S(0))));
  return scaled_strain(shrunk, e + SymMat3<R>::diagonal(grown));
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

// b - 1 in its principal axes, from the logarithms of its stretches
template <class R>
DOLLOP_INLINE SymMat3<R> squared_stretches(const Vec3<R>& eps) {
  const R zero = R(ScalarOf<R>(0));
  return {expm1(eps.x + eps.x), expm1(eps.y + eps.y), expm1(eps.z + eps.z), zero, zero, zero};
}

// det(1 + du) - 1, exact for small increments
template <class R>
DOLLOP_INLINE R volume_increment(const Mat3<R>& du) {
  const auto minor = [&](int i, int j)
                         DOLLOP_INLINE_LAMBDA { return du(i, i) * du(j, j) - du(i, j) * du(j, i); };
  return trace(du) + (minor(0, 1) + minor(0, 2) + minor(1, 2)) + det(du);
}

}  // namespace dollop::inline DOLLOP_ISA
