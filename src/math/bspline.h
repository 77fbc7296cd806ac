// Quadratic and cubic B-splines on a grid of unit spacing.
//
// The stencil of a particle at x has the nodes base .. base + nodes - 1, base = floor(x - offset); f = x - base is its
// position within the stencil. Weight k is N(f - k), its derivative N'(f - k). (MPM.1-3)
#pragma once

#include "math/pack.h"

namespace dollop::inline DOLLOP_ISA {

template <int Nodes>
struct BSpline;

template <>
struct BSpline<3> {  // quadratic
  static constexpr int nodes = 3;
  static constexpr double offset = 0.5;
  static constexpr double inverse_inertia = 4;  // D^-1 of APIC and MLS, in units of 1 / cell^2
  // weight of node k as a polynomial of u = f - 1 in [-1/2, 1/2]: sum_j coefficient[k][j] u^j
  static constexpr double coefficient[4][4] = {
      {.125, -.5, .5, 0}, {.75, 0, -1, 0}, {.125, .5, .5, 0}, {0, 0, 0, 0}};

  template <class R>
  static DOLLOP_INLINE void weights(const R& f, R* w) {
    using S = ScalarOf<R>;
    const R a = R(S(1.5)) - f, b = f - R(S(1)), c = f - R(S(0.5));
    w[0] = R(S(0.5)) * a * a;
    w[1] = R(S(0.75)) - b * b;
    w[2] = R(S(0.5)) * c * c;
  }
  template <class R>
  static DOLLOP_INLINE void derivatives(const R& f, R* d) {
    using S = ScalarOf<R>;
    d[0] = f - R(S(1.5));
    d[1] = R(S(2)) - f - f;
    d[2] = f - R(S(0.5));
  }
};

template <>
struct BSpline<4> {  // cubic
  static constexpr int nodes = 4;
  static constexpr double offset = 1;
  static constexpr double inverse_inertia = 3;
  // u = f - 1 in [0, 1]
  static constexpr double coefficient[4][4] = {
      {1 / 6., -.5, .5, -1 / 6.}, {4 / 6., 0, -1, .5}, {1 / 6., .5, .5, -.5}, {0, 0, 0, 1 / 6.}};

  template <class R>
  static DOLLOP_INLINE void weights(const R& f, R* w) {
    using S = ScalarOf<R>;
    const R u = f - R(S(1)), v = R(S(1)) - u, sixth = R(S(1 / 6.));
    w[0] = sixth * v * v * v;
    w[1] = (R(S(0.5)) * u - R(S(1))) * u * u + R(S(2 / 3.));
    w[3] = sixth * u * u * u;
    w[2] = R(S(1)) - w[0] - w[1] - w[3];
  }
  template <class R>
  static DOLLOP_INLINE void derivatives(const R& f, R* d) {
    using S = ScalarOf<R>;
    const R u = f - R(S(1)), v = R(S(1)) - u, half = R(S(0.5));
    d[0] = -(half * v * v);
    d[1] = (R(S(1.5)) * u - R(S(2))) * u;
    d[3] = half * u * u;
    d[2] = -(d[0] + d[1] + d[3]);
  }
};

}  // namespace dollop::inline DOLLOP_ISA
