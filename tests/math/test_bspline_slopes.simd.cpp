// Slopes of the B-splines where they are known to the last digit. More of them: tests/grid/test_bspline.
#include <gtest/gtest.h>

#include "math/bspline.h"

namespace dollop::inline DOLLOP_ISA {
namespace {

template <class S>
struct BSplineSlopes : testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(BSplineSlopes, Scalars);

// N'(0.5) = -0.625, N'(1) = -1/2, and the others odd; all sums of powers of two, so that nothing is rounded
TYPED_TEST(BSplineSlopes, of_the_cubic_kernel) {
  using S = TypeParam;
  S d[4];
  BSpline<4>::derivatives(S(1.5), d);  // half way between nodes 1 and 2
  EXPECT_EQ(d[0], S(-0.125));
  EXPECT_EQ(d[1], S(-0.625));
  EXPECT_EQ(d[2], S(0.625));
  EXPECT_EQ(d[3], S(0.125));
  BSpline<4>::derivatives(S(1), d);  // on node 1
  EXPECT_EQ(d[0], S(-0.5));
  EXPECT_EQ(d[1], S(0));
  EXPECT_EQ(d[2], S(0.5));
  EXPECT_EQ(d[3], S(0));
  BSpline<4>::derivatives(S(2), d);  // on node 2, the end of the stencil
  EXPECT_EQ(d[0], S(0));
  EXPECT_EQ(d[1], S(-0.5));
  EXPECT_EQ(d[2], S(0));
  EXPECT_EQ(d[3], S(0.5));
}

TYPED_TEST(BSplineSlopes, of_the_quadratic_kernel) {
  using S = TypeParam;
  S d[3];
  BSpline<3>::derivatives(S(1), d);  // on node 1
  EXPECT_EQ(d[0], S(-0.5));
  EXPECT_EQ(d[1], S(0));
  EXPECT_EQ(d[2], S(0.5));
  BSpline<3>::derivatives(S(0.5), d);  // half way between nodes 0 and 1, the end of the stencil
  EXPECT_EQ(d[0], S(-1));
  EXPECT_EQ(d[1], S(1));
  EXPECT_EQ(d[2], S(0));
}

}  // namespace
}  // namespace dollop::inline DOLLOP_ISA
