// Von Mises plasticity against closed forms: uniaxial tension, shear, hardening, volume.
#include "materials/von_mises.h"

#include <gtest/gtest.h>

#include "histories.h"
#include "known_answers.h"
#include "worse_of.h"

namespace dollop::inline DOLLOP_ISA {
namespace {

template <class S>
struct VonMisesTest : testing::Test {
  static constexpr bool single = std::is_same_v<S, float>;
  static constexpr double relative = single ? 2e-5 : 1e-11;  // of the yield stress
  static constexpr double yield = 5e3;
  static VonMises with_hardening(double h) {
    VonMises model = sand_moduli<VonMises>();
    model.yield_stress = yield;
    model.hardening = h;
    return model;
  }
};
TYPED_TEST_SUITE(VonMisesTest, Scalars);

template <class S>
double deviator_norm(const SymMat3<S>& tau) {
  const SymMat3<double> a = cast<double>(tau);
  return std::sqrt(norm_squared(a - SymMat3<double>::diagonal(trace(a) / 3)));
}

// Uniaxial tension to the logarithmic strain eps, sides free: the elastic part contracts them by nu, the
// plastic part by 1/2. tau = E eps up to yield, then sigma_Y + H eps_p, eps_p = (E eps - sigma_Y) / (E + H).
struct Tension {
  double stress, plastic, side;
  Tension(const VonMises& m, double eps) {
    const double e = m.young_modulus, over = e * std::fabs(eps) - m.yield_stress;
    plastic = std::copysign(std::max(over, 0.0) / (e + m.hardening), eps);
    stress = e * (eps - plastic);
    side = -m.poisson_ratio * (eps - plastic) - plastic / 2;
  }
};

// one curve of tension or compression from rest, in steps of logarithmic strain
template <class S, class Visit>
void pull(const VonMises& model, double step, int steps, Visit&& visit) {
  const auto law = step_law<S>(model, test_dt);
  VonMises::State<S> s{};
  double eps = 0;
  for (int n = 1; n <= steps; ++n) {
    const double side = Tension(model, n * step).side - Tension(model, eps).side;
    const Mat3<double> du =
        Mat3<double>::diagonal(std::expm1(n * step - eps), std::expm1(side), std::expm1(side));
    advance(law, cast<S>(du), s);
    eps = n * step;
    visit(eps, s);
  }
}

TYPED_TEST(VonMisesTest, tension_and_compression_curves) {
  for (const double h : {0.0, 2e4, 5e5})
    for (const double step : {0.001, -0.002, 0.05}) {
      const VonMises model = this->with_hardening(h);
      const auto law = step_law<TypeParam>(model, test_dt);
      int yielded = 0;
      pull<TypeParam>(model, step, 30, [&](double eps, const auto& s) {
        const Tension exact(model, eps);
        const double tolerance =
            this->relative * (this->yield + std::fabs(exact.stress) + sand_young * std::fabs(step));
        expect_stress(stress_of(law, s), {exact.stress, 0, 0, 0, 0, 0}, tolerance);
        EXPECT_NEAR(s.plastic_strain, std::fabs(exact.plastic), tolerance / sand_young);
        yielded += exact.plastic != 0;
      });
      EXPECT_GT(yielded, 10);
    }
}

// the first yield is at sigma_Y exactly, whatever the hardening
TYPED_TEST(VonMisesTest, yields_at_the_yield_stress) {
  for (const double h : {0.0, 1e5}) {
    const VonMises model = this->with_hardening(h);
    const double limit = this->yield / sand_young;
    pull<TypeParam>(model, 0.999 * limit, 1, [&](double, const auto& s) { EXPECT_EQ(s.plastic_strain, 0); });
    pull<TypeParam>(model, 1.001 * limit, 1, [&](double, const auto& s) { EXPECT_GT(s.plastic_strain, 0); });
  }
}

TYPED_TEST(VonMisesTest, plateau_and_hardening_slope) {
  for (const double h : {0.0, 5e4}) {
    const VonMises model = this->with_hardening(h);
    const auto law = step_law<TypeParam>(model, test_dt);
    double last = 0;
    pull<TypeParam>(model, 0.02, 10, [&](double eps, const auto& s) {
      const double tau = double(stress_of(law, s).xx);
      if (eps > 0.05) {
        EXPECT_NEAR((tau - last) / 0.02, sand_young * h / (sand_young + h), 4 * this->relative * sand_young);
      }
      last = tau;
    });
    EXPECT_GE(last, this->yield * (1 - this->relative));
  }
}

// simple shear far beyond yield: the deviator has the radius sqrt(2/3) sigma_Y
TYPED_TEST(VonMisesTest, radius_of_the_yield_surface) {
  const VonMises model = this->with_hardening(0);
  const auto law = step_law<TypeParam>(model, test_dt);
  const double radius = std::sqrt(2.0 / 3) * this->yield;
  for (const double gamma : {0.1, -0.5, 2.0}) {
    const auto s = deformed<TypeParam>(model, simple_shear(gamma), 20);
    EXPECT_NEAR(deviator_norm(stress_of(law, s)), radius, 8 * this->relative * radius);
    EXPECT_NEAR(law.yield_excess(s), 0, 8 * this->relative);
    EXPECT_NEAR(trace(stress_of(law, s)), 0, 40 * this->relative * radius);
  }
  VonMises::State<TypeParam> s{};
  EXPECT_EQ(law.yield_excess(s), -1);
  s.kirchhoff.xy = TypeParam(2 * radius / std::sqrt(2.0));
  EXPECT_NEAR(law.yield_excess(s), 1, 1e-6);
}

// below yield it is Hencky's model, to the last bit
TYPED_TEST(VonMisesTest, elastic_like_hencky) {
  VonMises model = this->with_hardening(0);
  model.yield_stress = 10 * sand_young;
  const Hencky hencky = sand_moduli<Hencky>();
  const auto law = step_law<TypeParam>(model, test_dt);
  const auto elastic = step_law<TypeParam>(hencky, test_dt);
  Random random{3};
  for (int i = 0; i < 100; ++i) {
    History history(random);
    VonMises::State<TypeParam> s{};
    Hencky::State<TypeParam> t{};
    for (int step = 0; step < History::length; ++step) {
      const Mat3<TypeParam> du = cast<TypeParam>(history.next());
      advance(law, du, s);
      advance(elastic, du, t);
      ASSERT_EQ(s.plastic_strain, 0);
      ASSERT_EQ(distance(s.strain, cast<double>(t.strain)), 0);
      ASSERT_LE(distance(s.kirchhoff, cast<double>(t.kirchhoff)), 1e-2 * this->relative * sand_young);
    }
  }
}

// unloading is elastic; loading again yields where it left off; plastic strain never decreases
TYPED_TEST(VonMisesTest, unloads_elastically_and_remembers) {
  const VonMises model = this->with_hardening(5e4);
  const auto law = step_law<TypeParam>(model, test_dt);
  VonMises::State<TypeParam> s = deformed<TypeParam>(model, simple_shear(0.2), 10);
  const TypeParam plastic = s.plastic_strain, shear = stress_of(law, s).xy;
  EXPECT_GT(plastic, 0.05);
  Mat3<double> du{};
  du(0, 1) = -0.01;
  advance(law, cast<TypeParam>(du), s);
  EXPECT_EQ(s.plastic_strain, plastic);
  EXPECT_NEAR(stress_of(law, s).xy, double(shear) - 0.01 * sand_mu, 0.01 * 0.01 * sand_mu);
  du(0, 1) = 0.0099;
  advance(law, cast<TypeParam>(du), s);
  EXPECT_EQ(s.plastic_strain, plastic);
  du(0, 1) = 0.001;
  advance(law, cast<TypeParam>(du), s);
  EXPECT_GT(s.plastic_strain, plastic);
}

// the flow keeps the volume of the predictor
TYPED_TEST(VonMisesTest, flow_keeps_the_volume) {
  double worst = 0;
  int flowing = 0;
  each_history<ModelCase<VonMises, TypeParam>>(
      history_count, 13, [&](const VonMises&, const auto& law, History& history) {
        VonMises::State<TypeParam> s{};
        for (int step = 0; step < History::length; ++step) {
          predict(law, cast<TypeParam>(history.next()), s);
          const double before = double(volume_of(law, s));
          const TypeParam plastic = s.plastic_strain;
          return_map(law, s);
          flowing += s.plastic_strain > plastic;
          worst = tests::worse_of(worst, std::fabs(double(volume_of(law, s)) / before - 1));
        }
      });
  this->RecordProperty("worst", std::to_string(worst * 1e14));
  EXPECT_LE(worst, this->single ? 1e-5 : 1e-13);
  EXPECT_GT(flowing, history_count);
}

}  // namespace
}  // namespace dollop::inline DOLLOP_ISA
