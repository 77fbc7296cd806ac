// Neo-Hookean elasticity against closed forms.
#include "materials/neo_hookean.h"

#include <gtest/gtest.h>

#include "known_answers.h"

namespace dollop::inline DOLLOP_ISA {
namespace {

template <class S>
struct NeoHookeanTest : testing::Test {
  static constexpr double relative = std::is_same_v<S, float> ? 2e-6 : 1e-11;
  const NeoHookean model = sand_moduli<NeoHookean>();
  const typename NeoHookean::Law<S> law = model.law<S>();
};
TYPED_TEST_SUITE(NeoHookeanTest, Scalars);

TYPED_TEST(NeoHookeanTest, moduli) {
  EXPECT_NEAR(this->law.mu, sand_mu, 1e-7 * sand_mu);
  EXPECT_NEAR(this->law.lambda, sand_lambda, 1e-7 * sand_lambda);
  EXPECT_NEAR(this->model.moduli().shear, sand_mu, 1e-6);
  EXPECT_NEAR(this->model.moduli().lambda, sand_lambda, 1e-6);
  EXPECT_NEAR(this->model.moduli().bulk(), sand_young / (3 * (1 - 2 * sand_poisson)), 1e-6);
}

// tau_xy = mu gamma, tau_xx - tau_yy = mu gamma^2, the rest zero; psi = mu/2 gamma^2
TYPED_TEST(NeoHookeanTest, simple_shear) {
  for (const double gamma : {1e-3, 0.1, 0.5, -1.0, 2.0})
    for (const int steps : {1, 10}) {
      const auto s = deformed<TypeParam>(this->model, simple_shear(gamma), steps);
      const double tolerance = 4 * this->relative * sand_mu * std::fabs(gamma) * (1 + gamma * gamma);
      expect_stress(stress_of(this->law, s), {sand_mu * gamma * gamma, 0, 0, sand_mu * gamma, 0, 0},
                    tolerance);
      EXPECT_NEAR(energy_of(this->law, s), sand_mu / 2 * gamma * gamma, tolerance);
      EXPECT_NEAR(volume_of(this->law, s), 1, 4 * this->relative);
    }
}

// free sides: mu (t^2 - 1) + lambda ln(l t^2) = 0 for the lateral stretch t, then tau_xx = mu (l^2 - t^2)
TYPED_TEST(NeoHookeanTest, uniaxial_stretch_with_free_sides) {
  for (const double l : {0.5, 0.9, 1.1, 1.5, 2.0}) {
    double t = std::pow(l, -sand_poisson);
    for (int i = 0; i < 20; ++i) {
      const double side = sand_mu * (t * t - 1) + sand_lambda * std::log(l * t * t);
      t -= side / (2 * sand_mu * t + 2 * sand_lambda / t);
    }
    const auto s = deformed<TypeParam>(this->model, Mat3<double>::diagonal(t, l, t));
    const double tau = sand_mu * (l * l - t * t);
    expect_stress(stress_of(this->law, s), {0, tau, 0, 0, 0, 0}, 4 * this->relative * sand_mu);
    EXPECT_NEAR(volume_of(this->law, s), l * t * t, this->relative);
    EXPECT_LT(t * (l - 1), l - 1);  // it contracts when stretched
  }
}

// F = l 1: tau = mu (l^2 - 1) + 3 lambda ln l, psi = 3 mu/2 (l^2 - 1 - 2 ln l) + 9 lambda/2 ln^2 l
TYPED_TEST(NeoHookeanTest, change_of_volume) {
  for (const double l : {0.6, 0.95, 1.05, 1.4}) {
    const auto s = deformed<TypeParam>(this->model, Mat3<double>::diagonal(l, l, l), 3);
    const double log_l = std::log(l), tau = sand_mu * (l * l - 1) + 3 * sand_lambda * log_l;
    expect_stress(stress_of(this->law, s), SymMat3<double>::diagonal(tau), 4 * this->relative * sand_mu);
    EXPECT_NEAR(energy_of(this->law, s),
                1.5 * sand_mu * (l * l - 1 - 2 * log_l) + 4.5 * sand_lambda * log_l * log_l,
                2 * this->relative * sand_mu);
    EXPECT_NEAR(volume_of(this->law, s), l * l * l, 2 * this->relative);
  }
}

}  // namespace
}  // namespace dollop::inline DOLLOP_ISA
