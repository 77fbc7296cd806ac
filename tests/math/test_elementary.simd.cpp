// exp, expm1, log and log1p against long double: 2 units in the last place, special values, lanes = scalar.
#include "math/elementary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "samples.h"
#include "worse_of.h"

namespace dollop::inline DOLLOP_ISA {
namespace {

template <class S>
using Limits = std::numeric_limits<S>;

struct Exp {
  static constexpr const char* name = "exp";
  template <class R>
  static R apply(const R& x) {
    return exp(x);
  }
  static long double exact(long double x) { return std::exp(x); }
};
struct Expm1 {
  static constexpr const char* name = "expm1";
  template <class R>
  static R apply(const R& x) {
    return expm1(x);
  }
  static long double exact(long double x) { return std::expm1(x); }
};
struct Log {
  static constexpr const char* name = "log";
  template <class R>
  static R apply(const R& x) {
    return log(x);
  }
  static long double exact(long double x) { return std::log(x); }
};
struct Log1p {
  static constexpr const char* name = "log1p";
  template <class R>
  static R apply(const R& x) {
    return log1p(x);
  }
  static long double exact(long double x) { return std::log1p(x); }
};

// distance in units in the last place of the exact result, as S holds it
template <class S>
double ulps(S found, long double exact) {
  const long double most = Limits<S>::max();
  if (std::isnan(exact)) return std::isnan(found) ? 0 : Limits<double>::infinity();
  // beyond the range either neighbour of the limit is right
  if (exact > most) return found >= Limits<S>::max() ? 0 : Limits<double>::infinity();
  if (exact == -Limits<long double>::infinity())
    return found == -Limits<S>::infinity() ? 0 : Limits<double>::infinity();
  int exponent = 0;
  std::frexp(exact, &exponent);
  exponent = std::max(exponent, Limits<S>::min_exponent);
  return double(std::fabs(found - exact) / std::ldexp(1.0L, exponent - Limits<S>::digits));
}

template <class S, class F>
void check_pack(const S* x, double& worst) {
  const Pack<S> r = F::apply(Pack<S>::load(x));
  for (int l = 0; l < Pack<S>::lanes; ++l) {
    ASSERT_TRUE(same_bits(r[l], F::apply(x[l]))) << F::name << " " << x[l];
    worst = tests::worse_of(worst, ulps(r[l], F::exact(x[l])));
    ASSERT_LE(worst, 2) << F::name << " " << x[l] << " gives " << r[l];
  }
}

// every magnitude of both signs, and uniformly over [lo, hi]
template <class S, class F>
double largest_error(double lo, double hi) {
  Random random{11};
  double worst = 0;
  for (int i = 0; i < sample_count(40000) && !testing::Test::HasFatalFailure(); ++i) {
    S any_bits[Pack<S>::lanes], uniform[Pack<S>::lanes];
    for (int l = 0; l < Pack<S>::lanes; ++l) {
      any_bits[l] = from_bits<S>(typename VectorOf<S>::Int(random.bits()));
      uniform[l] = S(random.uniform(lo, hi));
    }
    check_pack<S, F>(any_bits, worst);
    check_pack<S, F>(uniform, worst);
  }
  return worst;
}

template <class S>
struct ElementaryTest : testing::Test {
  static constexpr bool single = std::is_same_v<S, float>;
  template <class F>
  void error_below_two(double lo, double hi) {
    this->RecordProperty(F::name, std::to_string(largest_error<S, F>(lo, hi)));
  }
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(ElementaryTest, Scalars);

TYPED_TEST(ElementaryTest, exp_within_two_units) {
  this->template error_below_two<Exp>(TestFixture::single ? -104 : -746, TestFixture::single ? 89 : 710);
}
TYPED_TEST(ElementaryTest, exp_near_zero_within_two_units) { this->template error_below_two<Exp>(-2, 2); }
TYPED_TEST(ElementaryTest, expm1_within_two_units) {
  this->template error_below_two<Expm1>(TestFixture::single ? -20 : -40, TestFixture::single ? 89 : 710);
}
TYPED_TEST(ElementaryTest, expm1_near_zero_within_two_units) { this->template error_below_two<Expm1>(-1, 1); }
TYPED_TEST(ElementaryTest, log_within_two_units) { this->template error_below_two<Log>(0, 100); }
TYPED_TEST(ElementaryTest, log_near_one_within_two_units) { this->template error_below_two<Log>(0.5, 2); }
TYPED_TEST(ElementaryTest, log1p_within_two_units) { this->template error_below_two<Log1p>(-1, 100); }
TYPED_TEST(ElementaryTest, log1p_near_zero_within_two_units) {
  this->template error_below_two<Log1p>(-0.6, 1.2);
}

// denormal arguments, and arguments whose exponential is denormal
TYPED_TEST(ElementaryTest, denormals) {
  using S = TypeParam;
  const S least = Limits<S>::denorm_min();
  for (const S x : {least, 3 * least, 1000 * least, Limits<S>::min() / 3, Limits<S>::min()}) {
    EXPECT_LE(ulps(log(x), std::log((long double)x)), 2);
    for (const S y : {x, -x}) {
      EXPECT_EQ(exp(y), 1);
      EXPECT_EQ(expm1(y), y);
      EXPECT_EQ(log1p(y), y);
    }
  }
  for (int i = 0; i < 100; ++i) {
    const S x = std::log(Limits<S>::min()) * S(1 + 0.0018 * i);
    EXPECT_LE(ulps(exp(x), std::exp((long double)x)), 2) << x;
  }
}

TYPED_TEST(ElementaryTest, special_values) {
  using S = TypeParam;
  const S inf = Limits<S>::infinity(), nan = Limits<S>::quiet_NaN(), zero = 0;
  EXPECT_EQ(exp(inf), inf);
  EXPECT_EQ(exp(-inf), 0);
  EXPECT_EQ(exp(zero), 1);
  EXPECT_EQ(exp(-zero), 1);
  EXPECT_EQ(expm1(inf), inf);
  EXPECT_EQ(expm1(-inf), -1);
  EXPECT_EQ(expm1(zero), 0);
  EXPECT_EQ(log(inf), inf);
  EXPECT_EQ(log(zero), -inf);
  EXPECT_EQ(log(-zero), -inf);
  EXPECT_EQ(log(S(1)), 0);
  EXPECT_EQ(log1p(inf), inf);
  EXPECT_EQ(log1p(S(-1)), -inf);
  EXPECT_EQ(log1p(zero), 0);
  for (const S x : {nan, S(-nan)}) {
    EXPECT_TRUE(std::isnan(exp(x)));
    EXPECT_TRUE(std::isnan(expm1(x)));
    EXPECT_TRUE(std::isnan(log(x)));
    EXPECT_TRUE(std::isnan(log1p(x)));
  }
  for (const S x : {S(-Limits<S>::denorm_min()), S(-0.5), S(-1), S(-1e30), S(-inf)}) {
    EXPECT_TRUE(std::isnan(log(x))) << x;
    EXPECT_TRUE(std::isnan(log1p(std::min(S(-1) + x, S(-1.5))))) << x;
  }
}

TYPED_TEST(ElementaryTest, exp_and_expm1_overflow_where_the_result_does) {
  using S = TypeParam;
  const S most = S(std::nextafter(std::log(Limits<S>::max()), S(0)));
  EXPECT_LE(ulps(exp(most), std::exp((long double)most)), 2);
  EXPECT_LE(ulps(expm1(most), std::expm1((long double)most)), 2);
  EXPECT_EQ(exp(most * S(1.001)), Limits<S>::infinity());
  EXPECT_EQ(expm1(most * S(1.001)), Limits<S>::infinity());
}

// never falls by more than rounding from one number to the next
template <class S, class F>
void check_rising(S from, S factor, int count) {
  S x = from, last = F::apply(x);
  for (int i = 0; i < count; ++i) {
    x *= factor;
    const S next = F::apply(x);
    ASSERT_GE(next, last - std::fabs(last) * Limits<S>::epsilon()) << F::name << " " << x;
    last = next;
  }
  EXPECT_GT(last, F::apply(from)) << F::name;
}

TYPED_TEST(ElementaryTest, rising) {
  using S = TypeParam;
  const int count = sample_count(100000);
  const S step = std::pow(S(1e9), S(1) / S(count));  // from 1e-8 to about 10
  check_rising<S, Exp>(S(1e-8), step, count);
  check_rising<S, Expm1>(S(1e-8), step, count);
  check_rising<S, Log>(S(1e-8), step, count);
  check_rising<S, Log1p>(S(1e-8), step, count);
}

}  // namespace
}  // namespace dollop::inline DOLLOP_ISA
