// The inverse of a 3x3 matrix.
#pragma once

#include "math/vec.h"

namespace dollop::inline DOLLOP_ISA {

template <class R>
DOLLOP_INLINE Mat3<R> inverse(const Mat3<R>& f) {
  const auto cofactor = [&](int i, int j) {
    const int p = (i + 1) % 3, q = (i + 2) % 3, r = (j + 1) % 3, s = (j + 2) % 3;
    return f(p, r) * f(q, s) - f(p, s) * f(q, r);
  };
  const R scale = R(ScalarOf<R>(1)) / det(f);
  return make_mat3<R>([&](int i, int j) { return scale * cofactor(j, i); });
}

}  // namespace dollop::inline DOLLOP_ISA
