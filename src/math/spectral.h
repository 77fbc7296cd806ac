// Isotropic tensor functions: y(A) = Q diag(y(lambda)) Q^T on plain numbers, packs and dual numbers of either.
//
// User code reads `const auto a = eigen(A); ... y from a.values ...; spectral(a, y)` on every scalar type.
#pragma once

#include "math/dual.h"
#include "math/eigen3.h"

namespace dollop::inline DOLLOP_ISA {

// The eigenvalues carry derivatives, the vectors do not: they enter through the off-diagonals of Q^T dA Q.
//
// Equal eigenvalues would make (SPEC.2) 0/0. Each pair closer than a tiny gap is spread to that gap, about
// its mean, before y is computed (SPEC.3); `spectral` moves y back along the same secant (SPEC.4), so that the
// error of values is of the order of the gap squared, that of derivatives of the order of the gap. y must be
// isotropic: y_i = y_j where lambda_i = lambda_j.
template <class S, int N>
struct Eigen3<Dual<S, N>> {
  Vec3<Dual<S, N>> values;
  Mat3<S> vectors;      // columns
  Vec3<S> spread;       // by how much lambda_j - lambda_i was widened, pairs 01, 02, 12
  Vec3<S> coupling[N];  // (Q^T dA Q)_ij for each direction, pairs 01, 02, 12
};

// Smallest gap, relative to the scale of lambda: balances the curvature of y against cancellation in y_i - y_j.
template <Plain S>
inline constexpr S spectral_gap = std::is_same_v<S, float> ? S(3e-4) : S(2e-8);

// the two indices of a pair 01, 02, 12
inline constexpr int pair_of[3][2] = {{0, 1}, {0, 2}, {1, 2}};

// widens gaps below the smallest; returns by how much, signed as lambda_j - lambda_i                 (SPEC.3)
template <class R>
DOLLOP_INLINE Vec3<R> spread_apart(const R& scale, Vec3<R>& lambda) {
  using S = ScalarOf<R>;
  const R zero = R(S(0)), half = R(S(0.5));
  const Vec3<R> old = lambda;
  Vec3<R> spread{};
  for (int p = 0; p < 3; ++p) {
    const int i = pair_of[p][0], j = pair_of[p][1];
    const R gap = R(spectral_gap<S>) * max(scale, max(abs(old[i]), abs(old[j])));
    spread[p] = copysign(max(gap - abs(old[j] - old[i]), zero), old[j] - old[i]);
    lambda[i] -= half * spread[p];
    lambda[j] += half * spread[p];
  }
  return spread;
}

// Q^T A Q
template <class R>
DOLLOP_INLINE SymMat3<R> rotate_into(const Mat3<R>& q, const SymMat3<R>& a) {
  const Mat3<R> aq = to_mat3(a) * q;
  const auto entry = [&](int i, int j) DOLLOP_INLINE_LAMBDA {
    return q(0, i) * aq(0, j) + q(1, i) * aq(1, j) + q(2, i) * aq(2, j);
  };
  return {entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)};
}

// compiled once, where it is not the hot part of a loop
template <class R>
DOLLOP_APART Eigen3<R> eigen_apart(const SymMat3<R>& a) {
  return eigen(a);
}

// `scale_of` gives the scale from the eigenvalues
template <class S, int N, class Scale>
DOLLOP_INLINE Eigen3<Dual<S, N>> eigen_at_scale(const SymMat3<Dual<S, N>>& a, Scale&& scale_of) {
  const Eigen3<S> primal =
      eigen_apart(SymMat3<S>{a.xx.value, a.yy.value, a.zz.value, a.xy.value, a.xz.value, a.yz.value});
  Vec3<S> lambda = primal.values;
  Eigen3<Dual<S, N>> result;
  result.vectors = primal.vectors;
  result.spread = spread_apart(scale_of(lambda), lambda);
  result.values = {lambda.x, lambda.y, lambda.z};
  for (int k = 0; k < N; ++k) {
    const SymMat3<S> da{a.xx.d[k], a.yy.d[k], a.zz.d[k], a.xy.d[k], a.xz.d[k], a.yz.d[k]};
    const SymMat3<S> m = rotate_into(primal.vectors, da);
    result.values.x.d[k] = m.xx;  // d lambda_i = q_i . dA q_i                                       (SPEC.2)
    result.values.y.d[k] = m.yy;
    result.values.z.d[k] = m.zz;
    result.coupling[k] = {m.xy, m.xz, m.yz};
  }
  return result;
}

