// PackPair<S>: two packs side by side, every operation done on both.
//
// In long chains of dependent operations, such as the eigen-decomposition, a single pack leaves the processor waiting
// for latencies. Two independent chains side by side run up to 1.7 times as fast; see docs/decisions.md.
#pragma once

#include <concepts>

#include "math/pack.h"

namespace dollop::inline DOLLOP_ISA {

// the bits of a pair, as integers
template <class I>
struct IntPair {
  I a, b;
  friend DOLLOP_INLINE IntPair operator+(IntPair x, IntPair y) { return {x.a + y.a, x.b + y.b}; }
  friend DOLLOP_INLINE IntPair operator-(IntPair x, IntPair y) { return {x.a - y.a, x.b - y.b}; }
  template <std::integral N>
  friend DOLLOP_INLINE IntPair operator+(IntPair x, N n) {
    return {x.a + n, x.b + n};
  }
  template <std::integral N>
  friend DOLLOP_INLINE IntPair operator-(IntPair x, N n) {
    return {x.a - n, x.b - n};
  }
  template <std::integral N>
  friend DOLLOP_INLINE IntPair operator<<(IntPair x, N n) {
    return {x.a << n, x.b << n};
  }
  template <std::integral N>
  friend DOLLOP_INLINE IntPair operator>>(IntPair x, N n) {
    return {x.a >> n, x.b >> n};
  }
  template <std::integral N>
  friend DOLLOP_INLINE IntPair operator-(N n, IntPair x) {
    return {n - x.a, n - x.b};
  }
  DOLLOP_INLINE IntPair operator-() const { return {-a, -b}; }
};

template <class S>
struct PairMask {
  PackMask<S> a, b;
};

template <class S>
struct PackPair {
  using P = Pack<S>;
  static constexpr int lanes = 2 * P::lanes;
  P a, b;

  PackPair() = default;
  DOLLOP_INLINE PackPair(S s) : a(s), b(s) {}
  DOLLOP_INLINE PackPair(const P& x, const P& y) : a(x), b(y) {}
  static DOLLOP_INLINE PackPair load(const S* p) { return {P::load(p), P::load(p + P::lanes)}; }
  DOLLOP_INLINE void store(S* p) const { a.store(p), b.store(p + P::lanes); }
  DOLLOP_INLINE void store(S* p, int count) const {
    a.store(p, count);
    if (count > P::lanes) b.store(p + P::lanes, count - P::lanes);
  }

