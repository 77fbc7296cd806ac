#include "grid/row.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/random.h"

namespace dollop::inline DOLLOP_ISA {
namespace {

template <class S>
class RowTest : public testing::Test {
 public:
  // numbers that no rounding hides in
  static S number(std::uint64_t stream, std::uint64_t n) { return S(2 * random_uniform(8, stream, n) - 1); }
  static Row<S> row(std::uint64_t stream) {
    alignas(64) S a[16];
    for (std::uint64_t i = 0; i < 16; ++i) a[i] = number(stream, i);
    return Row<S>::load(a);
  }
  static S at(const Row<S>& r, int i) { return r.part[i / Row<S>::lanes][i % Row<S>::lanes]; }
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(RowTest, Scalars);

TYPED_TEST(RowTest, load_and_store_are_inverse_at_any_address) {
  TypeParam from[48], to[48];
  for (std::uint64_t i = 0; i < 48; ++i) from[i] = TestFixture::number(0, i);
  for (int first = 0; first < 16; ++first) {
    for (auto& x : to) x = 7;
    Row<TypeParam>::load(from + first).store(to + 16);
    for (int i = 0; i < 48; ++i) EXPECT_EQ(to[i], i < 16 || i >= 32 ? TypeParam(7) : from[first + i - 16]);
  }
  const auto zero = Row<TypeParam>::zero();
  for (int i = 0; i < 16; ++i) EXPECT_EQ(TestFixture::at(zero, i), 0);
}

TYPED_TEST(RowTest, repeat4_gives_every_node_the_same_four_numbers) {
  TypeParam a[8];
  for (std::uint64_t i = 0; i < 8; ++i) a[i] = TestFixture::number(1, i);
  for (int first = 0; first < 5; ++first) {  // any address
    const auto r = Row<TypeParam>::repeat4(a + first);
    for (int i = 0; i < 16; ++i) EXPECT_EQ(TestFixture::at(r, i), a[first + i % 4]);
  }
}

TYPED_TEST(RowTest, arithmetic_is_that_of_each_number) {
  using S = TypeParam;
  const auto at = TestFixture::at;
  for (std::uint64_t n = 0; n < 50; ++n) {
    const auto a = TestFixture::row(10 + 3 * n), b = TestFixture::row(11 + 3 * n),
               c = TestFixture::row(12 + 3 * n);
    const S s = TestFixture::number(2, n);
    const auto product = a * b, sum = a + b, scaled = s * a, fused = fma(a, b, c), scaled_sum = fma(s, a, b);
    for (int i = 0; i < 16; ++i) {
      EXPECT_EQ(at(product, i), at(a, i) * at(b, i));
      EXPECT_EQ(at(sum, i), at(a, i) + at(b, i));
      EXPECT_EQ(at(scaled, i), s * at(a, i));
      // with or without the rounding of the product
      const S once = std::fma(at(a, i), at(b, i), at(c, i)), twice = at(a, i) * at(b, i) + at(c, i);
      EXPECT_TRUE(at(fused, i) == once || at(fused, i) == twice);
      const S scaled_once = std::fma(s, at(a, i), at(b, i)), scaled_twice = s * at(a, i) + at(b, i);
      EXPECT_TRUE(at(scaled_sum, i) == scaled_once || at(scaled_sum, i) == scaled_twice);
    }
  }
}

TYPED_TEST(RowTest, sum_nodes_adds_each_component_over_the_nodes) {
  for (std::uint64_t n = 0; n < 50; ++n) {
    Row<TypeParam> rows[4];
    for (std::uint64_t q = 0; q < 4; ++q) rows[q] = TestFixture::row(1000 + 4 * n + q);
    TypeParam out[18];
    out[0] = out[17] = 7;  // any address, and nothing else is written
    sum_nodes(rows[0], rows[1], rows[2], rows[3], out + 1);
    EXPECT_EQ(out[0], 7);
    EXPECT_EQ(out[17], 7);
    for (int q = 0; q < 4; ++q)
      for (int c = 0; c < 4; ++c) {
        double sum = 0;
        for (int k = 0; k < 4; ++k) sum += double(TestFixture::at(rows[q], 4 * k + c));
        // three sums of numbers below 4: each rounds by at most 2 eps
        EXPECT_NEAR(out[1 + 4 * q + c], sum, 6 * std::numeric_limits<TypeParam>::epsilon());
      }
  }
}

TYPED_TEST(RowTest, transpose_swaps_rows_and_columns) {
  constexpr int n = Pack<TypeParam>::lanes;
  Pack<TypeParam> square[n];
  for (int i = 0; i < n; ++i)
    for (int l = 0; l < n; ++l) square[i].set(l, TypeParam(100 * i + l));
  transpose(square);
  for (int i = 0; i < n; ++i)
    for (int l = 0; l < n; ++l) EXPECT_EQ(square[i][l], TypeParam(100 * l + i));
}

TYPED_TEST(RowTest, to_particles_and_to_quantities_are_exact_inverses) {
  Row<TypeParam> by_quantity[16], back[16];
  for (int q = 0; q < 16; ++q)
    for (int p = 0; p < 16; ++p)
      by_quantity[q].part[p / Row<TypeParam>::lanes].set(p % Row<TypeParam>::lanes, TypeParam(100 * q + p));
  alignas(64) TypeParam by_particle[256 + 1];
  by_particle[256] = 7;
  to_particles(by_quantity, by_particle);
  EXPECT_EQ(by_particle[256], 7);
  for (int p = 0; p < 16; ++p)
    for (int q = 0; q < 16; ++q) EXPECT_EQ(by_particle[16 * p + q], TypeParam(100 * q + p));
  to_quantities(by_particle, back);
  for (int q = 0; q < 16; ++q)
    for (int p = 0; p < 16; ++p) EXPECT_EQ(TestFixture::at(back[q], p), TypeParam(100 * q + p));
}

}  // namespace
}  // namespace dollop::inline DOLLOP_ISA