template <class S, int N>
DOLLOP_INLINE Eigen3<Dual<S, N>> eigen(const SymMat3<Dual<S, N>>& a) {
  return eigen_at_scale(a, [](const Vec3<S>&) DOLLOP_INLINE_LAMBDA { return S(ScalarOf<S>(1)); });
}

// For functions that vanish with A and whose errors are relative to A, such as the stress of a strain: the gap may be
// relative to A, however small A is. So quantities that depend on the size of a strain, such as yield, are not
// disturbed. At the least scale the square of the gap vanishes.                                       (SPEC.5)
template <class R>
DOLLOP_INLINE Eigen3<R> eigen_of_strain(const SymMat3<R>& a) {
  return eigen(a);
}
template <class S, int N>
DOLLOP_INLINE Eigen3<Dual<S, N>> eigen_of_strain(const SymMat3<Dual<S, N>>& a) {
  using T = ScalarOf<S>;
  const S least = S(std::is_same_v<T, float> ? T(1e-20) : T(1e-160));
  return eigen_at_scale(a, [&](const Vec3<S>& lambda) DOLLOP_INLINE_LAMBDA {
    return max(least, max(abs(lambda.x), max(abs(lambda.y), abs(lambda.z))));
  });
}

// Q diag(y) Q^T                                                                                     (SPEC.1)
template <class R>
DOLLOP_INLINE SymMat3<R> spectral(const Eigen3<R>& a, const Vec3<R>& y) {
  return assemble(a.vectors, y);
}

template <class S, int N>
DOLLOP_INLINE SymMat3<Dual<S, N>> spectral(const Eigen3<Dual<S, N>>& a, const Vec3<Dual<S, N>>& y) {
  Vec3<S> value{y.x.value, y.y.value, y.z.value}, secant{};
  for (int p = 0; p < 3; ++p) {
    const int i = pair_of[p][0], j = pair_of[p][1];
    secant[p] = (y[j].value - y[i].value) / (a.values[j].value - a.values[i].value);
    const S back = S(ScalarOf<S>(0.5)) * secant[p] *
                   a.spread[p];  // undoes the spreading of lambda              (SPEC.4)
    value[i] += back;
    value[j] -= back;
  }
  const SymMat3<S> v = assemble(a.vectors, value);
  SymMat3<Dual<S, N>> r{v.xx, v.yy, v.zz, v.xy, v.xz, v.yz};
  const Mat3<S> qt = transpose(a.vectors);
  for (int k = 0; k < N; ++k) {
    const Vec3<S>& c = a.coupling[k];
    const SymMat3<S> m{y.x.d[k], y.y.d[k], y.z.d[k], secant.x * c.x, secant.y * c.y, secant.z * c.z};
    const SymMat3<S> d = rotate_into(qt, m);  // Q m Q^T                                             (SPEC.2)
    r.xx.d[k] = d.xx, r.yy.d[k] = d.yy, r.zz.d[k] = d.zz;
    r.xy.d[k] = d.xy, r.xz.d[k] = d.xz, r.yz.d[k] = d.yz;
  }
  return r;
}

// ln A of a positive definite matrix; the tests measure spectral() by this and by e^A
template <class R>
DOLLOP_INLINE SymMat3<R> log_sym(const SymMat3<R>& matrix) {
  const Eigen3<R> a = eigen(matrix);
  return spectral(a, Vec3<R>{log(a.values.x), log(a.values.y), log(a.values.z)});
}

// e^A
template <class R>
DOLLOP_INLINE SymMat3<R> exp_sym(const SymMat3<R>& matrix) {
  const Eigen3<R> a = eigen(matrix);
  return spectral(a, Vec3<R>{exp(a.values.x), exp(a.values.y), exp(a.values.z)});
}

}  // namespace dollop::inline DOLLOP_ISA
