// Krylov solvers against direct solves and textbook recurrences in extended precision.
#include <gtest/gtest.h>

#include <limits>
#include <type_traits>

#include "linear/solve_case.h"
#include "worse_of.h"

namespace dollop {
namespace {

using namespace tests;

template <class S>
class Krylov : public testing::Test {
 protected:
  static constexpr double epsilon = std::numeric_limits<S>::epsilon();
  static constexpr bool single = std::is_same_v<S, float>;
  static constexpr std::size_t n = 40;

  // 1 + part times a matrix of this condition without any symmetry
  static Dense general(double condition, double part) {
    Dense a = from_values(graded_values(n, condition), 1, 2);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) a(i, j) = part * a(i, j) + (i == j);
    return a.template rounded<S>();
  }
  static Dense symmetric(double condition, bool indefinite) {
    Dense a = from_values(graded_values(n, condition, indefinite), 3, 3).template rounded<S>();
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < i; ++j) a(i, j) = a(j, i);
    return a;
  }
  static Numbers right() {
    const std::vector<S> b = rounded<S>(random_numbers(n, 5));
    return Numbers(b.begin(), b.end());
  }
  // the error of x, relative to the direct solution
  static double error(const Dense& a, const Solved& solved) {
    Numbers exact = solve_directly(a, right());
    const Extended size = length(exact);
    add(exact, -1, solved.x);
    return double(length(exact) / size);
  }
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Krylov, Scalars);

TYPED_TEST(Krylov, gmres_is_exact_after_n_steps) {
  for (const double condition : {1.5, 10., 1e4}) {
    const Dense a = from_values(graded_values(this->n, condition), 1, 2).template rounded<TypeParam>();
    const Solved solved = solve_dense<TypeParam>(Method::gmres, a, this->right(),
                                                 {.relative = 0, .max_iterations = int(this->n) + 5});
    EXPECT_LE(solved.report.iterations, int(this->n)) << condition;
    EXPECT_LT(this->error(a, solved), 8 * condition * this->epsilon) << condition;
    EXPECT_LT(solved.true_residual, 40 * this->epsilon * std::sqrt(condition)) << condition;
  }
}

TYPED_TEST(Krylov, symmetric_solvers_agree_with_a_direct_solve) {
  const KrylovOptions options{.relative = 20 * this->epsilon, .max_iterations = 200};
  // the error of MINRES grows with the square of the condition
  for (const double condition : {2., 10., this->single ? 30. : 1000.})
    for (const Method method : {Method::gmres, Method::minres, Method::conjugate_gradients})
      for (const bool indefinite : {false, true}) {
        if (indefinite && method == Method::conjugate_gradients) continue;
        const Dense a = this->symmetric(condition, indefinite);
        const Solved solved = solve_dense<TypeParam>(method, a, this->right(), options);
        EXPECT_TRUE(solved.report.converged) << condition << " " << int(method) << indefinite;
        EXPECT_LT(this->error(a, solved), 40 * condition * this->epsilon)
            << condition << " " << int(method) << indefinite;
      }
}

TYPED_TEST(Krylov, residuals_are_the_least_ones_and_true) {
  const auto check = [&](Method method, const Dense& a, int most) {
    const std::vector<double> least = least_residuals(a, this->right(), most);
    double last = 1;
    for (int m = 1; m <= most; ++m) {
      const Solved solved =
          solve_dense<TypeParam>(method, a, this->right(), {.relative = 0, .max_iterations = m});
      const double residual = solved.report.residual;
      EXPECT_EQ(solved.report.iterations, m);
      EXPECT_LE(residual, last) << m;
      EXPECT_NEAR(residual, solved.true_residual, 40 * this->epsilon) << m;
      EXPECT_NEAR(residual, least[std::size_t(m)], 1e-3 * least[std::size_t(m)] + 40 * this->epsilon) << m;
      last = residual;
    }
  };
  check(Method::gmres, this->general(10, 2), 30);
  check(Method::gmres, this->general(1e3, 2), 30);
  check(Method::gmres, this->symmetric(10, true), 25);
  // where the short recurrence has not yet lost its orthogonality
  check(Method::minres, this->symmetric(10, true), this->single ? 20 : 25);
  check(Method::minres, this->symmetric(10, false), 20);
}

