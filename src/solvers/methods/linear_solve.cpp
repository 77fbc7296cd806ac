#include "solvers/methods/linear_solve.h"

#include <algorithm>

namespace dollop {

template <class S>
int solve_linear(const KrylovOptions& options, const S* r, ImplicitSystem<S>& system, ImplicitMpm<S>& mpm) {
  S *b = mpm.trial_residual.data(), *x = mpm.trial.data();
  const std::size_t n = system.size();
  const auto apply = [&](const S* from, S* to) { system.apply(from, to); };
  system.right_hand_side(r, b);
  KrylovReport report;
  if (mpm.symmetric) {
    report = conjugate_gradients(apply, b, x, n, options, mpm.krylov);
    if (report.indefinite) {
      const int before = report.iterations;
      system.make_definite();
      system.right_hand_side(r, b);
      report = conjugate_gradients(apply, b, x, n, options, mpm.krylov);
      report.iterations += before;
    }
  } else {
    KrylovOptions fewer = options;
    fewer.max_iterations = std::min(options.max_iterations, most_gmres_iterations);
    report = gmres(apply, b, x, n, fewer, mpm.krylov);
  }
  system.unscale(x, mpm.change.data());
  return report.iterations;
}

template int solve_linear(const KrylovOptions&, const float*, ImplicitSystem<float>&, ImplicitMpm<float>&);
template int solve_linear(const KrylovOptions&, const double*, ImplicitSystem<double>&, ImplicitMpm<double>&);

}  // namespace dollop
