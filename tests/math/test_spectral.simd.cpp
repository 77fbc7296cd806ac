// Isotropic tensor functions and their derivatives against a precise reference and closed forms.
#include "math/spectral.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "reference.h"
#include "samples.h"
#include "worse_of.h"

namespace dollop::inline DOLLOP_ISA {
namespace {

template <class S>
using Limits = std::numeric_limits<S>;

template <class W>
W wide_log(W a) {
  return W(std::log((long double)a));
}
template <class W>
W wide_exp(W a) {
  return W(std::exp((long double)a));
}

// positive definite, of a condition number that the scalar can resolve
template <class S>
SymMat3<S> sample_positive(Kind kind, Random& random) {
  if (kind == Kind::identity) return SymMat3<S>::diagonal(1);
  const bool single = std::is_same_v<S, float>;
  const auto value = [&] { return random.power_of_ten(-1, 1); };
  Vec3<double> d{value(), value(), value()};
  if (kind == Kind::repeated)
    d = random.bits() % 4 == 0 ? Vec3<double>{d.x, d.x, d.x} : Vec3<double>{d.x, d.y, d.y};
  if (kind == Kind::nearly_repeated)
    d = {d.x, d.x * (1 + random.power_of_ten(-16, -2)), d.x * (1 + random.power_of_ten(-16, -2))};
  if (kind == Kind::near_singular) d.z *= random.power_of_ten(single ? -4 : -12, 0);
  const double scale =
      kind == Kind::denormal ? double(Limits<S>::min()) : sample_scale<S>(kind, random) * 0.1;
  const Mat3<double> q = kind == Kind::diagonal ? Mat3<double>::identity() : random.rotation();
  const SymMat3<double> a = assemble(q, d);
  return {S(scale * a.xx), S(scale * a.yy), S(scale * a.zz),
          S(scale * a.xy), S(scale * a.xz), S(scale * a.yz)};
}
constexpr std::array positive_kinds{Kind::random,        Kind::repeated, Kind::nearly_repeated,
                                    Kind::near_singular, Kind::huge,     Kind::tiny,
                                    Kind::denormal,      Kind::diagonal, Kind::identity};

template <class S>
struct SpectralTest : testing::Test {
  static constexpr bool single = std::is_same_v<S, float>;
  // bounds of docs/theory/math.md: values in units of epsilon, derivatives relative
  static constexpr double logarithm = 10, exponential = 14;
  static constexpr double derivative = single ? 4e-3 : 2.5e-7, dual_value = single ? 4e-6 : 1e-13;
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(SpectralTest, Scalars);

// relative to the condition number: what an epsilon of the largest eigenvalue does to the least one
TYPED_TEST(SpectralTest, logarithm) {
  using S = TypeParam;
  using W = Wide<S>;
  for (const Kind kind : positive_kinds) {
    Random random{std::uint64_t(kind) + 27};
    double worst = 0;
    for (int i = 0; i < sample_count(TestFixture::single ? 10000 : 1000); ++i) {
      const SymMat3<S> a = sample_positive<S>(kind, random);
      const WideEigen<W> e = wide_eigen(widen<W>(to_mat3(a)));
      const WideMat3<W> exact = wide_spectral(e, wide_log<W>);
      W sorted[3] = {e.values[0], e.values[1], e.values[2]};
      wide_sort(sorted);
      const W unit = W(Limits<S>::epsilon()) * (sorted[2] / sorted[0] + wide_largest(exact));
      worst = tests::worse_of(worst, double(wide_distance(widen<W>(to_mat3(log_sym(a))), exact) / unit));
    }
    this->RecordProperty(std::string("log_") + name_of(kind), std::to_string(worst));
    EXPECT_LE(worst, TestFixture::logarithm) << name_of(kind);
  }
}

// relative to the largest entry of the result times 1 + the largest |eigenvalue|
TYPED_TEST(SpectralTest, exponential) {
  using S = TypeParam;
  using W = Wide<S>;
  for (const Kind kind : all_kinds) {
    if (kind == Kind::huge || kind == Kind::integers) continue;  // the result overflows
    Random random{std::uint64_t(kind) + 37};
    double worst = 0;
    for (int i = 0; i < sample_count(TestFixture::single ? 10000 : 1000); ++i) {
      const SymMat3<S> a = S(random.power_of_ten(-2, 1.3)) * sample_symmetric<S>(kind, random);
      const WideEigen<W> e = wide_eigen(widen<W>(to_mat3(a)));
      const WideMat3<W> exact = wide_spectral(e, wide_exp<W>);
      const W unit = W(Limits<S>::epsilon()) * wide_largest(exact) * (1 + wide_largest(widen<W>(to_mat3(a))));
      worst = tests::worse_of(worst, double(wide_distance(widen<W>(to_mat3(exp_sym(a))), exact) / unit));
    }
    this->RecordProperty(std::string("exp_") + name_of(kind), std::to_string(worst));
    EXPECT_LE(worst, TestFixture::exponential) << name_of(kind);
  }
}

TYPED_TEST(SpectralTest, lanes_equal_scalar) {
  using S = TypeParam;
  for (const Kind kind : positive_kinds) {
    Random random{std::uint64_t(kind) + 299};
    for (int i = 0; i < sample_count(1000); ++i) {
      const auto a = sample_lanes<S>([&] { return sample_positive<S>(kind, random); });
      const SymMat3<Pack<S>> logs = log_sym(gather_lanes(a)), exps = exp_sym(gather_lanes(a));
      for (int l = 0; l < Pack<S>::lanes; ++l) {
        ASSERT_TRUE(same_lane(logs, l, log_sym(a[l]))) << name_of(kind);
        ASSERT_TRUE(same_lane(exps, l, exp_sym(a[l]))) << name_of(kind);
      }
    }
  }
}

// --- derivatives ------------------------------------------------------------------------------------------

template <class S>
using Dual6 = Dual<S, 6>;

// A with one direction for each of its six entries
template <class S>
SymMat3<Dual6<S>> seed(const SymMat3<S>& a) {
  using D = Dual6<S>;
  return {D::variable(a.xx, 0), D::variable(a.yy, 1), D::variable(a.zz, 2),
          D::variable(a.xy, 3), D::variable(a.xz, 4), D::variable(a.yz, 5)};
}
// dA of direction k
template <class W>
WideMat3<W> direction(int k) {
  constexpr int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  WideMat3<W> r{};
  r.m[row[k]][column[k]] = r.m[column[k]][row[k]] = 1;
  return r;
}
template <class W, class S>
WideMat3<W> derivative(const SymMat3<Dual6<S>>& a, int k) {
  return widen<W>(make_mat3<S>([&](int i, int j) { return a(i, j).d[k]; }));
}
template <class W, class S>
WideMat3<W> value(const SymMat3<Dual6<S>>& a) {
  return widen<W>(make_mat3<S>([&](int i, int j) { return a(i, j).value; }));
}

// Q (secant(lambda_i, lambda_j) (Q^T dA Q)_ij) Q^T
template <class W, class F>
WideMat3<W> wide_derivative(const WideEigen<W>& e, const WideMat3<W>& da, F&& secant) {
  const WideMat3<W> qt = wide_transpose(e.vectors);
  WideMat3<W> m = wide_product(qt, wide_product(da, e.vectors));
  for (int i = 0; i < 9; ++i) m.m[i / 3][i % 3] *= secant(e.values[i / 3], e.values[i % 3]);
  return wide_product(e.vectors, wide_product(m, qt));
}
template <class W>
W secant_log(W a, W b) {
  const W x = (a - b) / b;
  return wide_abs(x) < W(1e-25L) ? 1 / b : W(std::log1p((long double)x)) / (a - b);
}
template <class W>
W secant_exp(W a, W b) {
  return wide_exp(b) * (wide_abs(a - b) < W(1e-25L) ? W(1) : W(std::expm1((long double)(a - b))) / (a - b));
}

struct DualError {
  double value = 0, derivative = 0;
};
template <class S, class W, class F, class G>
void measure(const SymMat3<S>& a, const SymMat3<Dual6<S>>& found, F&& f, G&& secant, DualError& worst) {
  const WideEigen<W> e = wide_eigen(widen<W>(to_mat3(a)));
  const WideMat3<W> exact = wide_spectral(e, f);
  const double v = double(wide_distance(value<W>(found), exact) / (1 + wide_largest(exact)));
  worst.value = tests::worse_of(worst.value, v);
  for (int k = 0; k < 6; ++k) {
    const WideMat3<W> d = wide_derivative(e, direction<W>(k), secant);
    const W scale = wide_max(secant(e.values[0], e.values[0]),
                             wide_max(secant(e.values[1], e.values[1]), secant(e.values[2], e.values[2])));
    worst.derivative =
        tests::worse_of(worst.derivative, double(wide_distance(derivative<W>(found, k), d) / scale));
  }
}

TYPED_TEST(SpectralTest, derivatives_of_logarithm_and_exponential) {
  using S = TypeParam;
  using W = Wide<S>;
  for (const Kind kind :
       {Kind::random, Kind::repeated, Kind::nearly_repeated, Kind::diagonal, Kind::identity}) {
    Random random{std::uint64_t(kind) + 47};
    DualError log_error, exp_error;
    for (int i = 0; i < sample_count(TestFixture::single ? 5000 : 600); ++i) {
      const SymMat3<S> a = S(10) * sample_positive<S>(kind, random), b = sample_symmetric<S>(kind, random);
      measure<S, W>(a, log_sym(seed(a)), wide_log<W>, secant_log<W>, log_error);
      measure<S, W>(b, exp_sym(seed(b)), wide_exp<W>, secant_exp<W>, exp_error);
    }
    const std::string name = name_of(kind);
    this->RecordProperty("dlog_" + name, std::to_string(1e9 * log_error.derivative));
    this->RecordProperty("dexp_" + name, std::to_string(1e9 * exp_error.derivative));
    this->RecordProperty("dual_log_" + name, std::to_string(1e15 * log_error.value));
    this->RecordProperty("dual_exp_" + name, std::to_string(1e15 * exp_error.value));
    EXPECT_LE(log_error.derivative, TestFixture::derivative) << name;
    EXPECT_LE(exp_error.derivative, TestFixture::derivative) << name;
    EXPECT_LE(log_error.value, TestFixture::dual_value) << name;
    EXPECT_LE(exp_error.value, TestFixture::dual_value) << name;
  }
}

// the zero matrix: e^0 = 1 and d e^A = dA
TYPED_TEST(SpectralTest, derivative_of_the_exponential_at_zero) {
  using S = TypeParam;
  const SymMat3<Dual6<S>> r = exp_sym(seed(SymMat3<S>::diagonal(0)));
  EXPECT_LE(double(wide_distance(value<double>(r), wide_diagonal<double>(1, 1, 1))), TestFixture::dual_value);
  for (int k = 0; k < 6; ++k)
    EXPECT_LE(wide_distance(derivative<double>(r, k), direction<double>(k)), TestFixture::derivative);
}

// y_i = lambda_i^2 is A^2, with derivative A dA + dA A
TYPED_TEST(SpectralTest, derivative_of_the_square) {
  using S = TypeParam;
  Random random{57};
  for (const Kind kind :
       {Kind::random, Kind::repeated, Kind::nearly_repeated, Kind::near_singular, Kind::zero}) {
    for (int i = 0; i < sample_count(2000); ++i) {
      const SymMat3<S> a = sample_symmetric<S>(kind, random);
      const auto e = eigen(seed(a));
      const auto r = spectral(e, {e.values.x * e.values.x, e.values.y * e.values.y, e.values.z * e.values.z});
      const WideMat3<double> w = widen<double>(to_mat3(a));
      EXPECT_LE(wide_distance(value<double>(r), wide_product(w, w)), TestFixture::dual_value);
      for (int k = 0; k < 6; ++k) {
        const WideMat3<double> left = wide_product(w, direction<double>(k)), right = wide_transpose(left);
        const WideMat3<double> d = derivative<double>(r, k);
        for (int m = 0; m < 9; ++m)
          ASSERT_NEAR(d.m[m / 3][m % 3], left.m[m / 3][m % 3] + right.m[m / 3][m % 3],
                      TestFixture::derivative);
      }
    }
  }
}

// each y_i depends on all eigenvalues: y_i = lambda_j lambda_k is the adjugate, of trace second_invariant
TYPED_TEST(SpectralTest, derivative_of_the_adjugate) {
  using S = TypeParam;
  using D = Dual6<S>;
  Random random{67};
  for (const Kind kind : {Kind::random, Kind::repeated, Kind::nearly_repeated, Kind::zero, Kind::identity}) {
    for (int i = 0; i < sample_count(2000); ++i) {
      const SymMat3<D> a = seed(sample_symmetric<S>(kind, random));
      const auto e = eigen(a);
      const SymMat3<D> r =
          spectral(e, {e.values.y * e.values.z, e.values.z * e.values.x, e.values.x * e.values.y});
      const D xx = a.yy * a.zz - a.yz * a.yz, xy = a.xz * a.yz - a.xy * a.zz;
      const D invariant = second_invariant(a);
      EXPECT_NEAR(r.xx.value, xx.value, TestFixture::dual_value);
      EXPECT_NEAR(r.xy.value, xy.value, TestFixture::dual_value);
      for (int k = 0; k < 6; ++k) {
        EXPECT_NEAR(r.xx.d[k], xx.d[k], TestFixture::derivative);
        EXPECT_NEAR(r.xy.d[k], xy.d[k], TestFixture::derivative);
        EXPECT_NEAR(trace(r).d[k], invariant.d[k], TestFixture::derivative);
      }
    }
  }
}

}  // namespace
}  // namespace dollop::inline DOLLOP_ISA
