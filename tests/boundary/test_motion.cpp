#include "boundary/motion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "boundary/rigid.h"
#include "boundary/sample_shapes.h"

namespace dollop {
namespace {

using namespace test;
using Kind = Animated::Kind;

TEST(motion, constants_stay) {
  const Animated a(2.5);
  EXPECT_EQ(value_at(a, 7), 2.5);
  EXPECT_EQ(rate_at(a, 7), 0);
}

TEST(motion, linear_keys_are_straight_between_and_rest_outside) {
  const Animated a(Kind::linear, {{1, 10}, {2, 20}, {4, -20}});
  const double times[] = {0, 1, 1.5, 2, 3, 4, 5}, values[] = {10, 10, 15, 20, 0, -20, -20};
  const double rates[] = {0, 10, 10, -20, -20, 0, 0};  // just after a kink
  for (int i = 0; i < 7; ++i) {
    EXPECT_DOUBLE_EQ(value_at(a, times[i]), values[i]);
    EXPECT_DOUBLE_EQ(rate_at(a, times[i]), rates[i]);
  }
}

TEST(motion, smooth_keys_start_and_end_at_rest) {
  const Animated a(Kind::smooth, {{1, 10}, {3, 20}});
  EXPECT_DOUBLE_EQ(value_at(a, 2), 15);
  EXPECT_DOUBLE_EQ(rate_at(a, 2), 1.5 * 10 / 2.0);
  EXPECT_DOUBLE_EQ(value_at(a, 1.5), 10 + 10 * (3.0 / 16 - 2.0 / 64));
  EXPECT_DOUBLE_EQ(rate_at(a, 1), 0);
  EXPECT_DOUBLE_EQ(rate_at(a, 3), 0);
  constexpr double h = 1e-5;
  for (double t = 0.105; t < 4; t += 0.1)
    EXPECT_NEAR(rate_at(a, t), (value_at(a, t + h) - value_at(a, t - h)) / (2 * h), 1e-8);
}

TEST(motion, one_key_is_a_constant) {
  const Animated a(Kind::linear, {{1, 10}});
  for (const double t : {0.0, 1.0, 2.0}) {
    EXPECT_EQ(value_at(a, t), 10);
    EXPECT_EQ(rate_at(a, t), 0);
  }
}

TEST(motion, rate_of_a_sine_from_slow_to_fast) {
  constexpr double amplitude = 0.02;
  for (double frequency = 0.1; frequency < 1.1e4; frequency *= std::sqrt(10.0)) {
    const Animated a("0.02*sin(2*pi*" + std::to_string(frequency) + "*t + 0.3)");
    const double f = std::stod(std::to_string(frequency)), omega = 2 * pi * f;
    Random random;
    for (int i = 0; i < 50; ++i) {
      const double t = i == 0 ? 0 : random.in(0, 1);
      const double exact = amplitude * omega * std::cos(omega * t + 0.3);
      EXPECT_NEAR(rate_at(a, t), exact, 1e-9 * amplitude * f) << f << " Hz at " << t << " s";
    }
  }
}

TEST(motion, rates_of_other_expressions) {
  const auto rate = [](const char* text, double t) { return rate_at(Animated(std::string(text)), t); };
  EXPECT_NEAR(rate("t^3 - 2*t", 2), 10, 1e-12);
  EXPECT_EQ(rate("0.5", 2), 0);
  EXPECT_NEAR(rate("exp(-t)", 3), -std::exp(-3), 1e-13);
  EXPECT_NEAR(rate("100 + 1e-3*t", 50), 1e-3, 1e-12);
  EXPECT_NEAR(rate("smoothstep(1, 2, t)", 1.5), 1.5, 1e-12);
  EXPECT_NEAR(rate("smoothstep(1, 2, t)", 5), 0, 1e-15);
  // a short push is seen although the function is flat a little further away
  EXPECT_NEAR(rate("exp(-((t-5)/0.001)^2)", 5.0005), -1000 * std::exp(-0.25), 1e-5);
}

TEST(motion, rate_at_a_kink_or_jump_of_an_expression_is_that_after_it) {
  const auto rate = [](const char* text, double t) { return rate_at(Animated(std::string(text)), t); };
  EXPECT_NEAR(rate("abs(t)", 0), 1, 1e-9);
  EXPECT_NEAR(rate("abs(t)", 1e-3), 1, 1e-9);
  EXPECT_NEAR(rate("clamp(t, 0, 1)", 0), 1, 1e-9);
  EXPECT_NEAR(rate("clamp(3*t, 0, 3)", 1), 0, 1e-9);
  EXPECT_NEAR(rate("step(0.5, t)", 0.5), 0, 1e-9);
  EXPECT_NEAR(rate("step(0.5, t)*(2 + t)", 0.5), 1, 1e-7);
  EXPECT_NEAR(rate("t^1.5 + sqrt(t)*0", 0), 0, 1e-3);  // no value before zero
  EXPECT_TRUE(std::isfinite(rate("sqrt(t)", 0)));      // infinite in truth
}

TEST(motion, says_what_is_wrong_with_animated_values) {
  EXPECT_EQ(validate(Animated(1.0)), "");
  EXPECT_EQ(validate(Animated(double(NAN))), "must be finite");
  EXPECT_EQ(validate(Animated(Kind::linear, {})), "needs one key or more");
  EXPECT_EQ(validate(Animated(Kind::smooth, {{0, 1}, {1, 2}})), "");
  EXPECT_EQ(validate(Animated(Kind::smooth, {{0, 1}, {1, 2}, {1, 3}})),
            "key 3: its time 1 is not after 1, the time of key 2; put the keys in order");
  EXPECT_EQ(validate(Animated(Kind::linear, {{0, INFINITY}})), "key 1: time and value must be finite");
  EXPECT_EQ(validate(Animated(std::string("t + x"))),
            "expression 't + x': Unexpected token \"x\" (column 5)");
  EXPECT_EQ(validate(Animated3(0.0, Animated(std::string("log(t)")), 0.0)),
            "y: expression 'log(t)' has no finite value at t = 0");
  EXPECT_EQ(validate(Motion{.rotation = Animated3(0.0, 0.0, Animated(Kind::linear, {}))}),
            "rotation.z: needs one key or more");
  EXPECT_EQ(validate(Motion{.velocity = {0, NAN, 0}}), "velocity must be finite");
}

TEST(motion, angles_turn_about_x_then_y_then_z_of_space) {
  const auto turn = [](const Double3& angles, const Vec3<double>& v) {
    return to_array(to_mat(rotation_of_angles(angles)) * v);
  };
  const auto expect = [](const Double3& a, const Double3& b) {
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(a[i], b[i], 1e-15);
  };
  expect(turn({pi / 2, 0, 0}, {0, 1, 0}), {0, 0, 1});
  expect(turn({0, pi / 2, 0}, {0, 0, 1}), {1, 0, 0});
  expect(turn({0, 0, pi / 2}, {1, 0, 0}), {0, 1, 0});
  expect(turn({pi / 2, pi / 2, 0}, {0, 1, 0}), {1, 0, 0});       // y -> z -> x
  expect(turn({pi / 2, pi / 2, pi / 2}, {0, 1, 0}), {0, 1, 0});  // and on to y
  EXPECT_EQ(rotation_of_angles({0, 0, 0}), identity_rotation);
}

Vec3<double> moved(const Pose& pose, const Vec3<double>& at_rest) {
  return to_mat(pose.rotation) * at_rest + to_vec(pose.translation);
}

const Motion everything{
    .velocity = {0.3, -0.2, 0.5},
    .angular_velocity = {1, -2, 0.5},
    .pivot = {0.4, 0.1, -0.2},
    .position =
        Animated3(Animated(std::string("0.1*sin(7*t)")), Animated(Kind::smooth, {{0, 0}, {10, 3}}), 0.25),
    .rotation = Animated3(Animated(std::string("sin(3*t)")), Animated(std::string("0.4*t")),
                          Animated(Kind::linear, {{0, 0}, {10, 8}}))};

TEST(motion, pose_is_its_formula) {
  Random random;
  for (int i = 0; i < 50; ++i) {
    const double t = random.in(0, 5);
    const Vec3<double> at_rest = random.in_cube(1), pivot = to_vec(everything.pivot);
    const Vec3<double> displacement{0.1 * std::sin(7 * t), value_at(everything.position.y, t), 0.25};
    const Mat3<double> r = to_mat(rotation_of_angles({std::sin(3 * t), 0.4 * t, 0.8 * t}));
    const Vec3<double> spun = rotation_by(t * to_vec(everything.angular_velocity)) * (r * (at_rest - pivot));
    const Vec3<double> x = pivot + displacement + t * to_vec(everything.velocity) + spun;
    const Pose pose = pose_at(everything, t);
    EXPECT_LT(norm(moved(pose, at_rest) - x), 1e-14);
    EXPECT_EQ(pose.time, t);
  }
}

TEST(motion, velocities_are_the_rates_of_the_pose) {
  constexpr double h = 1e-5;
  Random random;
  for (int i = 0; i < 100; ++i) {
    const double t = random.in(0.01, 5);
    const Vec3<double> at_rest = random.in_cube(1);
    const Pose pose = pose_at(everything, t);
    const Vec3<double> before = moved(pose_at(everything, t - h), at_rest);
    const Vec3<double> after = moved(pose_at(everything, t + h), at_rest);
    const Vec3<double> rate = (1 / (2 * h)) * (after - before);
    EXPECT_LT(norm(to_vec(velocity_at(pose, to_array(moved(pose, at_rest)))) - rate), 1e-7);
  }
}

}  // namespace
}  // namespace dollop
