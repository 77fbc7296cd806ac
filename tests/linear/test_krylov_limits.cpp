// Where Krylov solvers end early: nothing to do, breakdown, singular and unsuited operators, not a number.
#include <gtest/gtest.h>

#include <limits>

#include "linear/solve_case.h"

namespace dollop {
namespace {

using namespace tests;

constexpr Method methods[] = {Method::gmres, Method::minres, Method::conjugate_gradients};

template <class S>
class KrylovLimits : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(KrylovLimits, Scalars);

Dense diagonal(const Numbers& values) {
  Dense a(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) a(i, i) = values[i];
  return a;
}

// turns every pair of coordinates by a quarter
Dense quarter_turns(std::size_t n) {
  Dense a(n);
  for (std::size_t i = 0; i + 1 < n; i += 2) a(i, i + 1) = -1, a(i + 1, i) = 1;
  return a;
}

TYPED_TEST(KrylovLimits, zero_right_hand_side_gives_zero_at_once) {
  for (const Method method : methods) {
    int products = 0;
    const auto apply = [&](const TypeParam*, TypeParam*) { ++products; };
    const std::vector<TypeParam> b(10, 0);
    std::vector<TypeParam> x;
    KrylovSpace<TypeParam> space;
    const KrylovReport report = solve_by(method, apply, b, x, {}, space);
    EXPECT_TRUE(report.converged);
    EXPECT_EQ(report.iterations, 0);
    EXPECT_EQ(report.residual, 0);
    EXPECT_EQ(products, 0);
    EXPECT_EQ(x, b);
  }
}

TYPED_TEST(KrylovLimits, no_iterations_allowed_leaves_zero) {
  for (const Method method : methods) {
    const Solved solved = solve_dense<TypeParam>(method, diagonal({1, 2}), {1, 1}, {.max_iterations = 0});
    EXPECT_FALSE(solved.report.converged);
    EXPECT_EQ(solved.report.iterations, 0);
    EXPECT_EQ(solved.report.residual, 1);
    EXPECT_EQ(solved.x, Numbers(2, 0));
  }
}

// b lies in a space of three dimensions that A maps onto itself
TYPED_TEST(KrylovLimits, an_invariant_space_is_exact) {
  const Dense a = diagonal({2, 2, 5, 5, 5, 9});
  for (const Method method : methods) {
    const Solved solved =
        solve_dense<TypeParam>(method, a, {1, -1, 2, 2, 0, 3}, {.relative = 1e-6, .max_iterations = 20});
    EXPECT_TRUE(solved.report.converged) << int(method);
    EXPECT_EQ(solved.report.iterations, 3) << int(method);
    EXPECT_LT(solved.true_residual, 1e-6) << int(method);
  }
}

// the residual stays at 1 until the last step
TYPED_TEST(KrylovLimits, gmres_solves_a_cyclic_shift_in_n_steps) {
  const std::size_t n = 12;
  Dense a(n);
  for (std::size_t i = 0; i < n; ++i) a((i + 1) % n, i) = 1;
  Numbers b(n, 0);
  b[0] = 1;
  const Solved before = solve_dense<TypeParam>(Method::gmres, a, b, {.max_iterations = int(n) - 1});
  EXPECT_FALSE(before.report.converged);
  EXPECT_EQ(before.report.residual, 1);
  const Solved solved = solve_dense<TypeParam>(Method::gmres, a, b, {.relative = 0, .max_iterations = 50});
  EXPECT_TRUE(solved.report.converged);
  EXPECT_EQ(solved.report.iterations, int(n));
  EXPECT_EQ(solved.true_residual, 0);
}

TYPED_TEST(KrylovLimits, rotations_are_for_gmres_alone) {
  const Numbers b = random_numbers(20, 3);
  const KrylovOptions options{.relative = 1e-5, .max_iterations = 20};
  const Solved general = solve_dense<TypeParam>(Method::gmres, quarter_turns(20), b, options);
  EXPECT_TRUE(general.report.converged);
  EXPECT_EQ(general.report.iterations, 2);
  EXPECT_LT(general.true_residual, 1e-5);
  EXPECT_GT(solve_dense<TypeParam>(Method::minres, quarter_turns(20), b, options).true_residual, 0.1);
  const Solved gradients = solve_dense<TypeParam>(Method::conjugate_gradients, quarter_turns(20), b, options);
  EXPECT_FALSE(gradients.report.converged);
  EXPECT_GT(gradients.true_residual, 0.1);
}

TYPED_TEST(KrylovLimits, singular_operators_end_at_the_least_residual) {
  const Dense a = diagonal({1, 2, 0});
  const KrylovOptions options{.relative = 1e-5, .max_iterations = 30};
  for (const Method method : {Method::gmres, Method::minres}) {
    const Solved within = solve_dense<TypeParam>(method, a, {1, 1, 0}, options);
    EXPECT_TRUE(within.report.converged);
    EXPECT_LT(within.true_residual, 1e-5);
    const Solved off = solve_dense<TypeParam>(method, a, {1, 1, 1}, options);
    EXPECT_FALSE(off.report.converged);
    EXPECT_LE(off.report.iterations, 3);
    EXPECT_NEAR(off.report.residual, std::sqrt(1 / 3.), 1e-6);
    EXPECT_NEAR(off.true_residual, std::sqrt(1 / 3.), 1e-6);
  }
  for (const Method method : methods) {
    const Solved nothing = solve_dense<TypeParam>(method, Dense(3), {1, 2, 3}, options);
    EXPECT_FALSE(nothing.report.converged);
    EXPECT_EQ(nothing.report.iterations, 1);
    EXPECT_EQ(nothing.report.residual, 1);
    EXPECT_EQ(nothing.x, Numbers(3, 0));
  }
}

TYPED_TEST(KrylovLimits, gradients_stop_where_the_curvature_is_not_positive) {
  const Dense a = diagonal({1, 2, 3, -0.1L});
  const Numbers b = {1, 1, 1, 0.5L};
  const Solved solved =
      solve_dense<TypeParam>(Method::conjugate_gradients, a, b, {.relative = 1e-5, .max_iterations = 50});
  EXPECT_FALSE(solved.report.converged);
  EXPECT_LE(solved.report.iterations, 4);
  EXPECT_NEAR(solved.report.residual, solved.true_residual, 1e-5);
  // it has gone downhill until then
  Numbers gradient = a * solved.x;
  EXPECT_LT(product(solved.x, gradient) / 2 - product(solved.x, b), -1);

  const Solved at_once = solve_dense<TypeParam>(Method::conjugate_gradients, diagonal({-1, -2}), {1, 1}, {});
  EXPECT_FALSE(at_once.report.converged);
  EXPECT_EQ(at_once.report.iterations, 1);
  EXPECT_EQ(at_once.report.residual, 1);
  EXPECT_EQ(at_once.x, Numbers(2, 0));
}

TYPED_TEST(KrylovLimits, what_is_not_a_number_ends_the_solve) {
  constexpr TypeParam infinite = std::numeric_limits<TypeParam>::infinity();
  const Dense a = diagonal({1, 2, 3, 4, 5});
  for (const TypeParam bad : {std::numeric_limits<TypeParam>::quiet_NaN(), infinite, -infinite})
    for (const Method method : methods) {
      KrylovSpace<TypeParam> space;
      std::vector<TypeParam> x;
      // in b
      const auto good = a.operator_on<TypeParam>();
      const KrylovReport bad_b = solve_by(method, good, {1, 2, bad, 1, 1}, x, {.max_iterations = 100}, space);
      EXPECT_FALSE(bad_b.converged);
      EXPECT_EQ(bad_b.iterations, 0);
      // in the third product: what the first two gave is kept
      int products = 0;
      const auto turns_bad = [&](const TypeParam* in, TypeParam* out) {
        good(in, out);
        if (++products == 3) out[1] = bad;
      };
      const std::vector<TypeParam> b = {1, 2, 3, 1, 1};
      const KrylovReport bad_a =
          solve_by(method, turns_bad, b, x, {.relative = 1e-9, .max_iterations = 100}, space);
      EXPECT_FALSE(bad_a.converged);
      EXPECT_EQ(bad_a.iterations, 3);
      std::vector<TypeParam> two_steps;
      const KrylovReport kept =
          solve_by(method, good, b, two_steps, {.relative = 1e-9, .max_iterations = 2}, space);
      EXPECT_EQ(x, two_steps) << int(method);
      EXPECT_EQ(bad_a.residual, kept.residual);
    }
}

}  // namespace
}  // namespace dollop
