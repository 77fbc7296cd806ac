// Eigenvalues, reconstruction and rotation of eigen() against a precise reference; lanes equal scalar.
#include "math/eigen3.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "reference.h"
#include "samples.h"
#include "worse_of.h"

namespace dollop::inline DOLLOP_ISA {
namespace {

// largest error in units of epsilon: eigenvalues and reconstruction relative to the largest |A_ij|
struct EigenError {
  double values = 0, reconstruction = 0, rotation = 0;
};

template <class S>
void measure(const SymMat3<S>& a, EigenError& worst) {
  using W = Wide<S>;
  const Eigen3<S> e = eigen(a);
  const WideMat3<W> exact = widen<W>(to_mat3(a)), q = widen<W>(e.vectors);
  W expected[3] = {}, found[3] = {W(e.values.x), W(e.values.y), W(e.values.z)};
  const WideEigen<W> reference = wide_eigen(exact);
  for (int i = 0; i < 3; ++i) expected[i] = reference.values[i];
  wide_sort(expected);
  wide_sort(found);
  // denormal results are rounded to the spacing of denormals
  const W unit = wide_max(wide_largest(exact) * W(std::numeric_limits<S>::epsilon()),
                          W(std::numeric_limits<S>::denorm_min()));
  for (int i = 0; i < 3; ++i)
    worst.values = tests::worse_of(worst.values, double(wide_abs(expected[i] - found[i]) / unit));
  const WideMat3<W> d = wide_diagonal(W(e.values.x), W(e.values.y), W(e.values.z));
  const WideMat3<W> back = wide_product(q, wide_product(d, wide_transpose(q)));
  worst.reconstruction = tests::worse_of(worst.reconstruction, double(wide_distance(back, exact) / unit));
  worst.rotation =
      std::max(worst.rotation, double(wide_orthogonality(q) / W(std::numeric_limits<S>::epsilon())));
  EXPECT_GT(wide_det(q), 0);
}

template <class S>
struct Eigen3Test : testing::Test {
  static constexpr bool single = std::is_same_v<S, float>;
  // bounds of docs/theory/math.md, in units of epsilon
  static constexpr double values = 8, reconstruction = 16, rotation = 16;
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Eigen3Test, Scalars);

TYPED_TEST(Eigen3Test, error_is_a_few_epsilon_for_every_kind_of_matrix) {
  using S = TypeParam;
  for (const Kind kind : all_kinds) {
    Random random{std::uint64_t(kind) + 7};
    EigenError worst;
    const int n = sample_count(TestFixture::single ? 20000 : 2000);
    for (int i = 0; i < n; ++i) measure(sample_symmetric<S>(kind, random), worst);
    const std::string name = name_of(kind);
    this->RecordProperty("values_" + name, std::to_string(worst.values));
    this->RecordProperty("reconstruction_" + name, std::to_string(worst.reconstruction));
    this->RecordProperty("rotation_" + name, std::to_string(worst.rotation));
    EXPECT_LE(worst.values, TestFixture::values) << name;
    EXPECT_LE(worst.reconstruction, TestFixture::reconstruction) << name;
    EXPECT_LE(worst.rotation, TestFixture::rotation) << name;
  }
}

TYPED_TEST(Eigen3Test, diagonal_input_is_returned_exactly) {
  using S = TypeParam;
  const Eigen3<S> e = eigen(SymMat3<S>{S(3), S(-2), S(0.1), S(0), S(0), S(0)});
  EXPECT_EQ(e.values.x, S(3));
  EXPECT_EQ(e.values.y, S(-2));
  EXPECT_EQ(e.values.z, S(0.1));
  for (int i = 0; i < 9; ++i)
    EXPECT_NEAR(e.vectors(i / 3, i % 3), i % 4 == 0 ? 1 : 0, 16 * std::numeric_limits<S>::epsilon());
}

TYPED_TEST(Eigen3Test, lanes_equal_scalar) {
  using S = TypeParam;
  for (const Kind kind : all_kinds) {
    Random random{std::uint64_t(kind) + 99};
    for (int i = 0; i < sample_count(2000); ++i) {
      const auto a = sample_lanes<S>([&] { return sample_symmetric<S>(kind, random); });
      const Eigen3<Pack<S>> packed = eigen(gather_lanes(a));
      for (int l = 0; l < Pack<S>::lanes; ++l) {
        const Eigen3<S> one = eigen(a[l]);
        ASSERT_TRUE(same_lane(packed.values, l, one.values)) << name_of(kind);
        ASSERT_TRUE(same_lane(packed.vectors, l, one.vectors)) << name_of(kind);
      }
    }
  }
}

}  // namespace
}  // namespace dollop::inline DOLLOP_ISA
