// Hencky elasticity against closed forms.
#include "materials/hencky.h"

#include <gtest/gtest.h>

#include "known_answers.h"

namespace dollop::inline DOLLOP_ISA {
namespace {

template <class S>
struct HenckyTest : testing::Test {
  static constexpr double relative = std::is_same_v<S, float> ? 2e-6 : 1e-11;
  const Hencky model = sand_moduli<Hencky>();
  const typename Hencky::Law<S> law = model.law<S>();
};
TYPED_TEST_SUITE(HenckyTest, Scalars);

TYPED_TEST(HenckyTest, moduli) {
  EXPECT_NEAR(this->law.elastic.two_mu, 2 * sand_mu, 2e-7 * sand_mu);
  EXPECT_NEAR(this->law.elastic.lambda, sand_lambda, 1e-7 * sand_lambda);
}

// the logarithmic strain has Poisson's ratio: sides l^-nu, tau = E ln l, psi = E/2 ln^2 l
TYPED_TEST(HenckyTest, uniaxial_stretch_with_free_sides) {
  for (const double l : {0.4, 0.9, 1.001, 1.5, 3.0})
    for (const int steps : {1, 7}) {
      const double t = std::pow(l, -sand_poisson), log_l = std::log(l);
      const auto s = deformed<TypeParam>(this->model, Mat3<double>::diagonal(t, t, l), steps);
      expect_stress(stress_of(this->law, s), {0, 0, sand_young * log_l, 0, 0, 0},
                    this->relative * sand_young);
      EXPECT_NEAR(energy_of(this->law, s), sand_young / 2 * log_l * log_l, this->relative * sand_young);
      EXPECT_NEAR(volume_of(this->law, s), l * t * t, 4 * this->relative);
    }
}

// principal strains +-asinh(gamma/2), at half the angle whose tangent is 2/gamma from the flow
TYPED_TEST(HenckyTest, simple_shear) {
  for (const double gamma : {1e-3, 0.1, 0.5, -1.0, 2.0})
    for (const int steps : {1, 10}) {
      const double eps = std::asinh(gamma / 2), root = std::sqrt(4 + gamma * gamma);
      const double normal = 2 * sand_mu * eps * gamma / root, shear = 2 * sand_mu * eps * 2 / root;
      const auto s = deformed<TypeParam>(this->model, simple_shear(gamma), steps);
      expect_stress(stress_of(this->law, s), {normal, -normal, 0, shear, 0, 0}, 8 * this->relative * sand_mu);
      EXPECT_NEAR(energy_of(this->law, s), 2 * sand_mu * eps * eps, 8 * this->relative * sand_mu);
      EXPECT_NEAR(volume_of(this->law, s), 1, 8 * this->relative);
    }
}

// tau = 3 K ln l, psi = 9/2 K ln^2 l
TYPED_TEST(HenckyTest, change_of_volume) {
  const double bulk = sand_lambda + 2 * sand_mu / 3;
  for (const double l : {0.5, 0.95, 1.05, 2.0}) {
    const auto s = deformed<TypeParam>(this->model, Mat3<double>::diagonal(l, l, l), 2);
    expect_stress(stress_of(this->law, s), SymMat3<double>::diagonal(3 * bulk * std::log(l)),
                  this->relative * bulk);
    EXPECT_NEAR(energy_of(this->law, s), 4.5 * bulk * std::log(l) * std::log(l), 4 * this->relative * bulk);
    EXPECT_NEAR(volume_of(this->law, s), l * l * l, 8 * this->relative);
  }
}

// the principal strains and back
TYPED_TEST(HenckyTest, logarithmic_strain_is_undone) {
  using Elastic = HenckyElasticity<TypeParam>;
  Random random{5};
  for (int i = 0; i < 200; ++i) {
    const auto value = [&] { return TypeParam(random.uniform(-1, 1) * random.power_of_ten(-8, 0)); };
    const Vec3<TypeParam> eps{value(), value(), value()};
    const Vec3<TypeParam> e = Elastic::from_log_strain(eps), back = Elastic::log_strain(e);
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(e[k], std::expm1(2 * double(eps[k])), 1.2 * this->relative * std::fabs(e[k]));
      EXPECT_NEAR(back[k], eps[k], 2 * this->relative * std::fabs(eps[k]));
    }
  }
}

// directions that have collapsed, or turned inside out by rounding, are held at a stretch of 1e-3
TYPED_TEST(HenckyTest, collapse_stays_finite) {
  for (const double e : {-1.0, -1.5, -1 + 1e-8}) {
    const Vec3<TypeParam> eps = HenckyElasticity<TypeParam>::log_strain(Vec3<TypeParam>{TypeParam(e), 0, 0});
    EXPECT_NEAR(eps.x, std::log(1e-3), 0.05);
    EXPECT_EQ(eps.y, 0);
  }
}

}  // namespace
}  // namespace dollop::inline DOLLOP_ISA
