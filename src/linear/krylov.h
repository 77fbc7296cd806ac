// Matrix-free Krylov solvers for A x = b: GMRES for any A, MINRES for a symmetric one, conjugate gradients for a
// symmetric positive definite one. Theory: docs/theory/krylov.md.
//
// `apply(x, y)` computes y = A x for vectors of n numbers of S, float or double; it is linear, and x and y differ.
// All three start at x = 0 and stop where the residual |b - A x| <= max(relative |b|, absolute). If a product is not
// finite they end with the last x before it.
// Norms are computed from sums of squares in double: in vectors of double, numbers within 1e-150 .. 1e150 are safe.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/aligned_array.h"
#include "linear/arnoldi.h"
#include "linear/vectors.h"

namespace dollop {

struct KrylovOptions {
  double relative = 1e-2;   // of |b|
  double absolute = 0;      // in the units of b
  int max_iterations = 15;  // GMRES stores one basis vector for each, and one more
};

struct KrylovReport {
  int iterations = 0;   // products with A
  double residual = 0;  // |b - A x| / |b| as estimated by the method
  // if not: too few iterations, a singular A, NaN in A or b, or an A that is not positive definite
  bool converged = false;
  bool indefinite = false;  // conjugate gradients found a direction without positive curvature
};

// The vectors of a solver, kept between solves to avoid allocations.
template <class S>
struct KrylovSpace {
  std::vector<AlignedArray<S>> vectors;
  std::vector<const S*> basis;  // of GMRES: v_0, v_1, ...
  ArnoldiSystem system;
  std::vector<double> with_w, with_v, work;

  // vector k, with room for n numbers
  S* vector(std::size_t k, std::size_t n) {
    if (vectors.size() <= k) vectors.resize(k + 1);
    if (vectors[k].size() != n) vectors[k].resize(n);
    return vectors[k].data();
  }
  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const AlignedArray<S>& v : vectors) sum += v.bytes();
    return sum;
  }
};

// the start of every method: x = 0; returns a report if b is small enough or not finite, so that no iteration is needed
template <class S>
std::optional<KrylovReport> start_solve(double b_norm, double goal, S* x, std::size_t n) {
  for_numbers(n, [=](std::size_t i) { x[i] = 0; });
  if (b_norm == 0) return KrylovReport{0, 0, true};
  if (!std::isfinite(b_norm)) return KrylovReport{0, 1, false};
  if (b_norm <= goal) return KrylovReport{0, 1, true};
  return std::nullopt;
}

inline double goal_of(const KrylovOptions& options, double b_norm) {
  return std::max(options.relative * b_norm, options.absolute);
}

// relative to its norm, a part of a vector below this is rounding error
template <class S>
constexpr double negligible = 16 * double(std::numeric_limits<S>::epsilon());

// A vector whose norm shrinks below this fraction in a projection is projected again (reorthogonalization), since
// cancellation then makes the sums in double less accurate than the rounding of S; float tolerates more cancellation.
template <class S>
constexpr double cancellation = std::is_same_v<S, float> ? 1e-3 : 0.1;

// Projects w = A v_j, which is stored as v_(j+1), on v_0 .. v_j and completes its column of the least-squares problem.
// Returns the norm of the rest of w: 0 if w depends on v_0 .. v_j, NaN if it is not finite.         (KRY.4-7)
template <class S>
double add_column(KrylovSpace<S>& space, std::size_t j, std::size_t n) {
  S* w = space.vector(j + 1, n);
  const std::span<const S*const> basis(space.basis.data(), j + 1), basis_and_w(space.basis.data(), j + 2);
  inner_products(basis_and_w, w, basis[j], n, space.with_w.data(), space.with_v.data(), space.work);
  const double whole = space.with_w[j + 1];
  if (!std::isfinite(whole)) return std::numeric_limits<double>::quiet_NaN();

  ArnoldiSystem& system = space.system;
  system.add_vector(space.with_v.data());
  double rest = system.project(space.with_w.data(), whole);
  if (rest < cancellation<S> * cancellation<S> * whole) {
    for (std::size_t k = 0; k <= j; ++k) system.coefficients()[k] *= -1;
    combine(basis, system.coefficients(), 1, w, n);
    inner_products(basis_and_w, w, basis[j], n, space.with_w.data(), space.with_v.data(), space.work);
    const double left = space.with_w[j + 1];
    rest = system.project(space.with_w.data(), left);
    const double least =
        std::max(negligible<S> * negligible<S> * whole, cancellation<S> * cancellation<S> * left);
    if (!(rest > least)) rest = 0;
  }
  return system.close_column(std::sqrt(rest)) ? std::sqrt(rest) : 0;
}

