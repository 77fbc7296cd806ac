// Vec3, Mat3 and SymMat3 against plain loops, on numbers and on one lane of packs.
#include "math/vec.h"

#include <gtest/gtest.h>

#include "samples.h"

namespace dollop::inline DOLLOP_ISA {
namespace {

template <class R>
struct VecTest : testing::Test {
  using Scalar = ScalarOf<R>;
  Random random{41};
  static double lane(const R& a) {
    if constexpr (lanes_of < R >> 1)
      return double(a[R::lanes - 1]);
    else
      return double(a);
  }
  // small integers: every sum and product below is exact
  R number() {
    R r = R(Scalar(0));
    if constexpr (lanes_of < R >> 1)
      for (int l = 0; l < R::lanes; ++l) r.set(l, Scalar(std::floor(random.uniform(-9, 10))));
    else
      r = Scalar(std::floor(random.uniform(-9, 10)));
    return r;
  }
  Vec3<R> vec() { return {number(), number(), number()}; }
  Mat3<R> mat() {
    return make_mat3<R>([&](int, int) { return number(); });
  }
  SymMat3<R> sym() { return {number(), number(), number(), number(), number(), number()}; }
};
using Scalars = testing::Types<float, double, Pack<float>, Pack<double>>;
TYPED_TEST_SUITE(VecTest, Scalars);

TYPED_TEST(VecTest, vector_operations) {
  for (int n = 0; n < sample_count(200); ++n) {
    const auto a = this->vec(), b = this->vec();
    const TypeParam s = this->number();
    double dot_ab = 0, sum_a = 0, square = 0;
    for (int i = 0; i < 3; ++i) {
      const double x = this->lane(a[i]), y = this->lane(b[i]);
      EXPECT_EQ(this->lane((a + b)[i]), x + y);
      EXPECT_EQ(this->lane((a - b)[i]), x - y);
      EXPECT_EQ(this->lane((-a)[i]), -x);
      EXPECT_EQ(this->lane((s * a)[i]), this->lane(s) * x);
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      EXPECT_EQ(this->lane(cross(a, b)[i]),
                this->lane(a[j]) * this->lane(b[k]) - this->lane(a[k]) * this->lane(b[j]));
      dot_ab += x * y, sum_a += x, square += x * x;
    }
    EXPECT_EQ(this->lane(dot(a, b)), dot_ab);
    EXPECT_EQ(this->lane(sum(a)), sum_a);
    using S = ScalarOf<TypeParam>;
    EXPECT_EQ(this->lane(norm(a)), double(std::sqrt(S(square))));
  }
}

TYPED_TEST(VecTest, indices_name_the_entries) {
  using S = ScalarOf<TypeParam>;
  Vec3<S> v{1, 2, 3};
  v[0] = 7, v[1] = 8, v[2] = 9;
  EXPECT_TRUE(v.x == 7 && v.y == 8 && v.z == 9);
  Mat3<S> m = Mat3<S>::diagonal(1, 2, 3);
  m(0, 2) = 5;
  EXPECT_EQ(m.m[0][2], 5);
  EXPECT_EQ(m.m[2][0], 0);
  const SymMat3<S> s{11, 22, 33, 12, 13, 23};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      EXPECT_EQ(s(i, j), 11 + 10 * std::min(i, j) + std::max(i, j));
      EXPECT_EQ(to_mat3(s)(i, j), s(i, j));
      EXPECT_EQ(Mat3<S>::identity()(i, j), i == j ? 1 : 0);
      EXPECT_EQ(SymMat3<S>::diagonal(4)(i, j), i == j ? 4 : 0);
      EXPECT_EQ(make_mat3<S>([](int p, int q) { return S(10 * p + q); })(i, j), 10 * i + j);
    }
}

TYPED_TEST(VecTest, matrix_operations) {
  for (int n = 0; n < sample_count(200); ++n) {
    const auto a = this->mat(), b = this->mat();
    const auto v = this->vec();
    const TypeParam s = this->number();
    double square = 0, diagonal = 0;
    for (int i = 0; i < 3; ++i) {
      double row = 0;
      for (int j = 0; j < 3; ++j) {
        double entry = 0;
        for (int k = 0; k < 3; ++k) entry += this->lane(a(i, k)) * this->lane(b(k, j));
        EXPECT_EQ(this->lane((a * b)(i, j)), entry);
        EXPECT_EQ(this->lane((a + b)(i, j)), this->lane(a(i, j)) + this->lane(b(i, j)));
        EXPECT_EQ(this->lane((a - b)(i, j)), this->lane(a(i, j)) - this->lane(b(i, j)));
        EXPECT_EQ(this->lane((s * a)(i, j)), this->lane(s) * this->lane(a(i, j)));
        EXPECT_EQ(this->lane(transpose(a)(i, j)), this->lane(a(j, i)));
        row += this->lane(a(i, j)) * this->lane(v[j]);
        square += this->lane(a(i, j)) * this->lane(a(i, j));
      }
      EXPECT_EQ(this->lane((a * v)[i]), row);
      diagonal += this->lane(a(i, i));
    }
    EXPECT_EQ(this->lane(trace(a)), diagonal);
    EXPECT_EQ(this->lane(norm_squared(a)), square);
  }
}

// the sum over all six permutations
template <class F>
double leibniz(F&& a) {
  constexpr int p[6][4] = {{0, 1, 2, 1},  {1, 2, 0, 1},  {2, 0, 1, 1},
                           {0, 2, 1, -1}, {2, 1, 0, -1}, {1, 0, 2, -1}};
  double r = 0;
  for (const auto& q : p) r += q[3] * a(0, q[0]) * a(1, q[1]) * a(2, q[2]);
  return r;
}

TYPED_TEST(VecTest, determinants) {
  for (int n = 0; n < sample_count(200); ++n) {
    const auto a = this->mat(), b = this->mat();
    const auto s = this->sym();
    EXPECT_EQ(this->lane(det(a)), leibniz([&](int i, int j) { return this->lane(a(i, j)); }));
    EXPECT_EQ(this->lane(det(s)), leibniz([&](int i, int j) { return this->lane(s(i, j)); }));
    EXPECT_EQ(this->lane(det(transpose(a))), this->lane(det(a)));
    if constexpr (std::is_same_v<ScalarOf<TypeParam>, double>) {
      EXPECT_EQ(this->lane(det(a * b)), this->lane(det(a)) * this->lane(det(b)));
    }
  }
}

TYPED_TEST(VecTest, symmetric_operations) {
  for (int n = 0; n < sample_count(200); ++n) {
    const auto a = this->sym(), b = this->sym();
    const TypeParam s = this->number();
    double square = 0, diagonal = 0, minors = 0;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        const double x = this->lane(a(i, j)), y = this->lane(b(i, j));
        EXPECT_EQ(this->lane((a + b)(i, j)), x + y);
        EXPECT_EQ(this->lane((a - b)(i, j)), x - y);
        EXPECT_EQ(this->lane((s * a)(i, j)), this->lane(s) * x);
        square += x * x;
        if (i < j) minors += this->lane(a(i, i)) * this->lane(a(j, j)) - x * x;
      }
      diagonal += this->lane(a(i, i));
    }
    EXPECT_EQ(this->lane(trace(a)), diagonal);
    EXPECT_EQ(this->lane(norm_squared(a)), square);
    EXPECT_EQ(this->lane(second_invariant(a)), minors);
  }
}

TYPED_TEST(VecTest, assemble_is_a_product) {
  for (int n = 0; n < sample_count(200); ++n) {
    const auto q = this->mat();
    const auto d = this->vec();
    const auto expected = q * Mat3<TypeParam>::diagonal(d.x, d.y, d.z) * transpose(q);
    const auto found = assemble(q, d);
    for (int i = 0; i < 9; ++i)
      EXPECT_EQ(this->lane(found(i / 3, i % 3)), this->lane(expected(i / 3, i % 3)));
  }
}

}  // namespace
}  // namespace dollop::inline DOLLOP_ISA
