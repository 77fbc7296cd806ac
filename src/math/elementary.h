// exp, expm1, log and log1p on numbers and packs: branch-free, the same arithmetic on both.
//
// Relative error below 2 units in the last place over the whole range (tests/math/test_elementary.simd.cpp).
// The logarithm is 2 artanh(s), the exponential a Taylor sum after the usual reduction by powers of two; the
// coefficients are those of the exact series, long enough that the remainder is below rounding.
#pragma once

#include <limits>

#include "math/pack.h"

namespace dollop::inline DOLLOP_ISA {

template <class S>
struct FloatFormat;
template <>
struct FloatFormat<float> {
  static constexpr std::int32_t mantissa_bits = 23, bias = 127;
  static constexpr float ln2_hi = 0.693359375f, ln2_lo = -2.12194440e-4f, round_magic = 12582912.0f;
  static constexpr int log_terms = 5, exp_terms = 8;
};
template <>
struct FloatFormat<double> {
  static constexpr std::int64_t mantissa_bits = 52, bias = 1023;
  static constexpr double ln2_hi = 6.93147180369123816490e-01, ln2_lo = 1.90821492927058770002e-10;
  static constexpr double round_magic = 6755399441055744.0;
  static constexpr int log_terms = 10, exp_terms = 14;
};

// 2^n for an integer held in the bits of `n`, n within the exponent range
template <class R, class N>
DOLLOP_INLINE R power_of_two(N n) {
  using Format = FloatFormat<ScalarOf<R>>;
  return from_bits<R>((n + Format::bias) << Format::mantissa_bits);
}

// ln(1 + f) for 1 + f in [sqrt(1/2), sqrt(2)], accurate for tiny f:  f - s (f - z P(z)),  s = f/(2+f),  z = s^2
template <class R>
DOLLOP_INLINE R log1p_reduced(const R& f) {
  using S = ScalarOf<R>;
  const R s = f * reciprocal(R(S(2)) + f), z = s * s;
  R p = R(S(2.0 / (2 * FloatFormat<S>::log_terms + 1)));
#pragma GCC unroll 16
  for (int k = FloatFormat<S>::log_terms - 1; k >= 1; --k) p = fma(p, z, R(S(2.0 / (2 * k + 1))));
  return f - s * (f - z * p);
}

// exponent k such that u 2^-k lies in [sqrt(1/2), sqrt(2))
template <class R>
DOLLOP_INLINE auto log_exponent(const R& u) {
  using S = ScalarOf<R>;
  using Format = FloatFormat<S>;
  const auto offset = to_bits(S(0.70710678118654752440));      // sqrt(1/2)
  return (to_bits(abs(u)) - offset) >> Format::mantissa_bits;  // abs: the difference must not overflow
}

// ln(1 + x). -1 gives -infinity; below -1 gives NaN.
template <class R>
DOLLOP_INLINE R log1p(const R& x) {
  using S = ScalarOf<R>;
  using Format = FloatFormat<S>;
  const R u = R(S(1)) + x;
  const auto k = log_exponent(u);
  // 1 + f = (1 + x) 2^-k without rounding x away; two halves, since 2^-k alone may be denormal
  const auto k1 = k >> 1;
  const R h1 = power_of_two<R>(-k1), h2 = power_of_two<R>(k1 - k);
  const R f = fma(x * h1, h2, h1 * h2 - R(S(1)));
  const R n = int_to_real<R>(k);
  R r = n * R(Format::ln2_hi) + (log1p_reduced(f) + n * R(Format::ln2_lo));
  r = select(x == R(std::numeric_limits<S>::infinity()), x, r);
  r = select(u == R(S(0)), R(-std::numeric_limits<S>::infinity()), r);
  return select(u >= R(S(0)), r, R(std::numeric_limits<S>::quiet_NaN()));
}

// ln x. 0 gives -infinity; negative gives NaN.
template <class R>
DOLLOP_INLINE R log(const R& x) {
  using S = ScalarOf<R>;
  using Format = FloatFormat<S>;
  const R scale = R(S(std::int64_t(1) << (Format::mantissa_bits + 1)));
  const auto tiny = x < R(std::numeric_limits<S>::min());  // denormals are scaled up first
  const R y = select(tiny, x * scale, x);
  const auto k = log_exponent(y);
  const R m = from_bits<R>(to_bits(y) - (k << Format::mantissa_bits));
  const R n = int_to_real<R>(k) - select(tiny, R(S(Format::mantissa_bits + 1)), R(S(0)));
  R r = n * R(Format::ln2_hi) + (log1p_reduced(m - R(S(1))) + n * R(Format::ln2_lo));
  r = select(x == R(std::numeric_limits<S>::infinity()), x, r);
  r = select(x == R(S(0)), R(-std::numeric_limits<S>::infinity()), r);
  return select(x >= R(S(0)), r, R(std::numeric_limits<S>::quiet_NaN()));
}

// x = n ln2 + r, |r| <= ln2/2; returns e^r - 1 and puts 2^(n/2), 2^(n - n/2) into a, b
template <class R>
DOLLOP_INLINE R expm1_reduced(const R& x, R& a, R& b) {
  using S = ScalarOf<R>;
  using Format = FloatFormat<S>;
  constexpr S limit = std::is_same_v<S, float> ? S(150) : S(1100);  // beyond: 0 or infinity anyway
  const R y = max(min(x, R(limit)), R(-limit));
  const R shifted = fma(y, R(S(1.44269504088896340736)), R(Format::round_magic));
  const R n = shifted - R(Format::round_magic);
  const auto i = to_bits(shifted) - to_bits(R(Format::round_magic));
  const R r = fma(-n, R(Format::ln2_lo), fma(-n, R(Format::ln2_hi), y));
  const auto half = i >> 1;
  a = power_of_two<R>(half);
  b = power_of_two<R>(i - half);
  S inverse_factorial[Format::exp_terms + 1] = {1, 1};
  for (int k = 2; k <= Format::exp_terms; ++k) inverse_factorial[k] = inverse_factorial[k - 1] / S(k);
  R p = R(inverse_factorial[Format::exp_terms]);
#pragma GCC unroll 16
  for (int k = Format::exp_terms - 1; k >= 2; --k) p = fma(p, r, R(inverse_factorial[k]));
  return fma(p, r * r, r);
}

template <class R>
DOLLOP_INLINE R exp(const R& x) {
  using S = ScalarOf<R>;
  R a, b;
  const R p = expm1_reduced(x, a, b);
  return select(x == x, (R(S(1)) + p) * a * b, x);  // NaN stays NaN
}

// e^x - 1, accurate for tiny x
template <class R>
DOLLOP_INLINE R expm1(const R& x) {
  using Format = FloatFormat<ScalarOf<R>>;
  R a, b;
  const R p = expm1_reduced(x, a, b);
  // e^r a b - 1 as (e^r a - 1/b) b: a b alone overflows before e^x does
  const R inverse_b = from_bits<R>((2 * Format::bias << Format::mantissa_bits) - to_bits(b));
  return select(x == x, fma(p, a, a - inverse_b) * b, x);
}

}  // namespace dollop::inline DOLLOP_ISA
