#include "math/definite.h"

#include <gtest/gtest.h>

#include "math/pack.h"
#include "reference.h"
#include "samples.h"

namespace dollop::inline DOLLOP_ISA {
namespace {

// Q diag(values) Q^T by random plane rotations
template <class S>
void random_matrix(const double (&values)[6], Random& random, double (&a)[6][6]) {
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) a[i][j] = i == j ? values[i] : 0;
  for (int k = 0; k < 40; ++k) {
    const int p = int(random.bits() % 6), q = (p + 1 + int(random.bits() % 5)) % 6;
    const double t = random.uniform(-3, 3), c = std::cos(t), s = std::sin(t);
    for (int i = 0; i < 6; ++i) {
      const double x = a[i][p], y = a[i][q];
      a[i][p] = c * x - s * y, a[i][q] = s * x + c * y;
    }
    for (int i = 0; i < 6; ++i) {
      const double x = a[p][i], y = a[q][i];
      a[p][i] = c * x - s * y, a[q][i] = s * x + c * y;
    }
  }
  for (int i = 0; i < 6; ++i)  // free of rounding
    for (int j = 0; j < i; ++j) a[i][j] = a[j][i];
}

template <class S>
struct Definite : testing::Test {};
using Both = testing::Types<float, double>;
TYPED_TEST_SUITE(Definite, Both);

// The positive part P of A: it is symmetric, P (P - A) = 0, and neither P nor P - A has a negative x . P x.
TYPED_TEST(Definite, positive_part_is_the_nearest_semidefinite_matrix) {
  using S = TypeParam;
  using R = Pack<S>;
  Random random{5};
  const double tolerance = std::is_same_v<S, float> ? 2e-5 : 2e-13;
  for (int sample = 0; sample < 60; ++sample) {
    Matrix6<R> m;
    double a[R::lanes][6][6];
    for (int lane = 0; lane < R::lanes; ++lane) {
      double values[6];
      for (double& v : values)
        v = sample % 3 == 0 ? std::round(random.uniform(-2, 2)) : random.uniform(-1, 1);
      random_matrix<S>(values, random, a[lane]);
      for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j) m.at[i][j].set(lane, S(a[lane][i][j]));
    }
    keep_positive_part(m);
    for (int lane = 0; lane < R::lanes; ++lane) {
      const auto p = [&](int i, int j) { return double(m.at[i][j][lane]); };
      for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j) {
          EXPECT_EQ(p(i, j), p(j, i));
          double product = 0;
          for (int k = 0; k < 6; ++k) product += p(i, k) * (p(k, j) - a[lane][k][j]);
          ASSERT_NEAR(product, 0, 4 * tolerance) << sample;
        }
      for (int trial = 0; trial < 20; ++trial) {
        double x[6], kept = 0, removed = 0;
        for (double& v : x) v = random.uniform(-1, 1);
        for (int i = 0; i < 6; ++i)
          for (int j = 0; j < 6; ++j)
            kept += x[i] * p(i, j) * x[j], removed += x[i] * (p(i, j) - a[lane][i][j]) * x[j];
        ASSERT_GE(kept, -tolerance);
        ASSERT_GE(removed, -tolerance);
      }
    }
  }
}

TYPED_TEST(Definite, one_lane_that_is_not_definite_is_seen) {
  using S = TypeParam;
  using R = Pack<S>;
  Random random{9};
  for (int bad = -1; bad < R::lanes; ++bad)
    for (int sample = 0; sample < 10; ++sample) {
      Matrix6<R> m;
      for (int lane = 0; lane < R::lanes; ++lane) {
        double values[6], a[6][6];
        for (double& v : values) v = random.uniform(0.1, 1);
        if (lane == bad) values[sample % 6] = -0.05;
        random_matrix<S>(values, random, a);
        for (int i = 0; i < 6; ++i)
          for (int j = 0; j < 6; ++j) m.at[i][j].set(lane, S(a[i][j]));
      }
      EXPECT_EQ(all_definite(m), bad < 0);
    }
}

}  // namespace
}  // namespace dollop::inline DOLLOP_ISA
