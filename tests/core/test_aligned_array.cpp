// Arrays for vector loops: alignment, zeros where nothing was written, contents that survive growth.
#include "core/aligned_array.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>

namespace dollop {
namespace {

template <class T>
struct AlignedArrayTest : testing::Test {};
using Elements = testing::Types<float, double, std::uint32_t, std::uint8_t>;
TYPED_TEST_SUITE(AlignedArrayTest, Elements);

template <class T>
bool padding_is_zero(const AlignedArray<T>& a) {
  for (std::size_t i = 0; i < AlignedArray<T>::padding; ++i)
    if (a.data()[a.size() + i] != T(0)) return false;
  return true;
}

TYPED_TEST(AlignedArrayTest, starts_empty) {
  AlignedArray<TypeParam> a;
  EXPECT_EQ(a.size(), 0u);
  EXPECT_EQ(a.bytes(), 0u);
  EXPECT_EQ(a.begin(), a.end());
  a.resize(0);
  EXPECT_EQ(a.size(), 0u);
}

TYPED_TEST(AlignedArrayTest, aligned_to_cache_lines_and_zero) {
  for (const std::size_t n : {1, 2, 15, 16, 17, 1000, 100000, 5000000}) {
    const AlignedArray<TypeParam> a(n);
    ASSERT_EQ(a.size(), n);
    EXPECT_EQ(std::uintptr_t(a.data()) % 64, 0u) << n;
    EXPECT_GE(a.bytes(), (n + AlignedArray<TypeParam>::padding) * sizeof(TypeParam));
    EXPECT_EQ(std::size_t(a.end() - a.begin()), n);
    for (std::size_t i = 0; i < n; i += 1 + n / 1000) ASSERT_EQ(a[i], TypeParam(0));
    EXPECT_TRUE(padding_is_zero(a)) << n;
  }
}

TYPED_TEST(AlignedArrayTest, growth_keeps_contents_and_adds_zeros) {
  AlignedArray<TypeParam> a;
  for (std::size_t n = 1; n < 3000; n += 1 + n / 3) {
    const std::size_t old = a.size();
    a.resize(n);
    for (std::size_t i = 0; i < old; ++i) ASSERT_EQ(a[i], TypeParam(i % 200 + 1)) << n;
    for (std::size_t i = old; i < n; ++i) ASSERT_EQ(a[i], TypeParam(0)) << n;
    ASSERT_TRUE(padding_is_zero(a)) << n;
    for (std::size_t i = old; i < n; ++i) a[i] = TypeParam(i % 200 + 1);
  }
}

// what was cut off does not come back, neither in the padding nor after growing again
TYPED_TEST(AlignedArrayTest, shrinking_clears_what_follows) {
  AlignedArray<TypeParam> a(100);
  std::fill(a.begin(), a.end(), TypeParam(7));
  a.resize(40);
  EXPECT_TRUE(padding_is_zero(a));
  EXPECT_EQ(a[39], TypeParam(7));
  a.resize(100);
  for (std::size_t i = 40; i < 100; ++i) ASSERT_EQ(a[i], TypeParam(0)) << i;
  EXPECT_EQ(a[39], TypeParam(7));
  a.resize(0);
  EXPECT_TRUE(padding_is_zero(a));
}

TYPED_TEST(AlignedArrayTest, reserve_leaves_room) {
  AlignedArray<TypeParam> a(10);
  std::iota(a.begin(), a.end(), TypeParam(1));
  a.reserve(1000);
  const TypeParam* memory = a.data();
  EXPECT_EQ(a.size(), 10u);
  EXPECT_EQ(a[9], TypeParam(10));
  EXPECT_TRUE(padding_is_zero(a));
  a.resize(1000);
  EXPECT_EQ(a.data(), memory);
  const std::size_t bytes = a.bytes();
  a.reserve(5);
  EXPECT_EQ(a.bytes(), bytes);
}

// growing element by element moves the memory rarely
TYPED_TEST(AlignedArrayTest, growth_is_geometric) {
  AlignedArray<TypeParam> a(16);
  int moves = 0;
  for (std::size_t n = 17; n < 20000; ++n) {
    const TypeParam* before = a.data();
    a.resize(n);
    moves += a.data() != before;
  }
  EXPECT_LT(moves, 60);
}

TYPED_TEST(AlignedArrayTest, copies_are_independent_and_moves_carry_the_memory) {
  AlignedArray<TypeParam> a(20);
  std::iota(a.begin(), a.end(), TypeParam(1));
  AlignedArray<TypeParam> copy(a);
  ASSERT_EQ(copy.size(), 20u);
  EXPECT_NE(copy.data(), a.data());
  EXPECT_TRUE(std::equal(a.begin(), a.end(), copy.begin()));
  EXPECT_TRUE(padding_is_zero(copy));
  copy[3] = TypeParam(99);
  EXPECT_EQ(a[3], TypeParam(4));

  AlignedArray<TypeParam> assigned(5);
  assigned = a;
  EXPECT_TRUE(assigned.size() == 20 && std::equal(a.begin(), a.end(), assigned.begin()));
  AlignedArray<TypeParam>& self = assigned;
  assigned = self;
  EXPECT_TRUE(assigned.size() == 20 && std::equal(a.begin(), a.end(), assigned.begin()));
  assigned = AlignedArray<TypeParam>();
  EXPECT_EQ(assigned.size(), 0u);

  const TypeParam* memory = a.data();
  AlignedArray<TypeParam> moved(std::move(a));
  EXPECT_EQ(moved.data(), memory);
  EXPECT_EQ(a.size(), 0u);
  EXPECT_EQ(AlignedArray<TypeParam>(AlignedArray<TypeParam>{}).size(), 0u);
}

}  // namespace
}  // namespace dollop
