// The sine of angles up to a right one against long double, on packs and with its derivative.
#include "math/sine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "samples.h"
#include "worse_of.h"

namespace dollop::inline DOLLOP_ISA {
namespace {

template <class S>
struct Sine : testing::Test {
  static constexpr S right = S(std::numbers::pi / 2);
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Sine, Scalars);

// every magnitude and uniformly, both signs: relative to the result, in units of rounding
TYPED_TEST(Sine, is_exact_to_rounding) {
  using S = TypeParam;
  using P = Pack<S>;
  Random random{3};
  double worst = 0;
  S x[P::lanes];
  for (int i = 0; i < sample_count(20000); ++i) {
    for (S& one : x)
      one = S(random.bits() % 2 ? random.uniform(-1, 1) * double(this->right)
                                : std::copysign(random.power_of_ten(-20, 0), random.uniform(-1, 1)));
    const P r = sin_quarter(P::load(x));
    for (int l = 0; l < P::lanes; ++l) {
      ASSERT_TRUE(same_bits(r[l], sin_quarter(x[l]))) << x[l];
      const long double exact = std::sin((long double)x[l]);
      worst = tests::worse_of(worst, double(std::fabs(r[l] - exact) / std::fabs(exact)));
    }
  }
  EXPECT_LE(worst, 2 * std::numeric_limits<S>::epsilon());
  this->RecordProperty("worst", std::to_string(worst / std::numeric_limits<S>::epsilon()));
}

TYPED_TEST(Sine, ends) {
  using S = TypeParam;
  EXPECT_TRUE(same_bits(sin_quarter(S(0)), S(0)));
  EXPECT_NEAR(sin_quarter(this->right), 1, 2 * std::numeric_limits<S>::epsilon());
  EXPECT_EQ(sin_quarter(-this->right), -sin_quarter(this->right));
}

TYPED_TEST(Sine, derivative_is_the_cosine) {
  using S = TypeParam;
  using D = Dual<S, 1>;
  for (S x = -1.5; x <= S(1.5); x += S(0.125)) {
    const D r = sin_quarter(D::variable(x, 0));
    EXPECT_TRUE(same_bits(r.value, sin_quarter(x)));
    EXPECT_NEAR(r.d[0], std::cos(double(x)), 8 * std::numeric_limits<S>::epsilon()) << x;
  }
}

}  // namespace
}  // namespace dollop::inline DOLLOP_ISA
