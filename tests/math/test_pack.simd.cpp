// Every operation on packs against the same operation on plain numbers, lane by lane and bitwise.
#include "math/pack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "samples.h"
#include "worse_of.h"

namespace dollop::inline DOLLOP_ISA {
namespace {

template <class S>
using Limits = std::numeric_limits<S>;

// numbers of every kind: ordinary, integers, signed zeros, infinities, NaN, denormals, the limits
template <class S>
S sample_number(Random& random) {
  const S special[] = {S(0),
                       -S(0),
                       S(1),
                       S(-1),
                       Limits<S>::infinity(),
                       -Limits<S>::infinity(),
                       Limits<S>::quiet_NaN(),
                       Limits<S>::denorm_min(),
                       -Limits<S>::denorm_min(),
                       Limits<S>::min(),
                       Limits<S>::max(),
                       Limits<S>::lowest()};
  switch (random.bits() % 4) {
    case 0:
      return special[random.bits() % std::size(special)];
    case 1:
      return from_bits<S>(typename VectorOf<S>::Int(random.bits()));
    case 2:
      return S(std::floor(random.uniform(-5, 5)));
    default:
      return S(random.uniform(-5, 5));
  }
}

template <class S>
struct Operands {
  S a[Pack<S>::lanes], b[Pack<S>::lanes], c[Pack<S>::lanes];
  explicit Operands(Random& random) {
    for (int l = 0; l < Pack<S>::lanes; ++l) {
      a[l] = sample_number<S>(random), b[l] = sample_number<S>(random), c[l] = sample_number<S>(random);
      if (random.bits() % 4 == 0) b[l] = a[l];
    }
  }
};

// f on packs equals f on the numbers of each lane
template <class S, class F>
void check(F f) {
  Random random{21};
  for (int i = 0; i < sample_count(5000); ++i) {
    const Operands<S> o(random);
    const Pack<S> r = f(Pack<S>::load(o.a), Pack<S>::load(o.b), Pack<S>::load(o.c));
    for (int l = 0; l < Pack<S>::lanes; ++l) {
      const S one = f(o.a[l], o.b[l], o.c[l]);
      ASSERT_TRUE(same_bits(r[l], one))
          << o.a[l] << " " << o.b[l] << " " << o.c[l] << ": " << r[l] << " " << one;
    }
  }
}

template <class S>
struct PackTest : testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(PackTest, Scalars);

TYPED_TEST(PackTest, size) {
  using S = TypeParam;
  static_assert(Pack<S>::lanes * sizeof(S) == DOLLOP_VECTOR_BYTES);
  static_assert(sizeof(Pack<S>) == DOLLOP_VECTOR_BYTES);
  static_assert(lanes_of<Pack<S>> == Pack<S>::lanes && lanes_of<S> == 1);
  static_assert(std::is_same_v<ScalarOf<Pack<S>>, S> && std::is_same_v<ScalarOf<S>, S>);
}

TYPED_TEST(PackTest, load_store_and_lanes) {
  using S = TypeParam;
  constexpr int n = Pack<S>::lanes;
  S in[n + 1], out[n + 1];
  for (int l = 0; l <= n; ++l) in[l] = S(l + 1), out[l] = -1;
  Pack<S> a = Pack<S>::load(in + 1);  // from an address that is not aligned
  for (int l = 0; l < n; ++l) EXPECT_EQ(a[l], l + 2);
  a.store(out);
  for (int l = 0; l < n; ++l) EXPECT_EQ(out[l], l + 2);
  EXPECT_EQ(out[n], -1);
  a.set(n - 1, S(77));
  for (int l = 0; l < n; ++l) EXPECT_EQ(a[l], l == n - 1 ? 77 : l + 2);
}

TYPED_TEST(PackTest, store_of_some_lanes_leaves_the_rest) {
  using S = TypeParam;
  constexpr int n = Pack<S>::lanes;
  for (int count = 0; count <= n; ++count) {
    S out[n];
    std::fill(out, out + n, S(-1));
    Pack<S>(S(5)).store(out, count);
    for (int l = 0; l < n; ++l) EXPECT_EQ(out[l], l < count ? 5 : -1);
  }
}

TYPED_TEST(PackTest, a_number_fills_every_lane_with_its_bits) {
  using S = TypeParam;
  for (const S x :
       {S(3), S(0), -S(0), Limits<S>::infinity(), Limits<S>::quiet_NaN(), Limits<S>::denorm_min()}) {
    const Pack<S> a = x;
    for (int l = 0; l < Pack<S>::lanes; ++l) EXPECT_TRUE(same_bits(a[l], x));
  }
}

TYPED_TEST(PackTest, operators) {
  using S = TypeParam;
  check<S>([](auto a, auto b, auto) { return a + b; });
  check<S>([](auto a, auto b, auto) { return a - b; });
  check<S>([](auto a, auto b, auto) { return a * b; });
  check<S>([](auto a, auto b, auto) { return a / b; });
  check<S>([](auto a, auto, auto) { return -a; });
  check<S>([](auto a, auto b, auto) { return a += b; });
  check<S>([](auto a, auto b, auto) { return a -= b; });
  check<S>([](auto a, auto b, auto) { return a *= b; });
}

TYPED_TEST(PackTest, comparisons_and_select) {
  using S = TypeParam;
  check<S>([](auto a, auto b, auto c) { return select(a < b, a, c); });
  check<S>([](auto a, auto b, auto c) { return select(a > b, a, c); });
  check<S>([](auto a, auto b, auto c) { return select(a <= b, a, c); });
  check<S>([](auto a, auto b, auto c) { return select(a >= b, a, c); });
  check<S>([](auto a, auto b, auto c) { return select(a == b, a, c); });
  check<S>([](auto a, auto b, auto c) { return select(both(a < b, b < c), a, c); });
  check<S>([](auto a, auto b, auto c) { return select(either(a < b, b < c), a, b); });
}

TYPED_TEST(PackTest, functions) {
  using S = TypeParam;
  check<S>([](auto a, auto b, auto) { return min(a, b); });
  check<S>([](auto a, auto b, auto) { return max(a, b); });
  check<S>([](auto a, auto, auto) { return abs(a); });
  check<S>([](auto a, auto, auto) { return sqrt(a); });
  check<S>([](auto a, auto, auto) { return floor(a); });
  check<S>([](auto a, auto b, auto) { return copysign(a, b); });
  check<S>([](auto a, auto b, auto c) { return fma(a, b, c); });
  check<S>([](auto a, auto, auto) { return rsqrt(a); });
  check<S>([](auto a, auto, auto) { return reciprocal(a); });
}

TYPED_TEST(PackTest, bits) {
  using S = TypeParam;
  check<S>([](auto a, auto, auto) { return from_bits<decltype(a)>(to_bits(a) ^ 1); });
  check<S>([](auto a, auto, auto) { return int_to_real<decltype(a)>(to_bits(a) >> 3); });
}

TYPED_TEST(PackTest, any_sees_each_lane) {
  using S = TypeParam;
  EXPECT_FALSE(any(Pack<S>(S(1)) < Pack<S>(S(1))));
  for (int l = 0; l < Pack<S>::lanes; ++l) {
    Pack<S> a = S(0);
    a.set(l, S(2));
    EXPECT_TRUE(any(a > Pack<S>(S(1))));
  }
}

// the plain functions themselves, on what distinguishes them
TYPED_TEST(PackTest, plain_functions) {
  using S = TypeParam;
  const S nan = Limits<S>::quiet_NaN();
  EXPECT_EQ(min(S(1), S(2)), 1);
  EXPECT_EQ(max(S(1), S(2)), 2);
  EXPECT_EQ(min(nan, S(2)), 2);
  EXPECT_EQ(max(nan, S(2)), 2);
  EXPECT_TRUE(std::isnan(min(S(2), nan)));
  EXPECT_TRUE(std::isnan(max(S(2), nan)));
  EXPECT_EQ(abs(S(-3)), 3);
  EXPECT_EQ(sqrt(S(9)), 3);
  EXPECT_EQ(floor(S(-1.5)), -2);
  EXPECT_EQ(copysign(S(2), S(-0.0)), -2);
  EXPECT_EQ(fma(S(2), S(3), S(4)), 10);
  EXPECT_EQ(select(true, S(1), S(2)), 1);
  EXPECT_EQ(select(false, S(1), S(2)), 2);
  EXPECT_TRUE(both(true, true) && !both(true, false) && !both(false, true));
  EXPECT_TRUE(either(true, false) && either(false, true) && !either(false, false));
  EXPECT_TRUE(any(true) && !any(false));
#ifdef __FMA__
  const S x = S(1) + Limits<S>::epsilon();
  EXPECT_EQ(fma(x, x, -(x * x)), Limits<S>::epsilon() * Limits<S>::epsilon());  // rounded once
#endif
}

TYPED_TEST(PackTest, rsqrt_and_reciprocal_within_four_units) {
  using S = TypeParam;
  Random random{31};
  double worst = 0;
  for (int i = 0; i < sample_count(200000); ++i) {
    const S x = S(random.power_of_ten(-30, 30));
    const double r = double(std::sqrt((long double)x) * rsqrt(x) - 1),
                 q = double((long double)x * reciprocal(x) - 1);
    worst = tests::worse_of(tests::worse_of(worst, std::fabs(r)), std::fabs(q));
  }
  this->RecordProperty("estimates", std::to_string(worst / Limits<S>::epsilon()));
  EXPECT_LE(worst, 4 * Limits<S>::epsilon());
}

}  // namespace
}  // namespace dollop::inline DOLLOP_ISA
