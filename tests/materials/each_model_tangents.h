// The standard test set, tangents: d tau / d du by dual numbers equals finite differences, at rest and at equal stretches
// too.
#pragma once

#include <gtest/gtest.h>

#include <array>

#include "histories.h"
#include "tested_model.h"
#include "worse_of.h"

namespace dollop::inline DOLLOP_ISA {
namespace {

using tests::worse_of;

template <class Case>
struct ModelTangents : testing::Test {};
TYPED_TEST_SUITE(ModelTangents, DoubleCases, CaseName);

using Tangent = std::array<SymMat3<double>, 9>;  // d tau for each entry of du

template <class Case, class Law, class State>
[[gnu::noinline]] Tangent dual_tangent(const Law& law, const Mat3<double>& du, const State& s) {
  using D = Dual<double, 9>;
  using DualState = typename Case::template State<D>;
  const auto reals = reals_of(s);
  DualState d = state_from<DualState>([&](int k) { return reals[std::size_t(k)]; });
  law.predict(make_mat3<D>([&](int i, int j) { return D::variable(du(i, j), 3 * i + j); }), d);
  law.return_map(d);
  const SymMat3<D> tau = law.stress(d);
  Tangent r;
  for (std::size_t k = 0; k < 9; ++k)
    r[k] = {tau.xx.d[k], tau.yy.d[k], tau.zz.d[k], tau.xy.d[k], tau.xz.d[k], tau.yz.d[k]};
  return r;
}

// central differences of fourth order, and how far the slopes on both sides are apart
struct Differences {
  Tangent slope;
  double kink = 0;
};
template <class Law, class State>
Differences difference(const Law& law, const Mat3<double>& du, const State& s, double h) {
  Differences r;
  for (int k = 0; k < 9; ++k) {
    const auto tau = [&](double d) {
      Mat3<double> moved = du;
      moved(k / 3, k % 3) += d;
      State t = s;
      advance(law, moved, t);
      return stress_of(law, t);
    };
    const SymMat3<double> here = tau(0), a = tau(h), b = tau(-h), a2 = tau(2 * h), b2 = tau(-2 * h);
    r.slope[std::size_t(k)] = (1 / (12 * h)) * (8.0 * (a - b) - (a2 - b2));
    const SymMat3<double> ahead = 4.0 * a - a2 - 3.0 * here, behind = 3.0 * here - 4.0 * b + b2;
    r.kink = worse_of(r.kink, largest(ahead - behind) / (2 * h));
  }
  return r;
}

inline double distance(const Tangent& a, const Tangent& b) {
  double r = 0;
  for (std::size_t k = 0; k < 9; ++k) r = worse_of(r, largest(a[k] - b[k]));
  return r;
}

// Compares at one point. Where step sizes or the two sides disagree there is a kink of the yield surface and
// no tangent to compare with; a wrong tangent cannot hide there, since only differences are looked at.
struct Comparison {
  Worst error;
  int compared = 0, skipped = 0, flowing = 0;

  template <class Case, class Model, class Law, class State>
  void at(const Model& model, const Law& law, const Mat3<double>& du, const State& s) {
    const double unit = 2 * model.moduli().shear;
    const Differences coarse = difference(law, du, s, 1e-6), fine = difference(law, du, s, 2.5e-7);
    if (distance(coarse.slope, fine.slope) > 2e-6 * unit || fine.kink > 1e-2 * unit) {
      ++skipped;
      return;
    }
    ++compared;
    State trial = s;
    predict(law, du, trial);
    const auto before = strain_of(trial);
    return_map(law, trial);
    flowing += largest(strain_of(trial) - before) > 1e-12;
    error.see(distance(dual_tangent<Case>(law, du, s), fine.slope) / unit, model);
  }
};

// relative to 2 mu, the smaller of the elastic moduli unless Poisson's ratio is negative
constexpr double tolerance = 1e-5;

TYPED_TEST(ModelTangents, random_states) {
  Comparison comparison;
  Random random{92};
  each_history<TypeParam>(history_count / 2, 91, [&](const auto& model, const auto& law, History& history) {
    typename TypeParam::template State<double> s{};
    for (int step = 0; step < History::length; ++step) {
      // rotations and changes of volume alone would slide along the yield surface, which is all kink
      const double size = random.power_of_ten(-4, -1);
      const Mat3<double> off = make_mat3<double>([&](int, int) { return size * random.uniform(-1, 1); });
      const Mat3<double> du = history.next();
      comparison.template at<TypeParam>(model, law, du + off, s);
      advance(law, du, s);
    }
  });
  const int points = comparison.compared + comparison.skipped;
  expect_within("error", comparison.error, tolerance);
  this->RecordProperty("skipped", std::to_string(comparison.skipped * 1.0 / points));
  this->RecordProperty("flowing", std::to_string(comparison.flowing * 1.0 / points));
  EXPECT_LE(comparison.skipped, points / 30);
  if (has_yield<typename TypeParam::Model>) {
    EXPECT_GE(comparison.flowing, points / 10);
    EXPECT_GE(comparison.compared - comparison.flowing, points / 10);
  }
}

// At rest: three equal eigenvalues, and the elastic tangent in closed form. It is that of dry sand too, which has no
// differences to compare with: on one side of rest it resists, on the other it comes apart.
TYPED_TEST(ModelTangents, rest) {
  for (const auto& model : parameter_sets<typename TypeParam::Model>()) {
    const auto law = step_law<double>(model, test_dt);
    Comparison comparison;
    typename TypeParam::template State<double> s{};
    comparison.template at<TypeParam>(model, law, Mat3<double>{}, s);
    EXPECT_LE(comparison.error.value, tolerance) << describe(model);
    if (is_rate_dependent<typename TypeParam::Model>()) continue;
    const Moduli m = model.moduli();
    const Tangent found = dual_tangent<TypeParam>(law, Mat3<double>{}, s);
    for (int k = 0; k < 9; ++k)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
          const double shear = (i == k / 3 && j == k % 3) + (i == k % 3 && j == k / 3);
          const double exact = m.shear * shear + (i == j && k % 4 == 0 ? m.lambda : 0);
          EXPECT_NEAR(found[std::size_t(k)](i, j), exact, tolerance * m.shear) << describe(model);
        }
  }
}

// three equal stretches, two equal ones, and nearly equal ones, in every direction of space
TYPED_TEST(ModelTangents, equal_stretches) {
  Comparison comparison;
  Random random{101};
  for (const auto& model : parameter_sets<typename TypeParam::Model>()) {
    const auto law = step_law<double>(model, test_dt);
    for (int i = 0; i < std::max(4, sample_count(16)); ++i) {
      const double a = random.uniform(-0.2, 0.2), b = i % 4 == 0 ? a : random.uniform(-0.2, 0.2);
      const double close = i % 4 == 3 ? random.power_of_ten(-14, -5) : 0;  // nearly equal
      const Mat3<double> q = i % 4 == 1 ? Mat3<double>::identity() : random.rotation();
      const Mat3<double> du = q * Mat3<double>::diagonal(a, a + close, b) * transpose(q);
      typename TypeParam::template State<double> s{};
      comparison.template at<TypeParam>(model, law, du, s);
      advance(law, du, s);
      comparison.template at<TypeParam>(model, law, du, s);
    }
  }
  const int points = comparison.compared + comparison.skipped;
  expect_within("error", comparison.error, tolerance);
  this->RecordProperty("skipped", std::to_string(comparison.skipped * 1.0 / points));
  EXPECT_LE(comparison.skipped, points / 30);
}

}  // namespace
}  // namespace dollop::inline DOLLOP_ISA
