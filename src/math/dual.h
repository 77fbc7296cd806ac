// Dual<S, N>: a number and its N directional derivatives, for the tangents of code written on a type R.
//
// Forward-mode automatic differentiation: every operation treats the value as the plain number or pack would, bit for
// bit, and applies the chain rule to the derivatives. Comparisons use the value alone.
//
// The derivatives are written as lists, not as loops: a loop keeps them in memory until the compiler unrolls it, late, and
// most of the time that tangents took to compile went into finding out which of these places overlap.
#pragma once

#include <utility>

#include "math/elementary.h"

namespace dollop::inline DOLLOP_ISA {

template <class S, int N>
struct Dual {
  S value;
  S d[N];

  Dual() = default;
  DOLLOP_INLINE Dual(S a)  // a constant
      : Dual(make(a, [](int) DOLLOP_INLINE_LAMBDA { return S(ScalarOf<S>(0)); })) {}
  DOLLOP_INLINE Dual(ScalarOf<S> a) requires(!Plain<S>) : Dual(S(a)) {}

  // the variable of direction k
  static DOLLOP_INLINE Dual variable(S a, int k) {
    Dual r(a);
    r.d[k] = S(ScalarOf<S>(1));
    return r;
  }
  // value f, derivatives slope(k) for each direction k
  template <class F>
  static DOLLOP_INLINE Dual make(S f, F&& slope) {
    return [&]<int... K>(std::integer_sequence<int, K...>) DOLLOP_INLINE_LAMBDA {
      return Dual(f, slope(K)...);
    }
    (std::make_integer_sequence<int, N>{});
  }

  template <class... Slopes>
  requires(sizeof...(Slopes) == N) DOLLOP_INLINE Dual(S f, const Slopes&... slopes)
      : value(f), d{slopes...} {}

  DOLLOP_INLINE Dual operator-() const {
    return make(-value, [&](int k) DOLLOP_INLINE_LAMBDA { return -d[k]; });
  }
  friend DOLLOP_INLINE Dual operator+(const Dual& a, const Dual& b) {
    return make(a.value + b.value, [&](int k) DOLLOP_INLINE_LAMBDA { return a.d[k] + b.d[k]; });
  }
  friend DOLLOP_INLINE Dual operator-(const Dual& a, const Dual& b) {
    return make(a.value - b.value, [&](int k) DOLLOP_INLINE_LAMBDA { return a.d[k] - b.d[k]; });
  }
  friend DOLLOP_INLINE Dual operator*(const Dual& a, const Dual& b) {
    return make(a.value * b.value,
                [&](int k) DOLLOP_INLINE_LAMBDA { return a.value * b.d[k] + a.d[k] * b.value; });
  }
  friend DOLLOP_INLINE Dual operator/(const Dual& a, const Dual& b) {
    const S q = a.value / b.value;
    return make(q, [&](int k) DOLLOP_INLINE_LAMBDA { return (a.d[k] - q * b.d[k]) / b.value; });
  }
  DOLLOP_INLINE Dual& operator+=(const Dual& a) { return *this = *this + a; }
  DOLLOP_INLINE Dual& operator-=(const Dual& a) { return *this = *this - a; }
  DOLLOP_INLINE Dual& operator*=(const Dual& a) { return *this = *this * a; }