TYPED_TEST(Krylov, steps_are_those_of_the_textbook) {
  const Dense a = this->general(4, 0.8), s = this->symmetric(8, false), indefinite = this->symmetric(2, true);
  const auto least_a = least_residuals(a, this->right(), 39), least_s = least_residuals(s, this->right(), 39);
  const auto least_i = least_residuals(indefinite, this->right(), 39);
  const auto gradients = gradient_residuals(s, this->right(), 39);
  for (const double relative : {0.3, 1e-1, 1e-2, 1e-3, 1e-4}) {
    const KrylovOptions options{.relative = relative, .max_iterations = 39};
    const auto check = [&](Method method, const Dense& matrix, const std::vector<double>& reference) {
      const Solved solved = solve_dense<TypeParam>(method, matrix, this->right(), options);
      EXPECT_TRUE(solved.report.converged);
      EXPECT_EQ(solved.report.iterations, steps_to(reference, relative)) << relative << " " << int(method);
      EXPECT_LE(solved.report.residual, relative);
      EXPECT_NEAR(solved.report.residual, solved.true_residual, 40 * this->epsilon);
    };
    check(Method::gmres, a, least_a);
    check(Method::gmres, indefinite, least_i);
    check(Method::minres, s, least_s);
    check(Method::minres, indefinite, least_i);
    check(Method::conjugate_gradients, s, gradients);
  }
}

// each product is almost a multiple of its vector, or of those before
TYPED_TEST(Krylov, the_basis_stays_orthogonal_where_products_cancel) {
  for (const double part : {2., 1e-2, 1e-4}) {
    const Dense a = this->general(1e3, part);
    const std::vector<TypeParam> b = rounded<TypeParam>(this->right());
    std::vector<TypeParam> x;
    KrylovSpace<TypeParam> space;
    const KrylovReport report = solve_by(Method::gmres, a.template operator_on<TypeParam>(), b, x,
                                         {.relative = 0, .max_iterations = 30}, space);
    double worst = 0;
    EXPECT_GE(report.iterations, 3);
    for (std::size_t k = 0; k < std::size_t(report.iterations); ++k)
      for (std::size_t m = 0; m <= k; ++m) {
        const double value = dot(space.vectors[k].data(), space.vectors[m].data(), this->n);
        worst = tests::worse_of(worst, std::abs(value - (k == m)));
      }
    EXPECT_LT(worst, (this->single ? 2 : 400) * this->epsilon) << part;
  }
}

TYPED_TEST(Krylov, an_absolute_goal_counts_too) {
  const Dense a = this->general(10, 2);
  const double size = double(length(this->right()));
  const KrylovOptions relative{.relative = 0.1, .max_iterations = 39};
  const KrylovOptions absolute{.relative = 0, .absolute = 0.1 * size, .max_iterations = 39};
  const Solved one = solve_dense<TypeParam>(Method::gmres, a, this->right(), relative);
  const Solved two = solve_dense<TypeParam>(Method::gmres, a, this->right(), absolute);
  EXPECT_EQ(one.report.iterations, two.report.iterations);
  EXPECT_EQ(one.x, two.x);
  const Solved none =
      solve_dense<TypeParam>(Method::minres, a, this->right(), {.relative = 0, .absolute = 1.01 * size});
  EXPECT_TRUE(none.report.converged);
  EXPECT_EQ(none.report.iterations, 0);
  EXPECT_EQ(none.report.residual, 1);
  EXPECT_EQ(none.x, Numbers(this->n, 0));
}

}  // namespace
}  // namespace dollop