// GMRES without restart: minimizes the residual |b - A x| over the Krylov space.
template <class S, class Apply>
KrylovReport gmres(const Apply& apply, const S* b, S* x, std::size_t n, const KrylovOptions& options,
                   KrylovSpace<S>& space) {
  const double b_norm = norm(b, n), goal = goal_of(options, b_norm);
  if (const auto done = start_solve(b_norm, goal, x, n)) return *done;
  const auto most = std::size_t(std::max(options.max_iterations, 0));
  space.system.reset(int(most), b_norm, negligible<S>);
  space.with_w.resize(most + 1), space.with_v.resize(most + 1), space.basis.clear();

  space.basis.push_back(space.vector(0, n));
  scale(b, 1 / b_norm, space.vector(0, n), n);
  KrylovReport report;
  for (std::size_t j = 0; j < most; ++j) {
    S* w = space.vector(j + 1, n);
    space.basis.push_back(w);
    apply(space.basis[j], w);
    ++report.iterations;
    const double rest = add_column(space, j, n);
    if (!(rest > 0) || space.system.residual() <= goal || j + 1 == most) break;
    // v_(j+1) = (w - V h) / rest                                                                (KRY.7)
    double* factors = space.system.coefficients();
    for (std::size_t k = 0; k <= j; ++k) factors[k] /= -rest;
    combine(std::span<const S* const>(space.basis.data(), j + 1), factors, 1 / rest, w, n);
  }

  const std::vector<double>& y = space.system.solve();
  combine(std::span<const S* const>(space.basis.data(), y.size()), y.data(), 0, x, n);  // (KRY.2)
  report.residual = space.system.residual() / b_norm;
  report.converged = space.system.residual() <= goal;
  return report;
}

// MINRES: as GMRES, for a symmetric A, which may be indefinite; by the three-term Lanczos recurrence.
template <class S, class Apply>
KrylovReport minres(const Apply& apply, const S* b, S* x, std::size_t n, const KrylovOptions& options,
                    KrylovSpace<S>& space) {
  const double b_norm = norm(b, n), goal = goal_of(options, b_norm);
  if (const auto done = start_solve(b_norm, goal, x, n)) return *done;
  S *v_old = space.vector(0, n), *v = space.vector(1, n), *w = space.vector(2, n);
  S *d_old = space.vector(3, n), *d = space.vector(4, n);
  for_numbers(n, [=](std::size_t i) { v_old[i] = d_old[i] = d[i] = 0, v[i] = S(double(b[i]) / b_norm); });

  // c and s of the last two Givens rotations; beta: the off-diagonal entry; eta: the residual, with its sign
  double c_old = 1, c = 1, s_old = 0, s = 0, beta = 0, eta = b_norm;
  KrylovReport report;
  while (report.iterations < options.max_iterations) {
    apply(v, w);
    ++report.iterations;
    const double alpha = dot(v, w, n);
    const double square = sum_numbers(n, [=](std::size_t i) {  // (KRY.8)
      w[i] = S(double(w[i]) - alpha * double(v[i]) - beta * double(v_old[i]));
      return double(w[i]) * double(w[i]);
    });
    if (!std::isfinite(square)) break;
    const double size = std::hypot(alpha, beta);
    const double next = std::sqrt(square) > negligible<S> * size ? std::sqrt(square) : 0;

    // the last two Givens rotations and a new one, applied to the column of the tridiagonal matrix   (KRY.9)
    const double above = c * alpha - c_old * s * beta;
    const double rho = std::hypot(above, next), rho_1 = s * alpha + c_old * c * beta, rho_2 = s_old * beta;
    if (!(rho > negligible<S> * std::hypot(size, next))) break;  // A is singular, and b not in its range
    c_old = std::exchange(c, above / rho), s_old = std::exchange(s, next / rho);

    const double step = c * eta, unit = next > 0 ? 1 / next : 0;
    for_numbers(n, [=](std::size_t i) {  // (KRY.10)
      const double along = (double(v[i]) - rho_2 * double(d_old[i]) - rho_1 * double(d[i])) / rho;
      d_old[i] = S(along);
      x[i] = S(double(x[i]) + step * along);
      w[i] = S(unit * double(w[i]));
    });
    std::swap(d_old, d);
    eta *= -s;
    if (std::abs(eta) <= goal) break;
    S* const spare = v_old;
    v_old = v, v = w, w = spare, beta = next;
  }
  report.residual = std::abs(eta) / b_norm;
  report.converged = std::abs(eta) <= goal;
  return report;
}

// Conjugate gradients, for a symmetric positive definite A. If a search direction p with p . A p <= 0 shows that A is
// not, it stops without convergence: of all its iterates the last has the least ½ x . A x - b . x.
template <class S, class Apply>
KrylovReport conjugate_gradients(const Apply& apply, const S* b, S* x, std::size_t n,
                                 const KrylovOptions& options, KrylovSpace<S>& space) {
  const double b_norm = norm(b, n), goal = goal_of(options, b_norm);
  if (const auto done = start_solve(b_norm, goal, x, n)) return *done;
  S *r = space.vector(0, n), *p = space.vector(1, n), *q = space.vector(2, n);
  for_numbers(n, [=](std::size_t i) { r[i] = p[i] = b[i]; });

  double square = b_norm * b_norm;  // |r|²
  KrylovReport report;
  while (report.iterations < options.max_iterations) {
    apply(p, q);
    ++report.iterations;
    const double curvature = dot(p, q, n), step = square / curvature;  // (KRY.11)
    report.indefinite = std::isfinite(curvature) && !(curvature > 0);
    if (!(curvature > 0) || !std::isfinite(curvature) || !std::isfinite(step)) break;
    const double next = sum_numbers(n, [=](std::size_t i) {
      x[i] = S(double(x[i]) + step * double(p[i]));
      r[i] = S(double(r[i]) - step * double(q[i]));
      return double(r[i]) * double(r[i]);
    });
    const double ratio = next / square;
    square = next;
    if (std::sqrt(square) <= goal || !std::isfinite(square)) break;
    for_numbers(n, [=](std::size_t i) { p[i] = S(double(r[i]) + ratio * double(p[i])); });
  }
  report.residual = std::sqrt(square) / b_norm;
  report.converged = std::sqrt(square) <= goal;
  return report;
}

}  // namespace dollop