  DOLLOP_INLINE PackPair operator-() const { return {-a, -b}; }
  friend DOLLOP_INLINE PackPair operator+(const PackPair& x, const PackPair& y) {
    return {x.a + y.a, x.b + y.b};
  }
  friend DOLLOP_INLINE PackPair operator-(const PackPair& x, const PackPair& y) {
    return {x.a - y.a, x.b - y.b};
  }
  friend DOLLOP_INLINE PackPair operator*(const PackPair& x, const PackPair& y) {
    return {x.a * y.a, x.b * y.b};
  }
  friend DOLLOP_INLINE PackPair operator/(const PackPair& x, const PackPair& y) {
    return {x.a / y.a, x.b / y.b};
  }
  DOLLOP_INLINE PackPair& operator+=(const PackPair& x) { return *this = *this + x; }
  DOLLOP_INLINE PackPair& operator-=(const PackPair& x) { return *this = *this - x; }
  DOLLOP_INLINE PackPair& operator*=(const PackPair& x) { return *this = *this * x; }
  friend DOLLOP_INLINE PairMask<S> operator<(const PackPair& x, const PackPair& y) {
    return {x.a < y.a, x.b < y.b};
  }
  friend DOLLOP_INLINE PairMask<S> operator>(const PackPair& x, const PackPair& y) {
    return {x.a > y.a, x.b > y.b};
  }
  friend DOLLOP_INLINE PairMask<S> operator<=(const PackPair& x, const PackPair& y) {
    return {x.a <= y.a, x.b <= y.b};
  }
  friend DOLLOP_INLINE PairMask<S> operator>=(const PackPair& x, const PackPair& y) {
    return {x.a >= y.a, x.b >= y.b};
  }
  friend DOLLOP_INLINE PairMask<S> operator==(const PackPair& x, const PackPair& y) {
    return {x.a == y.a, x.b == y.b};
  }
};

template <class S>
struct ScalarType<PackPair<S>> {
  using type = S;
};
template <class S>
inline constexpr int lanes_of<PackPair<S>> = PackPair<S>::lanes;

template <class R>
inline constexpr bool is_pair = false;
template <class S>
inline constexpr bool is_pair<PackPair<S>> = true;

template <class S>
DOLLOP_INLINE PackPair<S> select(const PairMask<S>& m, const PackPair<S>& x, const PackPair<S>& y) {
  return {select(m.a, x.a, y.a), select(m.b, x.b, y.b)};
}
template <class S>
DOLLOP_INLINE PairMask<S> both(const PairMask<S>& x, const PairMask<S>& y) {
  return {both(x.a, y.a), both(x.b, y.b)};
}
template <class S>
DOLLOP_INLINE PairMask<S> either(const PairMask<S>& x, const PairMask<S>& y) {
  return {either(x.a, y.a), either(x.b, y.b)};
}
template <class S>
DOLLOP_INLINE bool any(const PairMask<S>& x) {
  return any(x.a) || any(x.b);
}
template <class S>
DOLLOP_INLINE PackPair<S> min(const PackPair<S>& x, const PackPair<S>& y) {
  return {min(x.a, y.a), min(x.b, y.b)};
}
template <class S>
DOLLOP_INLINE PackPair<S> max(const PackPair<S>& x, const PackPair<S>& y) {
  return {max(x.a, y.a), max(x.b, y.b)};
}
template <class S>
DOLLOP_INLINE PackPair<S> abs(const PackPair<S>& x) {
  return {abs(x.a), abs(x.b)};
}
template <class S>
DOLLOP_INLINE PackPair<S> sqrt(const PackPair<S>& x) {
  return {sqrt(x.a), sqrt(x.b)};
}
template <class S>
DOLLOP_INLINE PackPair<S> floor(const PackPair<S>& x) {
  return {floor(x.a), floor(x.b)};
}
template <class S>
DOLLOP_INLINE PackPair<S> copysign(const PackPair<S>& x, const PackPair<S>& y) {
  return {copysign(x.a, y.a), copysign(x.b, y.b)};
}
template <class S>
DOLLOP_INLINE PackPair<S> fma(const PackPair<S>& x, const PackPair<S>& y, const PackPair<S>& z) {
  return {fma(x.a, y.a, z.a), fma(x.b, y.b, z.b)};
}
#ifdef DOLLOP_HAS_ESTIMATES
DOLLOP_INLINE PackPair<float> rsqrt_estimate(const PackPair<float>& x) {
  return {rsqrt_estimate(x.a), rsqrt_estimate(x.b)};
}
DOLLOP_INLINE PackPair<float> reciprocal_estimate(const PackPair<float>& x) {
  return {reciprocal_estimate(x.a), reciprocal_estimate(x.b)};
}
#endif

template <class S>
DOLLOP_INLINE auto to_bits(const PackPair<S>& x) {
  return IntPair<typename VectorOf<S>::Ints>{to_bits(x.a), to_bits(x.b)};
}
template <class R>
requires is_pair<R> DOLLOP_INLINE R from_bits(const IntPair<typename VectorOf<ScalarOf<R>>::Ints>& i) {
  return {from_bits<typename R::P>(i.a), from_bits<typename R::P>(i.b)};
}
template <class R>
requires is_pair<R> DOLLOP_INLINE R int_to_real(const IntPair<typename VectorOf<ScalarOf<R>>::Ints>& i) {
  return {int_to_real<typename R::P>(i.a), int_to_real<typename R::P>(i.b)};
}

}  // namespace dollop::inline DOLLOP_ISA
