// Dual numbers: values equal the plain function bitwise, derivatives equal central differences.
#include "math/dual.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "math/vec.h"
#include "samples.h"

namespace dollop::inline DOLLOP_ISA {
namespace {

template <class S>
struct DualTest : testing::Test {
  // central differences are taken in double; a float derivative is as good as its rounding
  static constexpr double tolerance = std::is_same_v<S, float> ? 3e-6 : 2e-8;
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(DualTest, Scalars);

// f(x, y) on dual numbers against f on plain numbers
template <class S, class F>
void check(F f, double lo, double hi, double tolerance) {
  using D = Dual<S, 2>;
  Random random{3};
  for (int i = 0; i < sample_count(2000); ++i) {
    const S x = S(random.uniform(lo, hi)), y = S(random.uniform(lo, hi));
    const D r = f(D::variable(x, 0), D::variable(y, 1));
    ASSERT_TRUE(same_bits(r.value, S(f(x, y)))) << x << " " << y;
    const double h = 1e-6 * std::max(1.0, std::fabs(double(x))),
                 g = 1e-6 * std::max(1.0, std::fabs(double(y)));
    const double dx = (f(double(x) + h, double(y)) - f(double(x) - h, double(y))) / (2 * h);
    const double dy = (f(double(x), double(y) + g) - f(double(x), double(y) - g)) / (2 * g);
    ASSERT_NEAR(r.d[0], dx, tolerance * (1 + std::fabs(dx))) << x << " " << y;
    ASSERT_NEAR(r.d[1], dy, tolerance * (1 + std::fabs(dy))) << x << " " << y;
  }
}

TYPED_TEST(DualTest, operators) {
  using S = TypeParam;
  const double tol = TestFixture::tolerance;
  check<S>([](auto x, auto y) { return x + y; }, -2, 2, tol);
  check<S>([](auto x, auto y) { return x - y; }, -2, 2, tol);
  check<S>([](auto x, auto y) { return x * y; }, -2, 2, tol);
  check<S>([](auto x, auto y) { return x / y; }, 0.3, 2, tol);
  check<S>([](auto x, auto y) { return -x * y; }, -2, 2, tol);
  check<S>(
      [](auto x, auto y) {
        auto r = x;
        r += y;
        r *= x;
        r -= y;
        return r;
      },
      -2, 2, tol);
}

TYPED_TEST(DualTest, functions_of_one_number) {
  using S = TypeParam;
  const double tol = TestFixture::tolerance;
  check<S>([](auto x, auto y) { return sqrt(x * x + y); }, 0.3, 3, tol);
  check<S>([](auto x, auto y) { return rsqrt(x * x + y); }, 0.3, 3, tol);
  check<S>([](auto x, auto y) { return reciprocal(x + y); }, 0.3, 3, tol);
  check<S>([](auto x, auto y) { return exp(x * y); }, -2, 2, tol);
  check<S>([](auto x, auto y) { return expm1(x * y); }, -2, 2, tol);
  check<S>([](auto x, auto y) { return log(x * y); }, 0.2, 5, tol);
  check<S>([](auto x, auto y) { return log1p(x * y); }, 0.01, 5, tol);
  check<S>([](auto x, auto y) { return abs(x) * y; }, 0.1, 2, tol);
  check<S>([](auto x, auto y) { return abs(x) * y; }, -2, -0.1, tol);
}

TYPED_TEST(DualTest, functions_of_several_numbers) {
  using S = TypeParam;
  const double tol = TestFixture::tolerance;
  check<S>([](auto x, auto y) { return fma(x, y, x); }, -2, 2, tol);
  check<S>([](auto x, auto y) { return min(x * y, y + y + y); }, 0.1, 2, tol);
  check<S>([](auto x, auto y) { return max(x * y, y + y + y); }, 0.1, 2, tol);
  check<S>([](auto x, auto y) { return copysign(x * x, -y); }, 0.1, 2, tol);
  check<S>([](auto x, auto y) { return copysign(-x * x, y); }, 0.1, 2, tol);
  check<S>([](auto x, auto y) { return copysign(-x, -y) * x; }, 0.1, 2, tol);
  check<S>([](auto x, auto y) { return select(both(x < y + y, either(x > y, any(x >= x))), x * y, y); }, 4, 5,
           tol);
  check<S>([](auto x, auto y) { return select(x > y + y, x * y, y * y); }, 4, 5, tol);
}

TYPED_TEST(DualTest, floor_is_flat) {
  const auto r = floor(Dual<TypeParam, 1>::variable(TypeParam(-1.5), 0));
  EXPECT_EQ(r.value, -2);
  EXPECT_EQ(r.d[0], 0);
}

TYPED_TEST(DualTest, comparisons_look_at_the_value) {
  using D = Dual<TypeParam, 2>;
  const D a = D::variable(1, 0), b = D::variable(2, 1), c = D::variable(1, 1);
  EXPECT_TRUE(a < b);
  EXPECT_FALSE(b < a);
  EXPECT_TRUE(b > a);
  EXPECT_FALSE(a > b);
  EXPECT_TRUE(a == c);
  EXPECT_FALSE(a == b);
  EXPECT_TRUE(a <= c);
  EXPECT_FALSE(b <= a);
  EXPECT_TRUE(a >= c);
  EXPECT_FALSE(a >= b);
}

// as on plain numbers, a NaN in either operand of min and max gives the second
TYPED_TEST(DualTest, nan_in_min_and_max_gives_the_second) {
  using S = TypeParam;
  using D = Dual<S, 1>;
  const D nan = D(std::numeric_limits<S>::quiet_NaN()), x = D::variable(3, 0);
  EXPECT_EQ(min(nan, x).value, 3);
  EXPECT_EQ(min(nan, x).d[0], 1);
  EXPECT_EQ(max(nan, x).value, 3);
  EXPECT_TRUE(std::isnan(min(x, nan).value));
  EXPECT_TRUE(std::isnan(max(x, nan).value));
}

TYPED_TEST(DualTest, length_of_a_vanishing_vector_has_a_finite_derivative) {
  using D = Dual<TypeParam, 1>;
  const D r = norm(Vec3<D>{D::variable(0, 0), D(0), D(0)});
  EXPECT_EQ(r.value, 0);
  EXPECT_EQ(r.d[0], 0);
}

TYPED_TEST(DualTest, constants_have_no_derivative) {
  const Dual<TypeParam, 3> a = TypeParam(2);
  for (const TypeParam d : a.d) EXPECT_EQ(d, 0);
  static_assert(std::is_same_v<ScalarOf<Dual<TypeParam, 3>>, TypeParam>);
  static_assert(lanes_of<Dual<TypeParam, 3>> == 1);
}

// the derivative of det A is the cofactor matrix
TYPED_TEST(DualTest, derivative_of_the_determinant) {
  using S = TypeParam;
  using D = Dual<S, 9>;
  Random random{8};
  for (int i = 0; i < sample_count(1000); ++i) {
    const Mat3<S> a = sample_general<S>(Kind::random, random);
    const D r = det(make_mat3<D>([&](int p, int q) { return D::variable(a(p, q), 3 * p + q); }));
    for (int k = 0; k < 9; ++k) {
      const int p = k / 3, q = k % 3, p1 = (p + 1) % 3, p2 = (p + 2) % 3, q1 = (q + 1) % 3, q2 = (q + 2) % 3;
      EXPECT_NEAR(r.d[k], a(p1, q1) * a(p2, q2) - a(p1, q2) * a(p2, q1),
                  8 * std::numeric_limits<S>::epsilon());
    }
  }
}

}  // namespace
}  // namespace dollop::inline DOLLOP_ISA
