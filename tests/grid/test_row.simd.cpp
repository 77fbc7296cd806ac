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

TYPED_TEST(RowTest, spread4_and_repeat2_fill_a_row) {
  TypeParam a[8];
  for (std::uint64_t i = 0; i < 8; ++i) a[i] = TestFixture::number(1, i);
  for (int first = 0; first < 5; ++first) {
    const auto spread = Row<TypeParam>::spread4(a + first), repeated = Row<TypeParam>::repeat2(a + first);
    for (int i = 0; i < 16; ++i) {
      EXPECT_EQ(TestFixture::at(spread, i), a[first + i / 4]);
      EXPECT_EQ(TestFixture::at(repeated, i), a[first + i % 2]);
    }
  }
}

TYPED_TEST(RowTest, the_last_node_alone) {
  TypeParam a[6];
  for (std::uint64_t i = 0; i < 6; ++i) a[i] = TestFixture::number(1, i);
  const auto last = Row<TypeParam>::only_last(a + 1);
  for (int i = 0; i < 16; ++i) EXPECT_EQ(TestFixture::at(last, i), i < 12 ? 0 : a[1 + i - 12]);
  TypeParam out[6] = {7, 7, 7, 7, 7, 7};
  last.store_last(out + 1);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(out[i], i < 1 || i > 4 ? TypeParam(7) : a[i]);
}

TYPED_TEST(RowTest, shuffle_nodes_takes_numbers_of_the_same_node) {
  const auto a = TestFixture::row(1), b = TestFixture::row(2);
  const auto at = TestFixture::at;
  const auto mixed = shuffle_nodes<1, 5, 2, 7>(a, b), fourth = fourth_of_node(a);
  for (int i = 0; i < 16; i += 4) {
    EXPECT_EQ(at(mixed, i), at(a, i + 1));
    EXPECT_EQ(at(mixed, i + 1), at(b, i + 1));
    EXPECT_EQ(at(mixed, i + 2), at(a, i + 2));
    EXPECT_EQ(at(mixed, i + 3), at(b, i + 3));
    for (int c = 0; c < 4; ++c) EXPECT_EQ(at(fourth, i + c), at(a, i + 3));
  }
}

TYPED_TEST(RowTest, arithmetic_is_that_of_each_number) {
  using S = TypeParam;
  const auto at = TestFixture::at;
  for (std::uint64_t n = 0; n < 50; ++n) {
    const auto a = TestFixture::row(10 + 3 * n), b = TestFixture::row(11 + 3 * n),
               c = TestFixture::row(12 + 3 * n);
    const S s = TestFixture::number(2, n);
    const auto product = a * b, sum = a + b, difference = a - b, same = dollop::once(a);
    const auto scaled = s * a, fused = fma(a, b, c), scaled_sum = fma(s, a, b);
    for (int i = 0; i < 16; ++i) {
      EXPECT_EQ(at(product, i), at(a, i) * at(b, i));
      EXPECT_EQ(at(sum, i), at(a, i) + at(b, i));
      EXPECT_EQ(at(difference, i), at(a, i) - at(b, i));
      EXPECT_EQ(at(same, i), at(a, i));
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

TYPED_TEST(RowTest, four_to_particles_and_interleave_take_packs_in_turns) {
  constexpr int n = Pack<TypeParam>::lanes;
  Pack<TypeParam> a[4];
  for (int q = 0; q < 4; ++q)
    for (int p = 0; p < n; ++p) a[q].set(p, TypeParam(100 * q + p));
  TypeParam four[4 * n + 1], two[2 * n + 1];
  four[4 * n] = two[2 * n] = 7;
  four_to_particles(a[0], a[1], a[2], a[3], four);
  interleave(a[0], a[1], two);
  EXPECT_EQ(four[4 * n], 7);
  EXPECT_EQ(two[2 * n], 7);
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q < 4; ++q) EXPECT_EQ(four[4 * p + q], TypeParam(100 * q + p));
    for (int q = 0; q < 2; ++q) EXPECT_EQ(two[2 * p + q], TypeParam(100 * q + p));
  }
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
