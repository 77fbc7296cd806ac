// The local problem of ADMM in principal stretches, for one branch of many particles at a time. Theory:
// docs/theory/admm.md.
#pragma once

#include <limits>
#include <type_traits>

#include "math/elementary.h"
#include "math/vec.h"

namespace dollop::inline DOLLOP_ISA {

// principal Kirchhoff stresses, and their derivatives by the logarithms of the principal stretches
template <class R>
struct PrincipalStress {
  Vec3<R> tau;
  Mat3<R> slope;
};

// What a local step found: the stretches minus 1 and their logarithms, and 1 in lanes that are not solved.
template <class R>
struct LocalSolution {
  Vec3<R> stretch, eps;
  R unsolved;
};

// Part of the strain below which a Newton step needs no check: its error is of the order of the square.
template <class S>
inline constexpr S settled_part = std::is_same_v<S, float> ? S(3e-4) : S(1e-7);
inline constexpr int most_evaluations = 50;  // of the stress in a local step
inline constexpr double longest_step = 1.6;  // of a logarithm in one iteration: a factor of five in a stretch

// the solution x of a x = b by cofactors; not finite where a is singular
template <class R>
DOLLOP_INLINE Vec3<R> solve(const Mat3<R>& a, const Vec3<R>& b) {
  using S = ScalarOf<R>;
  const R c00 = a(1, 1) * a(2, 2) - a(1, 2) * a(2, 1), c01 = a(1, 2) * a(2, 0) - a(1, 0) * a(2, 2);
  const R c02 = a(1, 0) * a(2, 1) - a(1, 1) * a(2, 0);
  const R scale = R(S(1)) / (a(0, 0) * c00 + a(0, 1) * c01 + a(0, 2) * c02);
  const R c10 = a(0, 2) * a(2, 1) - a(0, 1) * a(2, 2), c11 = a(0, 0) * a(2, 2) - a(0, 2) * a(2, 0);
  const R c12 = a(0, 1) * a(2, 0) - a(0, 0) * a(2, 1), c20 = a(0, 1) * a(1, 2) - a(0, 2) * a(1, 1);
  const R c21 = a(0, 2) * a(1, 0) - a(0, 0) * a(1, 2), c22 = a(0, 0) * a(1, 1) - a(0, 1) * a(1, 0);
  return {scale * (c00 * b.x + c10 * b.y + c20 * b.z), scale * (c01 * b.x + c11 * b.y + c21 * b.z),
          scale * (c02 * b.x + c12 * b.y + c22 * b.z)};
}

template <class R>
DOLLOP_INLINE R largest_of(const Vec3<R>& a) {
  return max(abs(a.x), max(abs(a.y), abs(a.z)));
}

// Solves tau_i + k s_i (s_i - s^_i) = 0 for the stretches s = exp(eps) by Newton's method from the given eps; `hat` is
// s^ - 1. stress(eps) gives tau and its derivative. These are the derivatives of a potential, which each step reduces: it
// is halved until it does, by its slope at the end. `stiffness` bounds that of the material in units of k.  (ADMM.7)
template <class R, class Stress>
DOLLOP_INLINE LocalSolution<R> solve_local(const Stress& stress, const Vec3<R>& hat, const R& k,
                                           const R& stiffness, const Vec3<R>& start) {
  using S = ScalarOf<R>;
  const R zero = R(S(0)), one = R(S(1)), half = R(S(0.5)), inverse_k = one / k;
  Vec3<R> step{zero, zero, zero}, force = step;  // from the last point; the residual there
  LocalSolution<R> last{step, start, one};
  R slope = zero, part = one;
  for (int n = 0; n < most_evaluations; ++n) {
    const Vec3<R> eps = last.eps + part * step;
    const PrincipalStress<R> t = stress(eps);
    const Vec3<R> s{expm1(eps.x), expm1(eps.y), expm1(eps.z)};
    Vec3<R> g{};
    Mat3<R> matrix = inverse_k * t.slope;
    for (int i = 0; i < 3; ++i) {
      const R gap = s[i] - hat[i], sigma = one + s[i], tau = inverse_k * t.tau[i], square = sigma * sigma;
      g[i] = tau + sigma * gap;
      // s (2 s - s^), or what it is at the solution where that is larger: far below s^/2 it would be negative
      const R least = min(R(S(0.1)) * square, abs(g[i]));
      matrix(i, i) = matrix(i, i) + max(max(square + sigma * gap, square - tau), least);
    }
    const R widest = one + max(s.x, max(s.y, s.z)), soft = -one / (stiffness + widest * widest);
    Vec3<R> newton = -solve(matrix, g);
    newton = choose(dot(newton, g) < zero, newton, soft * g);
    newton = min(one, R(S(longest_step)) / largest_of(newton)) * newton;

    const auto falls = both(dot(g, step) <= R(S(-0.9)) * slope, last.unsolved > zero);
    last.eps = choose(falls, eps, last.eps), last.stretch = choose(falls, s, last.stretch);
    force = choose(falls, g, force), step = choose(falls, newton, step);
    slope = select(falls, dot(newton, g), slope);
    part = select(falls, one, half * part);
    const auto settles = both(falls, largest_of(step) <= R(settled_part<S>) * largest_of(last.eps));
    last.unsolved = select(settles, zero, last.unsolved);
    if (!any(last.unsolved > zero)) break;

    const auto tired = part < R(S(1e-4));  // rounding, or a matrix that is not symmetric
    step = choose(tired, soft * force, step);
    slope = select(tired, dot(step, force), slope), part = select(tired, one, part);
  }
  // the last Newton step without an evaluation
  const auto solved = last.unsolved <= zero;
  const R widest = one + max(zero, max(last.stretch.x, max(last.stretch.y, last.stretch.z)));
  const auto small = largest_of(force) <= R(S(1e-3)) * widest * widest;
  last.unsolved = select(small, zero, last.unsolved);
  for (int i = 0; i < 3; ++i) {
    const R d = select(solved, step[i], zero);
    last.eps[i] = last.eps[i] + d;
    last.stretch[i] = last.stretch[i] + (one + last.stretch[i]) * (d + half * d * d);
  }
  return last;
}

}  // namespace dollop::inline DOLLOP_ISA
