#include "boundary/expression.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <numbers>

#include "core/parallel.h"

namespace dollop {
namespace {

TEST(expression, has_the_value_of_its_formula) {
  EXPECT_DOUBLE_EQ(evaluate("0.02*sin(2*pi*3*t)", 0.1), 0.02 * std::sin(2 * std::numbers::pi * 0.3));
  EXPECT_DOUBLE_EQ(evaluate("e^t", 1.5), std::pow(std::numbers::e, 1.5));
  EXPECT_DOUBLE_EQ(evaluate("1e-3 + 2e1*t", 1), 20.001);  // the constant e does not disturb numbers
  EXPECT_DOUBLE_EQ(evaluate("t < 1 ? 2 : 3", 0.5), 2);
  EXPECT_DOUBLE_EQ(evaluate("min(t, 2) + max(t, 2)", 5), 7);
}

TEST(expression, knows_floor_and_fraction) {
  for (const double t : {-1.25, -1.0, 0.0, 0.75, 2.5}) {
    EXPECT_DOUBLE_EQ(evaluate("floor(t)", t), std::floor(t));
    EXPECT_DOUBLE_EQ(evaluate("frac(t)", t), t - std::floor(t));
  }
}

TEST(expression, knows_clamp_step_and_smoothstep) {
  for (const double t : {-1.0, 0.0, 0.25, 0.5, 1.0, 2.0, 3.5}) {
    EXPECT_DOUBLE_EQ(evaluate("clamp(t, 0, 2)", t), std::min(std::max(t, 0.0), 2.0));
    EXPECT_DOUBLE_EQ(evaluate("step(0.5, t)", t), t < 0.5 ? 0 : 1);
    const double s = std::min(std::max((t - 0.5) / 2.5, 0.0), 1.0);
    EXPECT_DOUBLE_EQ(evaluate("smoothstep(0.5, 3, t)", t), s * s * (3 - 2 * s));
    EXPECT_DOUBLE_EQ(evaluate("smoothstep(1, 1, t)", t), t < 1 ? 0 : 1);
  }
}

TEST(expression, says_what_is_wrong_and_where) {
  EXPECT_EQ(validate_expression("0.02*sin(2*pi*t)"), "");
  EXPECT_EQ(validate_expression(" "), "the expression is empty");
  EXPECT_EQ(validate_expression("0.02*sin(2*q)"),
            "expression '0.02*sin(2*q)': Unexpected token \"q\" (column 12)");
  EXPECT_EQ(validate_expression("0.1*sine(2*t)"),
            "expression '0.1*sine(2*t)': Unexpected token \"sine\" (column 5); did you mean 'sin'?");
  EXPECT_EQ(validate_expression("cosinus(t)").find("did you mean"), std::string::npos);
  EXPECT_NE(validate_expression("2*smothstep(0, 1, t)").find("did you mean 'smoothstep'?"),
            std::string::npos);
  EXPECT_NE(validate_expression("2*T").find("the time is t"), std::string::npos);
  EXPECT_NE(validate_expression("pow(t, 2)").find("write a ^ b"), std::string::npos);
  EXPECT_NE(validate_expression("sin(2*t").find("expression 'sin(2*t': Missing parenthesis"),
            std::string::npos);
  EXPECT_NE(validate_expression("sin(t,2)").find("Too many parameters for function \"sin\""),
            std::string::npos);
  EXPECT_NE(validate_expression("2*").find("(column 3)"), std::string::npos);
  EXPECT_EQ(validate_expression("1/t"), "expression '1/t' has no finite value at t = 0");
  EXPECT_EQ(validate_expression("sqrt(t-1)"), "expression 'sqrt(t-1)' has no finite value at t = 0");
  EXPECT_EQ(validate_expression("t, 2"), "expression 't, 2': it has more than one value; remove the comma");
  EXPECT_EQ(validate_expression("t = 2"), "expression 't = 2': it sets t; compare with == instead of =");
}

TEST(expression, what_is_wrong_has_no_value) {
  EXPECT_TRUE(std::isnan(evaluate("sin(", 1)));
  EXPECT_TRUE(std::isnan(evaluate("", 1)));
}

TEST(expression, is_the_same_in_all_threads) {
  std::atomic<int> wrong = 0;
  parallel_for(20000, 16, [&](std::size_t i) {
    const double t = 1e-3 * double(i);
    wrong += evaluate("sin(10*t) + t", t) != std::sin(10 * t) + t;
    wrong += evaluate("2*t", t) != 2 * t;
  });
  EXPECT_EQ(wrong, 0);
}

TEST(expression, more_of_them_than_are_kept_still_work) {
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < 1500; ++i) EXPECT_EQ(evaluate("t + " + std::to_string(i), 1), 1 + i);
}

}  // namespace
}  // namespace dollop
