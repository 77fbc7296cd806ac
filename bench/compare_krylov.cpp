// Compares the Krylov solvers of src/linear with Eigen's: the time that they take apart from the products with A.
//
// Without Eigen's headers in the include path it measures ours alone. To compare:
//   g++ -std=c++20 -O3 -DNDEBUG -ffp-contract=off -Iinclude -Isrc -I/usr/include/eigen3 bench/compare_krylov.cpp
//       src/linear/*.cpp src/core/aligned_array.cpp -ltbb -lfmt -o compare_krylov
// Usage: compare_krylov [CELLS_ALONG_EDGE [ITERATIONS]]
#include <fmt/core.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <time.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "core/parallel.h"
#include "linear/krylov.h"

#if __has_include(<Eigen/IterativeLinearSolvers>) && __has_include(<unsupported/Eigen/IterativeSolvers>)
#define WITH_EIGEN 1
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/Sparse>
#include <unsupported/Eigen/IterativeSolvers>
#endif

namespace {

constexpr int repeats = 9;  // the first one allocates memory; of the others the best counts
bool count_processor_time = false;

// [s]: CPU time with one thread, which other programs do not disturb; wall-clock time with more threads
double now() {
  timespec time;
  clock_gettime(count_processor_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}
double since(double start) { return now() - start; }

// 1 + 7-point Laplacian + first derivative along x, on a cube of m³ cells with zero boundary values; it times itself
template <class S>
struct Stencil {
  std::size_t m;
  S diffusion, drift;
  mutable double seconds = 0;

  void operator()(const S* x, S* y) const {
    const double start = now();
    dollop::parallel_for(m * m, 16, [&](std::size_t row) {
      const std::size_t k = row / m, j = row % m, first = row * m;
      const S* below = k > 0 ? x + first - m * m : nullptr;
      const S* above = k + 1 < m ? x + first + m * m : nullptr;
      const S* front = j > 0 ? x + first - m : nullptr;
      const S* back = j + 1 < m ? x + first + m : nullptr;
      for (std::size_t i = 0; i < m; ++i) {
        const S left = i > 0 ? x[first + i - 1] : S(0), right = i + 1 < m ? x[first + i + 1] : S(0);
        const S around = left + right + (below ? below[i] : S(0)) + (above ? above[i] : S(0)) +
                         (front ? front[i] : S(0)) + (back ? back[i] : S(0));
        y[first + i] = x[first + i] + diffusion * (6 * x[first + i] - around) + drift * (right - left);
      }
    });
    seconds += since(start);
  }
};

struct Timing {
  double total, products;
  int iterations;
  double residual;
};

void print(const std::string& name, const Timing& t) {
  fmt::print(
      "{:24} {:3d} products, total {:7.1f} ms, products {:7.1f} ms, beyond {:7.1f} ms, residual {:.2e}\n",
      name, t.iterations, 1e3 * t.total, 1e3 * t.products, 1e3 * (t.total - t.products), t.residual);
}

template <class S, class Solve>
Timing measure_ours(const Stencil<S>& a, const std::vector<S>& b, int iterations, const Solve& solve) {
  std::vector<S> x(b.size());
  static dollop::KrylovSpace<S> space;
  const dollop::KrylovOptions options{.relative = 0, .max_iterations = iterations};
  Timing best{1e9, 0, 0, 0};
  for (int repeat = 0; repeat < repeats; ++repeat) {
    a.seconds = 0;
    const double start = now();
    const auto report = solve(a, b.data(), x.data(), b.size(), options, space);
    const double total = since(start);
    if (repeat > 0 && total - a.seconds < best.total - best.products)
      best = {total, a.seconds, report.iterations, report.residual};
  }
  return best;
}

}  // namespace

#ifdef WITH_EIGEN
template <class S>
class StencilMatrix;

namespace Eigen::internal {
template <class S>
struct traits<StencilMatrix<S>> : public traits<SparseMatrix<S>> {};
}  // namespace Eigen::internal

// the stencil as a matrix-free operator for Eigen's solvers
template <class S>
class StencilMatrix : public Eigen::EigenBase<StencilMatrix<S>> {
 public:
  using Scalar = S;
  using RealScalar = S;
  using StorageIndex = int;
  enum { ColsAtCompileTime = Eigen::Dynamic, MaxColsAtCompileTime = Eigen::Dynamic, IsRowMajor = false };
  explicit StencilMatrix(const Stencil<S>& s) : stencil(s) {}
  Eigen::Index rows() const { return Eigen::Index(stencil.m * stencil.m * stencil.m); }
  Eigen::Index cols() const { return rows(); }
  template <class Rhs>
  Eigen::Product<StencilMatrix, Rhs, Eigen::AliasFreeProduct> operator*(
      const Eigen::MatrixBase<Rhs>& x) const {
    return {*this, x.derived()};
  }
  const Stencil<S>& stencil;
};

namespace Eigen::internal {
template <class S, class Rhs>
struct generic_product_impl<StencilMatrix<S>, Rhs, SparseShape, DenseShape, GemvProduct>
    : generic_product_impl_base<StencilMatrix<S>, Rhs, generic_product_impl<StencilMatrix<S>, Rhs>> {
  template <class Dest>
  static void evalTo(Dest& y, const StencilMatrix<S>& a, const Rhs& x) {
    const Ref<const Matrix<S, Dynamic, 1>> plain(x);
    a.stencil(plain.data(), &y.coeffRef(0));
  }
  template <class Dest>
  static void scaleAndAddTo(Dest& y, const StencilMatrix<S>& a, const Rhs& x, const S& alpha) {
    Matrix<S, Dynamic, 1> product(a.rows());
    const Ref<const Matrix<S, Dynamic, 1>> plain(x);
    a.stencil(plain.data(), product.data());
    y += alpha * product;
  }
};
}  // namespace Eigen::internal

namespace {

template <class S, class Solver>
Timing measure_eigen(const Stencil<S>& a, const std::vector<S>& b, int iterations, Solver& solver) {
  const StencilMatrix<S> matrix(a);
  const Eigen::Map<const Eigen::Matrix<S, Eigen::Dynamic, 1>> right(b.data(), Eigen::Index(b.size()));
  Eigen::Matrix<S, Eigen::Dynamic, 1> x(right.size());
  solver.setMaxIterations(iterations);
  solver.setTolerance(S(1e-30));
  solver.compute(matrix);
  Timing best{1e9, 0, 0, 0};
  for (int repeat = 0; repeat < repeats; ++repeat) {
    a.seconds = 0;
    const double start = now();
    x = solver.solve(right);
    const double total = since(start);
    if (repeat > 0 && total - a.seconds < best.total - best.products)
      best = {total, a.seconds, int(solver.iterations()), double(solver.error())};
  }
  return best;
}

template <class S>
void compare_eigen(const Stencil<S>& skew, const Stencil<S>& symmetric, const std::vector<S>& b,
                   int iterations) {
  using Matrix = StencilMatrix<S>;
  Eigen::GMRES<Matrix, Eigen::IdentityPreconditioner> gmres;
  gmres.set_restart(iterations + 1);
  print("  Eigen GMRES", measure_eigen(skew, b, iterations, gmres));
  Eigen::MINRES<Matrix, Eigen::Lower | Eigen::Upper, Eigen::IdentityPreconditioner> minres;
  print("  Eigen MINRES", measure_eigen(symmetric, b, iterations, minres));
  Eigen::ConjugateGradient<Matrix, Eigen::Lower | Eigen::Upper, Eigen::IdentityPreconditioner> gradients;
  print("  Eigen CG", measure_eigen(symmetric, b, iterations, gradients));
}

}  // namespace
#endif

namespace {

template <class S>
void compare(std::size_t m, int iterations) {
  const Stencil<S> skew{m, S(2), S(0.7)}, symmetric{m, S(2), S(0)};
  std::vector<S> b(m * m * m);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = S(double(i * 2654435761u % 1000003u) / 1000003. - 0.5);
  const auto gmres = [](auto&&... all) { return dollop::gmres(all...); };
  const auto minres = [](auto&&... all) { return dollop::minres(all...); };
  const auto gradients = [](auto&&... all) { return dollop::conjugate_gradients(all...); };
  print("  our GMRES", measure_ours(skew, b, iterations, gmres));
  print("  our MINRES", measure_ours(symmetric, b, iterations, minres));
  print("  our CG", measure_ours(symmetric, b, iterations, gradients));
#ifdef WITH_EIGEN
  compare_eigen(skew, symmetric, b, iterations);
#endif
}

}  // namespace

int main(int count, char** arguments) {
  const std::size_t m = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 100;
  const int iterations = count > 2 ? std::atoi(arguments[2]) : 15;
  for (const int threads : {1, 2}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, std::size_t(threads));
    tbb::task_arena arena(threads);
    count_processor_time = threads == 1;
    arena.execute([&] {
      fmt::print("float, {} threads\n", threads);
      compare<float>(m, iterations);
      fmt::print("double, {} threads\n", threads);
      compare<double>(m, iterations);
    });
  }
}