  friend DOLLOP_INLINE auto operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
  friend DOLLOP_INLINE auto operator>(const Dual& a, const Dual& b) { return a.value > b.value; }
  friend DOLLOP_INLINE auto operator<=(const Dual& a, const Dual& b) { return a.value <= b.value; }
  friend DOLLOP_INLINE auto operator>=(const Dual& a, const Dual& b) { return a.value >= b.value; }
  friend DOLLOP_INLINE auto operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
};

template <class S, int N>
struct ScalarType<Dual<S, N>> {
  using type = ScalarOf<S>;
};

// the value without its derivatives
template <class R>
DOLLOP_INLINE R value_of(const R& a) {
  return a;
}
template <class S, int N>
DOLLOP_INLINE S value_of(const Dual<S, N>& a) {
  return a.value;
}

// what a number is without its derivatives
template <class R>
using ValueOf = decltype(value_of(std::declval<const R&>()));

// the chain rule: value f, derivatives slope * dx
template <class S, int N>
DOLLOP_INLINE Dual<S, N> chain(S f, S slope, const Dual<S, N>& x) {
  return Dual<S, N>::make(f, [&](int k) DOLLOP_INLINE_LAMBDA { return slope * x.d[k]; });
}

template <class Mask, class S, int N>
DOLLOP_INLINE Dual<S, N> select(const Mask& m, const Dual<S, N>& a, const Dual<S, N>& b) {
  return Dual<S, N>::make(select(m, a.value, b.value),
                          [&](int k) DOLLOP_INLINE_LAMBDA { return select(m, a.d[k], b.d[k]); });
}
template <class S, int N>
DOLLOP_INLINE Dual<S, N> min(const Dual<S, N>& a, const Dual<S, N>& b) {
  return select(a < b, a, b);
}
template <class S, int N>
DOLLOP_INLINE Dual<S, N> max(const Dual<S, N>& a, const Dual<S, N>& b) {
  return select(a > b, a, b);
}
template <class S, int N>
DOLLOP_INLINE Dual<S, N> abs(const Dual<S, N>& a) {
  return chain(abs(a.value), copysign(S(ScalarOf<S>(1)), a.value), a);
}
template <class S, int N>
DOLLOP_INLINE Dual<S, N> copysign(const Dual<S, N>& a, const Dual<S, N>& b) {
  const S r = copysign(a.value, b.value);
  return chain(r, copysign(S(ScalarOf<S>(1)), a.value) * copysign(S(ScalarOf<S>(1)), r), a);
}
template <class S, int N>
DOLLOP_INLINE Dual<S, N> floor(const Dual<S, N>& a) {
  return Dual<S, N>(floor(a.value));
}
template <class S, int N>
DOLLOP_INLINE Dual<S, N> fma(const Dual<S, N>& a, const Dual<S, N>& b, const Dual<S, N>& c) {
  return Dual<S, N>::make(fma(a.value, b.value, c.value), [&](int k) DOLLOP_INLINE_LAMBDA {
    return a.value * b.d[k] + a.d[k] * b.value + c.d[k];
  });
}

// the slope at 0 is taken as 0, so that the length of a vanishing vector has a finite derivative
template <class S, int N>
DOLLOP_INLINE Dual<S, N> sqrt(const Dual<S, N>& a) {
  const S r = sqrt(a.value);
  const S zero = S(ScalarOf<S>(0)), half = S(ScalarOf<S>(0.5));
  return chain(r, select(r == zero, zero, half / r), a);
}
template <class S, int N>
DOLLOP_INLINE Dual<S, N> rsqrt(const Dual<S, N>& a) {
  const S r = rsqrt(a.value);
  return chain(r, S(ScalarOf<S>(-0.5)) * r * r * r, a);
}
template <class S, int N>
DOLLOP_INLINE Dual<S, N> reciprocal(const Dual<S, N>& a) {
  const S r = reciprocal(a.value);
  return chain(r, -r * r, a);
}
template <class S, int N>
DOLLOP_INLINE Dual<S, N> exp(const Dual<S, N>& a) {
  const S r = exp(a.value);
  return chain(r, r, a);
}
template <class S, int N>
DOLLOP_INLINE Dual<S, N> expm1(const Dual<S, N>& a) {
  return chain(expm1(a.value), exp(a.value), a);
}
template <class S, int N>
DOLLOP_INLINE Dual<S, N> log(const Dual<S, N>& a) {
  return chain(log(a.value), S(ScalarOf<S>(1)) / a.value, a);
}
template <class S, int N>
DOLLOP_INLINE Dual<S, N> log1p(const Dual<S, N>& a) {
  return chain(log1p(a.value), S(ScalarOf<S>(1)) / (S(ScalarOf<S>(1)) + a.value), a);
}

}  // namespace dollop::inline DOLLOP_ISA
