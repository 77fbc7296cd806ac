// Drucker-Prager sand: volume gain, cohesion, dissipation and the mu(I) rheology.
#include <gtest/gtest.h>

#include "sand_states.h"

namespace dollop::inline DOLLOP_ISA {
namespace {

using State = DruckerPrager::State<double>;

template <class S>
struct SandGain : testing::Test {
  static constexpr bool single = std::is_same_v<S, float>;
  static constexpr double rounding = single ? 1e-7 : 1e-15;
};
TYPED_TEST_SUITE(SandGain, Scalars);

DruckerPrager corrected_sand(double angle_in_degrees, double cohesion = 0) {
  DruckerPrager model = plain_sand(angle_in_degrees);
  model.volume_correction = 1;
  model.cohesion = cohesion;
  return model;
}

Vec3<double> equal(double trace) { return {trace / 3, trace / 3, trace / 3}; }

// --- volume gain ------------------------------------------------------------------------------------------

// a gap of 0.12 in ln J that is closed by 0.06 and then by 0.09: the rest of it presses                  (DP.8-9)
TYPED_TEST(SandGain, gap_closes_before_it_presses) {
  const DruckerPrager model = corrected_sand(30);
  auto s = stretched<TypeParam>(model, equal(0.12));
  EXPECT_NEAR(s.volume_gain, 0.12, this->rounding);
  stretch_by(model, equal(-0.06), s);
  EXPECT_NEAR(s.volume_gain, 0.06, this->rounding);
  EXPECT_EQ(largest(s.kirchhoff), 0);
  stretch_by(model, equal(-0.09), s);
  EXPECT_EQ(s.volume_gain, 0);
  expect_strain(s, equal(-0.03), this->rounding);
  EXPECT_NEAR(pressure(s), 0.03 * (sand_lambda + 2 * sand_mu / 3), 0.1 * this->rounding * sand_young * 10);
}

// as first published, the gap is forgotten and all of the compression presses
TYPED_TEST(SandGain, without_correction_it_presses_at_once) {
  const DruckerPrager model = plain_sand(30);
  auto s = stretched<TypeParam>(model, equal(0.12));
  stretch_by(model, equal(-0.06), s);
  expect_strain(s, equal(-0.06), this->rounding);
  EXPECT_NEAR(s.volume_gain, 0.12, this->rounding);
  EXPECT_NEAR(step_law<TypeParam>(model, test_dt).volume_ratio(s), std::exp(0.06), 3 * this->rounding);
}

// v_c <- max(0, tr e) of the shifted trial strain e, whatever the case, and no volume is lost
TYPED_TEST(SandGain, is_what_the_strain_does_not_hold) {
  Random random{23};
  int opened = 0, closed = 0;
  for (int i = 0; i < 2000; ++i) {
    const DruckerPrager model = corrected_sand(random.uniform(5, 45));
    const auto one = [&] { return random.uniform(-0.05, 0.05); };
    const Vec3<double> l{one(), one(), one()};
    const double gain = random.bits() % 3 ? random.uniform(0, 0.1) : 0, shifted = l.x + l.y + l.z + gain;
    DruckerPrager::State<TypeParam> s{};
    s.volume_gain = TypeParam(gain);
    stretch_by(model, l, s);
    ASSERT_NEAR(s.volume_gain, std::max(0.0, shifted), 2 * this->rounding);
    ASSERT_TRUE(shifted > 1e-6 || s.volume_gain < 2e-6);
    const Vec3<double> h = elastic_strain(s);
    ASSERT_NEAR(h.x + h.y + h.z + double(s.volume_gain), shifted, 2 * this->rounding);
    ++(shifted > 0 ? opened : closed);
  }
  EXPECT_GT(std::min(opened, closed), 400);
}

// Grains in free flight do not harden: idle steps and turns leave q and the gap alone, and compression that only closes
// the gap counts as the strain that it is.
TYPED_TEST(SandGain, idle_steps_change_nothing) {
  const DruckerPrager model = corrected_sand(30);
  const auto law = step_law<TypeParam>(model, test_dt);
  auto s = stretched<TypeParam>(model, equal(0.1));
  const auto before = reals_of(s);
  for (int n = 0; n < 100; ++n) advance(law, Mat3<TypeParam>{}, s);
  EXPECT_EQ(reals_of(s), before);
  stretch_by(model, equal(-0.03), s);
  EXPECT_NEAR(s.plastic_strain, 0.13 / std::sqrt(3.0), this->rounding);
}

TYPED_TEST(SandGain, is_limited) {
  DruckerPrager model = corrected_sand(30);
  model.max_volume_gain = 0.05;
  auto s = stretched<TypeParam>(model, equal(0.03));
  EXPECT_NEAR(s.volume_gain, 0.03, this->rounding);
  stretch_by(model, equal(0.3), s);
  EXPECT_EQ(s.volume_gain, TypeParam(0.05));
  stretch_by(model, equal(-0.06), s);
  expect_strain(s, equal(-0.01), this->rounding);
}

// --- cohesion ---------------------------------------------------------------------------------------------

constexpr double damp = 1500;  // [Pa]

// sheared at its rest volume, there is no pressure, and cohesion is all that it bears                  (DP.8)
TYPED_TEST(SandGain, cohesion_is_the_shear_strength_without_pressure) {
  for (const Cone cone : {Cone::triaxial, Cone::plane_strain, Cone::sin})
    for (const double corrected : {0.0, 1.0}) {
      DruckerPrager model = plain_sand(30, cone);
      model.young_modulus = 1e8;  // small elastic strains, see driven shear
      model.cohesion = damp, model.volume_correction = corrected;
      DruckerPrager::State<TypeParam> s{};
      shear_by(model, 1e-3, 300, s);
      EXPECT_NEAR(s.kirchhoff.xy, damp, (this->single ? 3e-3 : 1e-4) * damp);
      EXPECT_NEAR(pressure(s), 0, 0.1 * damp);
      EXPECT_EQ(s.volume_gain, 0);
      EXPECT_GT(s.plastic_strain, 0.1);
    }
}

// pulled evenly it bears c/mu_eff, the tip of the cone; beyond, it flows there or comes apart
TYPED_TEST(SandGain, tip_of_the_cone) {
  const double at_tip = damp / 0.6928203230275509, bulk = sand_lambda + 2 * sand_mu / 3;
  const double tolerance = this->single ? 0.05 : 1e-6;
  for (const double corrected : {0.0, 1.0}) {
    DruckerPrager model = plain_sand(30);
    model.cohesion = damp, model.volume_correction = corrected;
    auto s = stretched<TypeParam>(model, equal(0.999 * at_tip / bulk));
    EXPECT_NEAR(-pressure(s), 0.999 * at_tip, tolerance);
    EXPECT_EQ(s.plastic_strain, 0);
    stretch_by(model, equal(0.01), s);
    EXPECT_NEAR(-pressure(s), corrected > 0 ? 0 : at_tip, tolerance);
    EXPECT_NEAR(s.volume_gain, 0.01 + (corrected > 0 ? 0.999 : -0.001) * at_tip / bulk, this->rounding);
    const double all = step_law<TypeParam>(model, test_dt).volume_ratio(s);
    EXPECT_NEAR(std::log(all), 0.01 + 0.999 * at_tip / bulk, 3 * this->rounding);
  }
}

// what came apart bears neither tension nor shear until it is closed again
TYPED_TEST(SandGain, what_came_apart_has_no_cohesion) {
  const DruckerPrager model = corrected_sand(30, damp);
  auto s = stretched<TypeParam>(model, equal(0.05));
  shear_by(model, 1e-3, 10, s);
  stretch_by(model, {0.01, -0.01, -0.01}, s);
  EXPECT_GT(s.volume_gain, 0.03);
  EXPECT_EQ(largest(s.kirchhoff), 0);
  stretch_by(model, equal(-double(s.volume_gain) - 1e-6), s);
  EXPECT_EQ(s.volume_gain, 0);
  EXPECT_LT(largest(s.kirchhoff), 1);
  shear_by(model, 1e-3, 300, s);
  EXPECT_NEAR(s.kirchhoff.xy, damp, 0.02 * damp);
}

// How much the stress changes where sand comes apart, on a straight way of trial strains there: halved until the two
// sides of the border are neighbours in double.
double jump_of_stress(const DruckerPrager& model, const Vec3<double>& from, const Vec3<double>& to,
                      double gain) {
  const auto after = [&](double part) {
    State s{};
    s.volume_gain = gain;
    stretch_by(model, from + part * (to - from), s);
    return s;
  };
  double whole = 0, apart = 1;
  for (int n = 0; n < 60; ++n) {
    const double middle = (whole + apart) / 2;
    (after(middle).volume_gain > (model.volume_correction > 0 ? 0 : gain) ? apart : whole) = middle;
  }
  EXPECT_LT(apart - whole, 1e-15);
  return largest(after(apart).kirchhoff - after(whole).kirchhoff);
}

// By the stress of the tip, whichever way it is reached, for the cone has no width there. Without cohesion, without the
// correction, or where there was a gap before, nothing jumps.
TEST(SandProjection, jumps_only_where_cohesion_and_correction_meet) {
  Random random{41};
  double worst = 0;
  for (int i = 0; i < std::max(40, sample_count(400)); ++i) {
    const bool cohesive = i % 2, corrected = i / 2 % 2, gap = i / 4 % 2;
    DruckerPrager model = plain_sand(random.uniform(10, 45));
    model.cohesion = cohesive ? damp : 0, model.volume_correction = corrected;
    const double at_tip = model.cohesion / (3 / std::sqrt(2.0) * step_law<double>(model, test_dt).alpha);
    const auto one = [&] { return random.uniform(-0.02, 0.02); };
    const Vec3<double> from{one() - 0.05, one() - 0.05, one() - 0.05},
        to{one() + 0.05, one() + 0.05, one() + 0.05};
    const double jump = jump_of_stress(model, from, to, gap ? 0.01 : 0);
    if (cohesive && corrected && !gap)
      EXPECT_NEAR(jump, at_tip, 1e-8 * at_tip) << describe(model);
    else
      worst = std::max(worst, jump);
  }
  EXPECT_LT(worst, 1e-8);  // [Pa]
}

// --- dissipation ------------------------------------------------------------------------------------------

// the elastic logarithmic strain
SymMat3<double> log_strain(const State& s) {
  const auto a = eigen_of_strain(s.strain);
  const auto log_of = [](double e) { return 0.5 * std::log1p(e); };
  return spectral(a, Vec3<double>{log_of(a.values.x), log_of(a.values.y), log_of(a.values.z)});
}

// Step by step: the projection makes no elastic energy, and the stress that it leaves does no negative work on what flows.
// Both to rounding, of the energy of the trial strain.
TEST(SandDissipation, is_not_negative_in_any_step) {
  Random random{37};
  double made = 0, regained = 0;
  int flowed = 0, opened = 0, closed = 0;
  for (int i = 0; i < std::max(40, sample_count(1200)); ++i) {
    DruckerPrager model = plain_sand(i % 5 ? random.uniform(10, 45) : 0);
    model.volume_correction = i % 2;
    if (i % 5 && i % 3) model.cohesion = 2e3;
    if (i % 7 == 0) model.hardening_rate = 9 * degree, model.hardening_decay = 0.2;
    const auto law = step_law<double>(model, test_dt);
    const double size = random.power_of_ten(-6, -1);
    State s{};
    for (int step = 0; step < 40; ++step) {
      const double open = random.uniform(-size, size);
      Mat3<double> du = make_mat3<double>([&](int, int) { return random.uniform(-size, size); });
      for (int k = 0; k < 3; ++k) du(k, k) += open;
      predict(law, du, s);
      const State trial = s;
      return_map(law, s);
      const double before = energy_of(law, trial);
      const double flow = trace(to_mat3(s.kirchhoff) * to_mat3(log_strain(trial) - log_strain(s)));
      made = std::max(made, (energy_of(law, s) - before) / before);
      regained = std::max(regained, -flow / before);
      flowed += s.plastic_strain > trial.plastic_strain, opened += s.volume_gain > trial.volume_gain,
          closed += s.volume_gain < trial.volume_gain;
    }
  }
  EXPECT_LE(made, 1e-14);
  EXPECT_LE(regained, 1e-14);
  EXPECT_GT(std::min({flowed, opened, closed}), 100);
}

// Work of closed cycles through opening, shear and closing, from rest. It is the work lost: what is stored at the end is
// taken off. None of it may come back, and with cohesion some is always spent on tearing apart. What the sum over the steps is
// off falls with the square of their number: 3.5e-6 for 400, 2.5e-7 for 1600.
TEST(SandDissipation, cycles_take_work) {
  Random random{31};
  for (int i = 0; i < std::max(8, sample_count(160)); ++i) {
    DruckerPrager model = plain_sand(i % 5 ? random.uniform(10, 45) : 0);
    model.volume_correction = i % 2;
    if (i % 5 && i % 3) model.cohesion = 2e3;
    const auto law = step_law<double>(model, test_dt);
    State s{};
    double work = 0, exchanged = 0;
    const auto go = [&](const Mat3<double>& d, int steps) {
      for (int n = 0; n < steps; ++n) {
        const SymMat3<double> before = s.kirchhoff;
        const Mat3<double> du = (1.0 / steps) * d;
        advance(law, du, s);
        const Mat3<double> rate = du * inverse(Mat3<double>::identity() + 0.5 * du);  // in the middle
        const double power = trace(to_mat3(0.5 * (before + s.kirchhoff)) * transpose(rate));
        work += power, exchanged += std::fabs(power);
      }
    };
    for (int part = 0; part < 8; ++part) {
      const double open = random.uniform(-0.02, 0.02);
      Mat3<double> d = make_mat3<double>([&](int, int) { return random.uniform(-0.02, 0.02); });
      for (int k = 0; k < 3; ++k) d(k, k) += open;
      go(d, 400);
      const double lost = work - energy_of(law, s);
      EXPECT_GE(lost, -1e-5 * exchanged) << describe(model);
    }
  }
}

// Tension and release beyond the tip, time and again: with a cone that is merely shifted, and a gap that closes before
// it presses, the cycle would give back what was spent at the tip.
TEST(SandDissipation, coming_apart_and_together_again) {
  for (const double corrected : {0.0, 1.0}) {
    DruckerPrager model = plain_sand(30);
    model.cohesion = damp, model.volume_correction = corrected;
    const auto law = step_law<double>(model, test_dt);
    State s{};
    double work = 0;
    for (int cycle = 0; cycle < 4; ++cycle)
      for (int n = 0; n < 800; ++n) {
        const double change = (n < 400 ? 1 : -1) * 0.05 / 400, before = trace(s.kirchhoff) / 3;
        stretch_by(model, equal(change), s);
        work += (before + trace(s.kirchhoff) / 3) / 2 * change;
        EXPECT_GE(work - energy_of(law, s), -1e-9);  // [J/m^3]
      }
    EXPECT_GT(work - energy_of(law, s), 1);
    if (corrected > 0) {
      EXPECT_LT(largest(s.kirchhoff), 1e-6 * damp);  // back at rest, where it came from
    }
  }
}

// --- mu(I) ------------------------------------------------------------------------------------------------

// moduli with G = 1e6 Pa and a published set of constants for glass beads
DruckerPrager glass_beads() {
  DruckerPrager model = plain_sand(0, Cone::tan);
  model.poisson_ratio = 0.3, model.young_modulus = 2.6e6;
  model.friction_angle = std::atan(0.3819), model.fast_friction_angle = std::atan(0.6435);
  model.grain_size = 0.005, model.grain_density = 2450, model.inertia_scale = 0.279;
  return model;
}

double mu_of(double inertia) { return 0.3819 + (0.6435 - 0.3819) * inertia / (0.279 + inertia); }

// the shear stress that a step leaves, and its slopes                                                  (DP.10)
TEST(SandRate, stress_after_a_step) {
  using D = Dual<double, 2>;
  const auto law = step_law<double>(glass_beads(), 1e-4);
  const double bulk = glass_beads().moduli().bulk(), to_shear = std::sqrt(2.0) * 1e6;
  const D trial = D::variable(600, 0), p = D::variable(1000, 1);
  const D shear =
      D(to_shear) * law.held_deviator(p / D(bulk), trial / D(to_shear), DruckerPrager::State<D>{});
  EXPECT_NEAR(shear.value, 396.0558886, 1e-7);
  EXPECT_NEAR(shear.d[0], 0.06160967, 1e-8);
  EXPECT_NEAR(shear.d[1], 0.36537255, 1e-8);
  const double rate = (600 - shear.value) / (1e6 * 1e-4), inertia = rate * 0.005 * std::sqrt(2450.0 / 1000);
  EXPECT_NEAR(inertia, 0.0159612, 1e-7);
  EXPECT_NEAR(shear.value / 1000, mu_of(inertia), 1e-12);
}

// below the slow friction nothing flows, far beyond it friction is the fast one
TEST(SandRate, limits) {
  const auto law = step_law<double>(glass_beads(), 1e-4);
  const double bulk = glass_beads().moduli().bulk(), to_shear = std::sqrt(2.0) * 1e6;
  const auto after = [&](double trial) {
    return to_shear * law.held_deviator(1000 / bulk, trial / to_shear, State{});
  };
  EXPECT_NEAR(after(100), 381.9, 1e-9);
  EXPECT_NEAR(after(381.9), 381.9, 1e-9);
  EXPECT_NEAR(after(382), 381.9, 0.1);
  EXPECT_NEAR(after(1e9), 643.5, 1e-3);
  for (double trial = 390; trial < 1e5; trial *= 1.5) {
    EXPECT_GT(after(1.5 * trial), after(trial));
    EXPECT_LT(after(trial), trial);
  }
}

// steady shear at a given rate has the friction of its inertial number, whatever the step
TYPED_TEST(SandGain, steady_shear_follows_mu_of_inertia) {
  const DruckerPrager model = glass_beads();
  const double p = 1000, bulk = model.moduli().bulk();
  for (const double rate : {0.1, 10.0, 100.0})
    for (const double step : {1e-4, 1e-3}) {
      auto s = stretched<TypeParam>(model, equal(-p / bulk));
      shear_by(model, step, int(0.2 / step), s, step / rate);
      const double inertia = rate * 0.005 * std::sqrt(2450 / p);
      EXPECT_NEAR(double(s.kirchhoff.xy) / pressure(s), mu_of(inertia), 2e-4) << rate << " " << step;
    }
}

}  // namespace
}  // namespace dollop::inline DOLLOP_ISA
