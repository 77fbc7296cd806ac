// One solve of a small dense system, with the report of the solver and the true residual.
#pragma once

#include <vector>

#include "linear/dense_operators.h"
#include "linear/krylov.h"

namespace dollop::tests {

enum class Method { gmres, minres, conjugate_gradients };

template <class S, class Apply>
KrylovReport solve_by(Method method, const Apply& apply, const std::vector<S>& b, std::vector<S>& x,
                      const KrylovOptions& options, KrylovSpace<S>& space) {
  x.assign(b.size(), S(99));  // solvers start at 0 whatever x holds
  switch (method) {
    case Method::gmres:
      return gmres(apply, b.data(), x.data(), b.size(), options, space);
    case Method::minres:
      return minres(apply, b.data(), x.data(), b.size(), options, space);
    default:
      return conjugate_gradients(apply, b.data(), x.data(), b.size(), options, space);
  }
}

struct Solved {
  KrylovReport report;
  Numbers x;
  double true_residual;  // |b - A x| / |b|
};

template <class S>
std::vector<S> rounded(const Numbers& x) {
  return std::vector<S>(x.begin(), x.end());
}

// A and b are rounded to S first, so that the solver and the reference solve the same system
template <class S>
Solved solve_dense(Method method, const Dense& a, const Numbers& b, const KrylovOptions& options) {
  const std::vector<S> right = rounded<S>(b);
  std::vector<S> x;
  KrylovSpace<S> space;
  Solved solved{solve_by(method, a.operator_on<S>(), right, x, options, space), Numbers(x.begin(), x.end()),
                0};
  solved.x.assign(x.begin(), x.end());
  Numbers r(right.begin(), right.end());
  const Extended b_norm = length(r);
  add(r, -1, a * solved.x);
  solved.true_residual = double(length(r) / b_norm);
  return solved;
}

}  // namespace dollop::tests
