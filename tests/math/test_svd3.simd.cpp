// svd() and polar() against a precise reference; order, signs and determinants; lanes equal scalar.
#include "math/svd3.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "reference.h"
#include "samples.h"
#include "worse_of.h"

namespace dollop::inline DOLLOP_ISA {
namespace {

// largest error in units of epsilon: values, reconstruction and stretch relative to the largest |F_ij|
struct SvdError {
  double values = 0, reconstruction = 0, rotation = 0, polar = 0;
};

template <class W>
void raise(double& worst, W error) {
  worst = tests::worse_of(worst, double(error));
}

// |sigma| descending, from the eigenvalues of F^T F, which W holds more than precisely enough
template <class W>
void reference_sigma(const WideMat3<W>& f, W (&sigma)[3]) {
  const WideEigen<W> e = wide_eigen(wide_product(wide_transpose(f), f));
  W ascending[3];
  for (int i = 0; i < 3; ++i) ascending[i] = wide_sqrt(e.values[i]);
  wide_sort(ascending);
  for (int i = 0; i < 3; ++i) sigma[i] = ascending[2 - i];
}

template <class S>
void measure(const Mat3<S>& matrix, SvdError& worst) {
  using W = Wide<S>;
  using Limits = std::numeric_limits<S>;
  const Svd3<S> a = svd(matrix);
  const WideMat3<W> f = widen<W>(matrix), u = widen<W>(a.u), v = widen<W>(a.v);
  // denormal results are rounded to the spacing of denormals
  const W eps = Limits::epsilon(), unit = wide_max(wide_largest(f) * eps, W(Limits::denorm_min()));

  // |sigma| in descending order, only the last one negative, of the sign of det F unless that is rounding
  EXPECT_GE(a.sigma.y, 0);
  EXPECT_GE(a.sigma.x, a.sigma.y);
  EXPECT_GE(a.sigma.y, std::fabs(a.sigma.z));
  if (wide_abs(W(a.sigma.z)) > 64 * unit) {
    EXPECT_EQ(a.sigma.z < 0, wide_det(f) < 0);
  }

  W sigma[3];
  reference_sigma(f, sigma);
  for (int i = 0; i < 3; ++i) raise(worst.values, wide_abs(wide_abs(W(a.sigma[i])) - sigma[i]) / unit);
  const WideMat3<W> d = wide_diagonal(W(a.sigma.x), W(a.sigma.y), W(a.sigma.z));
  raise(worst.reconstruction, wide_distance(wide_product(u, wide_product(d, wide_transpose(v))), f) / unit);
  raise(worst.rotation, wide_orthogonality(u) / eps);
  raise(worst.rotation, wide_orthogonality(v) / eps);
  EXPECT_GT(wide_det(u), 0);
  EXPECT_GT(wide_det(v), 0);

  const Polar3<S> p = polar(matrix);
  const WideMat3<W> r = widen<W>(p.rotation);
  raise(worst.rotation, wide_orthogonality(r) / eps);
  raise(worst.polar, wide_distance(wide_product(r, widen<W>(to_mat3(p.stretch))), f) / unit);
  EXPECT_GT(wide_det(r), 0);
}

template <class S>
struct Svd3Test : testing::Test {
  // bounds of docs/theory/math.md, in units of epsilon
  static constexpr double values = 12, reconstruction = 20, rotation = 16, polar = 28;
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Svd3Test, Scalars);

TYPED_TEST(Svd3Test, error_is_a_few_epsilon_for_every_kind_of_matrix) {
  using S = TypeParam;
  for (const Kind kind : all_kinds) {
    Random random{std::uint64_t(kind) + 17};
    SvdError worst;
    const int n = sample_count(std::is_same_v<S, float> ? 20000 : 2000);
    for (int i = 0; i < n; ++i) measure(sample_general<S>(kind, random), worst);
    const std::string name = name_of(kind);
    this->RecordProperty("values_" + name, std::to_string(worst.values));
    this->RecordProperty("reconstruction_" + name, std::to_string(worst.reconstruction));
    this->RecordProperty("rotation_" + name, std::to_string(worst.rotation));
    this->RecordProperty("polar_" + name, std::to_string(worst.polar));
    EXPECT_LE(worst.values, TestFixture::values) << name;
    EXPECT_LE(worst.reconstruction, TestFixture::reconstruction) << name;
    EXPECT_LE(worst.rotation, TestFixture::rotation) << name;
    EXPECT_LE(worst.polar, TestFixture::polar) << name;
  }
}

TYPED_TEST(Svd3Test, rotation_is_its_own_polar_factor) {
  using S = TypeParam;
  Random random{5};
  for (int i = 0; i < sample_count(1000); ++i) {
    const Mat3<double> q = random.rotation();
    const Polar3<S> p = polar(make_mat3<S>([&](int r, int c) { return S(q(r, c)); }));
    for (int k = 0; k < 9; ++k) {
      const S tolerance = 20 * std::numeric_limits<S>::epsilon();
      EXPECT_NEAR(p.rotation(k / 3, k % 3), q(k / 3, k % 3), tolerance);
      EXPECT_NEAR(p.stretch(k / 3, k % 3), k % 4 == 0 ? 1 : 0, tolerance);
    }
  }
}

TYPED_TEST(Svd3Test, lanes_equal_scalar) {
  using S = TypeParam;
  for (const Kind kind : all_kinds) {
    Random random{std::uint64_t(kind) + 199};
    for (int i = 0; i < sample_count(2000); ++i) {
      const auto f = sample_lanes<S>([&] { return sample_general<S>(kind, random); });
      const Svd3<Pack<S>> packed = svd(gather_lanes(f));
      const Polar3<Pack<S>> packed_polar = polar(gather_lanes(f));
      for (int l = 0; l < Pack<S>::lanes; ++l) {
        const Svd3<S> one = svd(f[l]);
        const Polar3<S> one_polar = polar(f[l]);
        ASSERT_TRUE(same_lane(packed.u, l, one.u)) << name_of(kind);
        ASSERT_TRUE(same_lane(packed.sigma, l, one.sigma)) << name_of(kind);
        ASSERT_TRUE(same_lane(packed.v, l, one.v)) << name_of(kind);
        ASSERT_TRUE(same_lane(packed_polar.rotation, l, one_polar.rotation)) << name_of(kind);
        ASSERT_TRUE(same_lane(packed_polar.stretch, l, one_polar.stretch)) << name_of(kind);
      }
    }
  }
}

}  // namespace
}  // namespace dollop::inline DOLLOP_ISA
