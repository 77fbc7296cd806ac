// The sine of angles up to a right angle, on numbers, packs and dual numbers.
#pragma once

#include "math/dual.h"

namespace dollop::inline DOLLOP_ISA {

// sin x for |x| <= pi/2: the Taylor series, long enough that the remainder is below rounding
template <class R>
DOLLOP_INLINE R sin_quarter(const R& x) {
  using S = ScalarOf<R>;
  constexpr int terms = std::is_same_v<S, float> ? 7 : 11;
  const R z = x * x;
  R p = R(S(1));
#pragma GCC unroll 16
  for (int k = terms - 1; k >= 1; --k) p = R(S(1)) - z * p * R(S(1.0 / ((2 * k) * (2 * k + 1))));
  return x * p;
}

}  // namespace dollop::inline DOLLOP_ISA
