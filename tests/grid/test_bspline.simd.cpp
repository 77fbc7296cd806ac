#include "math/bspline.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/random.h"

namespace dollop::inline DOLLOP_ISA {
namespace {

template <class S, int Nodes>
struct SplineCase {
  using Scalar = S;
  using Spline = BSpline<Nodes>;
  static constexpr int nodes = Nodes;
  static constexpr double eps = std::numeric_limits<S>::epsilon();
};

template <class C>
class BSplineTest : public testing::Test {};
using Cases =
    testing::Types<SplineCase<float, 3>, SplineCase<float, 4>, SplineCase<double, 3>, SplineCase<double, 4>>;
TYPED_TEST_SUITE(BSplineTest, Cases);

// the kernels as they are printed in papers
double kernel(int nodes, double x) {
  const double a = std::fabs(x);
  if (nodes == 4)
    return a < 1 ? a * a * a / 2 - a * a + 2.0 / 3 : a < 2 ? (2 - a) * (2 - a) * (2 - a) / 6 : 0;
  return a < 0.5 ? 0.75 - a * a : a < 1.5 ? (1.5 - a) * (1.5 - a) / 2 : 0;
}

// places within a stencil: both ends, the middle, and many between
template <class C, class Visit>
void each_place(Visit&& visit) {
  constexpr double first = C::Spline::offset;
  for (const double u : {0.0, 1e-7, 0.25, 0.5, 0.75, 1 - 1e-7}) visit(typename C::Scalar(first + u));
  for (std::uint64_t n = 0; n < 500; ++n) visit(typename C::Scalar(first + random_uniform(3, 0, n)));
}

TYPED_TEST(BSplineTest, weights_are_the_kernel) {
  using S = typename TypeParam::Scalar;
  each_place<TypeParam>([](S f) {
    S w[TypeParam::nodes];
    TypeParam::Spline::weights(f, w);
    for (int k = 0; k < TypeParam::nodes; ++k)
      EXPECT_NEAR(w[k], kernel(TypeParam::nodes, double(f) - k), 2 * TypeParam::eps) << f;
  });
}

TEST(bspline, values_at_nodes_and_half_way) {
  double w[4];
  BSpline<4>::weights(1.0, w);  // on node 1
  EXPECT_NEAR(w[1], 2.0 / 3, 1e-15);
  EXPECT_NEAR(w[0], 1.0 / 6, 1e-15);
  EXPECT_NEAR(w[2], 1.0 / 6, 1e-15);
  EXPECT_EQ(w[3], 0);
  BSpline<4>::weights(1.5, w);
  EXPECT_NEAR(w[1], .4791667, 5e-8);
  EXPECT_NEAR(w[2], .4791667, 5e-8);
  BSpline<3>::weights(1.0, w);
  EXPECT_EQ(w[1], .75);
  EXPECT_EQ(w[0], .125);
  EXPECT_EQ(w[2], .125);
  BSpline<3>::weights(0.5, w);
  EXPECT_EQ(w[0], .5);
  EXPECT_EQ(w[1], .5);
  EXPECT_EQ(w[2], 0);
}

// sum w = 1, sum w (k - f) = 0, sum w (k - f)^2 = D: constants and linear fields are reproduced, and APIC's
// inertia is the same everywhere: 1/4 quadratic, 1/3 cubic
TYPED_TEST(BSplineTest, moments) {
  using S = typename TypeParam::Scalar;
  EXPECT_EQ(TypeParam::Spline::inverse_inertia, TypeParam::nodes == 4 ? 3 : 4);
  EXPECT_EQ(TypeParam::Spline::offset, TypeParam::nodes == 4 ? 1 : 0.5);
  each_place<TypeParam>([](S f) {
    S w[TypeParam::nodes];
    TypeParam::Spline::weights(f, w);
    double sum = 0, first = 0, second = 0;
    for (int k = 0; k < TypeParam::nodes; ++k) {
      const double r = k - double(f);
      sum += w[k], first += w[k] * r, second += w[k] * r * r;
    }
    EXPECT_NEAR(sum, 1, 2 * TypeParam::eps);
    EXPECT_NEAR(first, 0, 4 * TypeParam::eps);
    EXPECT_NEAR(second, 1 / TypeParam::Spline::inverse_inertia, 4 * TypeParam::eps);
  });
}

// sum w' = 0, sum w' k = 1
TYPED_TEST(BSplineTest, derivatives_reproduce_the_gradient_of_linear_fields) {
  using S = typename TypeParam::Scalar;
  each_place<TypeParam>([](S f) {
    S d[TypeParam::nodes];
    TypeParam::Spline::derivatives(f, d);
    double sum = 0, slope = 0;
    for (int k = 0; k < TypeParam::nodes; ++k) sum += d[k], slope += d[k] * k;
    EXPECT_NEAR(sum, 0, 2 * TypeParam::eps);
    EXPECT_NEAR(slope, 1, 6 * TypeParam::eps);
  });
}

TYPED_TEST(BSplineTest, derivatives_are_those_of_the_weights) {
  constexpr int nodes = TypeParam::nodes;
  constexpr double step = 1e-5;  // second order: the error is step^2 / 6 for cubics, rounding 1e-11
  using S = typename TypeParam::Scalar;
  each_place<TypeParam>([](S f) {
    S d[nodes];
    TypeParam::Spline::derivatives(f, d);
    for (int k = 0; k < nodes; ++k) {
      const double x = double(f) - k;
      const double slope = (kernel(nodes, x + step) - kernel(nodes, x - step)) / (2 * step);
      // the quadratic kernel has a kink in its slope where the stencil changes
      EXPECT_NEAR(d[k], slope, 2 * TypeParam::eps + (nodes == 3 ? 1.5 * step : 1e-9)) << f << " node " << k;
    }
  });
}

TYPED_TEST(BSplineTest, coefficients_are_the_weights_as_polynomials) {
  using S = typename TypeParam::Scalar;
  each_place<TypeParam>([](S f) {
    double w[4] = {0, 0, 0, 0}, d[4] = {0, 0, 0, 0};
    TypeParam::Spline::weights(double(f), w);
    TypeParam::Spline::derivatives(double(f), d);
    const double u = double(f) - 1;
    for (int k = 0; k < 4; ++k) {
      const auto& c = TypeParam::Spline::coefficient[k];
      EXPECT_NEAR(c[0] + u * (c[1] + u * (c[2] + u * c[3])), w[k], 1e-15);
      EXPECT_NEAR(c[1] + u * (2 * c[2] + u * 3 * c[3]), d[k], 1e-15);
    }
  });
}

TYPED_TEST(BSplineTest, packs_equal_plain_numbers_bitwise) {
  using S = typename TypeParam::Scalar;
  using R = Pack<S>;
  constexpr int nodes = TypeParam::nodes;
  for (std::uint64_t n = 0; n < 200; ++n) {
    R f, w[nodes], d[nodes];
    for (int l = 0; l < R::lanes; ++l)
      f.set(l, S(TypeParam::Spline::offset + random_uniform(4, std::uint64_t(l), n)));
    TypeParam::Spline::weights(f, w);
    TypeParam::Spline::derivatives(f, d);
    for (int l = 0; l < R::lanes; ++l) {
      S one_w[nodes], one_d[nodes];
      TypeParam::Spline::weights(f[l], one_w);
      TypeParam::Spline::derivatives(f[l], one_d);
      for (int k = 0; k < nodes; ++k) {
        EXPECT_EQ(w[k][l], one_w[k]);
        EXPECT_EQ(d[k][l], one_d[k]);
      }
    }
  }
}

}  // namespace
}  // namespace dollop::inline DOLLOP_ISA
