// The standard test set, extremes: a model keeps its states within what numbers can hold, whatever it is subjected to by steps
// that are allowed.
#pragma once

#include <gtest/gtest.h>

#include "histories.h"
#include "tested_model.h"

namespace dollop::inline DOLLOP_ISA {
namespace {

template <class Case>
struct ExtremeHistories : testing::Test {};
TYPED_TEST_SUITE(ExtremeHistories, WholeCases, CaseName);

constexpr double most_increment = 0.5;   // of |du| in a step
constexpr double largest_extent = 1e15;  // a step that leads beyond is rejected

// increments that go on and on: nothing that a material meets in a scene is as bad
constexpr int motion_count = 9;
Mat3<double> increment_of(int motion, int step, const Mat3<double>& frame, Random& random) {
  const auto turned = [&](const Mat3<double>& a) { return frame * a * transpose(frame); };
  const double third = most_increment / std::sqrt(3.0);
  Mat3<double> shear{};
  shear(0, 1) = most_increment;
  switch (motion) {
    case 0:
      return Mat3<double>::diagonal(-third, -third, -third);
    case 1:
      return Mat3<double>::diagonal(third, third, third);
    case 2:
      return turned(Mat3<double>::diagonal(-most_increment, 0, 0));
    case 3:
      return turned(Mat3<double>::diagonal(most_increment, 0, 0));
    case 4:
      return turned(Mat3<double>::diagonal(-0.7 * most_increment, 0.7 * most_increment, 0));
    case 5:
      return turned(shear);
    case 6:  // squeezed while it turns
      return turned(Mat3<double>::diagonal(-0.5 * most_increment, -0.5 * most_increment, 0)) +
             sample_turn(0.2, random);
    case 7:  // to and fro, and a little more of the one
      return turned((step / 30 % 2 ? -0.9 : 1) * Mat3<double>::diagonal(0.6 * most_increment,
                                                                        0.3 * most_increment,
                                                                        -0.7 * most_increment));
    default: {
      const Mat3<double> du = make_mat3<double>([&](int, int) { return random.uniform(-1, 1); });
      return (most_increment * random.uniform(0, 1) / std::sqrt(norm_squared(du))) * du;
    }
  }
}

template <class Case, class Law>
void expect_in_bounds(const Law& law, const typename Case::template State<typename Case::S>& s,
                      const std::string& what) {
  for (const auto x : reals_of(s)) ASSERT_TRUE(std::isfinite(x)) << what;
  const double j = volume_of(law, s), tau = largest(stress_of(law, s)), e = largest(deformation_of(law, s));
  ASSERT_GT(j, 1 / largest_extent) << what;
  ASSERT_LT(j, largest_extent) << what;
  ASSERT_LT(e, largest_extent) << what;
  ASSERT_LT(tau / j, 1e15 * largest_extent) << what;
}

TYPED_TEST(ExtremeHistories, leave_states_within_bounds) {
  using S = typename TypeParam::S;
  const auto sets = parameter_sets<typename TypeParam::Model>();
  Random random{911};
  for (std::size_t i = 0; i < sets.size(); ++i)
    for (int motion = 0; motion < motion_count; ++motion) {
      const auto law = sets[i].template law<S>();
      const auto exact = sets[i].template law<double>();
      const auto step = step_law<S>(sets[i], test_dt);
      const Mat3<double> frame = random.rotation();
      typename TypeParam::template State<S> s{};
      for (int n = 0; n < 150; ++n) {
        advance(step, cast<S>(increment_of(motion, n, frame, random)), s);
        const std::string what =
            describe(sets[i]) + ", motion " + std::to_string(motion) + ", step " + std::to_string(n);
        expect_in_bounds<TypeParam>(law, s, what);
        if (testing::Test::HasFatalFailure()) return;
        // metrics are found in double
        const auto reals = reals_of(s);
        const auto t = state_from<typename TypeParam::template State<double>>(
            [&](int k) { return double(reals[std::size_t(k)]); });
        ASSERT_TRUE(std::isfinite(energy_of(exact, t))) << what;
        ASSERT_GT(volume_of(exact, t), 0) << what;
      }
    }
}

}  // namespace
}  // namespace dollop::inline DOLLOP_ISA
