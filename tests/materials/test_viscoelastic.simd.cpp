// The viscoelastic solid against numbers that were computed by other means, and against closed forms.
#include "materials/viscoelastic.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "histories.h"
#include "known_answers.h"

namespace dollop::inline DOLLOP_ISA {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
using Doubles = Viscoelastic::State<double>;

// the silicone of the paper in its own units
Viscoelastic silicone() {
  const Moduli m = moduli_of(50, 0.4);
  Viscoelastic model;
  model.density = 2, model.shear_modulus = 0.1 * m.shear, model.lambda = m.lambda;
  model.shear_modulus_neq = m.shear, model.lambda_neq = m.lambda;
  model.deviatoric_viscosity = model.volumetric_viscosity = 10;
  return model;
}
// a branch that relaxes beside next to nothing
Viscoelastic maxwell() {
  Viscoelastic model = silicone();
  model.shear_modulus = 1e-12, model.lambda = 0;
  return model;
}
// the equilibrated branch alone
Viscoelastic plastic(double young, double deviator_norm) {
  const Moduli m = moduli_of(young, 0.4);
  Viscoelastic model;
  model.shear_modulus = m.shear, model.lambda = m.lambda;
  model.shear_modulus_neq = model.lambda_neq = 0;
  model.yield_stress = std::sqrt(1.5) * deviator_norm;
  return model;
}

SymMat3<double> strain_of_logs(double x, double y, double z) {
  return SymMat3<double>{std::expm1(2 * x), std::expm1(2 * y), std::expm1(2 * z), 0, 0, 0};
}
Mat3<double> shear(double amount) {
  Mat3<double> du{};
  du(0, 1) = amount;
  return du;
}
template <class Law, class State, class R>
void step(const Law& law, const Mat3<R>& du, State& s) {
  law.predict(du, s);
  law.return_map(s);
}

// --- the corrector ----------------------------------------------------------------------------------------

TEST(Viscoelastic, corrector_is_that_of_an_independent_computation) {
  const Viscoelastic model = silicone();
  EXPECT_NEAR(model.shear_modulus_neq, 17.857142857, 1e-9);
  EXPECT_NEAR(model.lambda_neq, 71.428571429, 1e-9);
  const double dt = 8.5e-3, a = 3.571428571, b = 4.365079365;
  const double big_a = 1 / (1 + dt * a), big_b = dt * b / (1 + dt * (a + 3 * b));
  EXPECT_NEAR(big_a, 0.9705372617, 1e-10);
  EXPECT_NEAR(big_b, 0.03249913104, 1e-10);
  const auto law = model.step_law<double>(dt);
  EXPECT_NEAR(law.kept_shape, big_a, 1e-10);
  EXPECT_NEAR(law.kept_volume, big_a * (1 - 3 * big_b), 1e-10);
  EXPECT_NEAR(law.kept_volume, 0.8759124088, 1e-10);
  Doubles s{};
  s.strain_neq = strain_of_logs(0.3, -0.1, 0.05);
  law.return_map(s);
  EXPECT_NEAR(std::log1p(s.strain_neq.xx) / 2, 0.28327577, 1e-8);
  EXPECT_NEAR(std::log1p(s.strain_neq.yy) / 2, -0.10493913, 1e-8);
  EXPECT_NEAR(std::log1p(s.strain_neq.zz) / 2, 0.04064146, 1e-8);
  // the viscous flow is that of the new strain: (eps_tr - eps)/dt = a eps + b tr(eps) 1
  const double tr = 0.28327577 - 0.10493913 + 0.04064146;
  EXPECT_NEAR((0.3 - 0.28327577) / dt, a * 0.28327577 + b * tr, 3e-6);
}

// the ratio of (1/(1 + dt a))^100, which tends to exp(-100 dt a) for short steps
TEST(Viscoelastic, stress_relaxes_by_backward_euler) {
  const auto law = maxwell().step_law<double>(8.5e-3), fine = maxwell().step_law<double>(8.5e-5);
  Doubles s{};
  s.strain_neq = strain_of_logs(0.2, -0.1, -0.1);
  Doubles t = s;
  for (int k = 0; k < 100; ++k) law.return_map(s);
  for (int k = 0; k < 10000; ++k) fine.return_map(t);
  const double before = 2 * 17.857142857 * 0.2;
  EXPECT_NEAR(s.kirchhoff.xx / before, 0.05025987, 1e-8);
  EXPECT_NEAR(t.kirchhoff.xx / before, 0.04804034, 3e-5);
}

TEST(Viscoelastic, volume_of_the_branch_relaxes_by_its_own_time) {
  const Viscoelastic model = maxwell();
  const double dt = 1e-4, time = model.volumetric_viscosity / (2 * model.bulk_neq());
  const auto law = model.step_law<double>(dt);
  Doubles s{};
  step(law, Mat3<double>::diagonal(0.05, 0.05, 0.05), s);
  const double p = s.kirchhoff.xx;
  EXPECT_NEAR(p, 3 * model.bulk_neq() * std::log(1.05) / (1 + dt / time), 1e-9);
  const int steps = int(std::lround(time / dt));
  for (int k = 0; k < steps; ++k) step(law, Mat3<double>{}, s);
  EXPECT_NEAR(s.kirchhoff.xx / p, std::exp(-1), 1e-3);
  EXPECT_LT(std::fabs(s.kirchhoff.xy), 1e-13);
}

// --- the equilibrated branch ------------------------------------------------------------------------------

TEST(Viscoelastic, yield_is_that_of_von_mises) {
  const Viscoelastic model = plastic(2000, 1);
  EXPECT_NEAR(model.shear_modulus, 714.2857143, 1e-7);
  const auto law = model.step_law<double>(1e-3);
  Doubles s{};
  s.volume_change = std::expm1(0.007);
  s.strain = strain_of_logs(0.01 - 0.007 / 3, -0.004 - 0.007 / 3, 0.001 - 0.007 / 3);
  law.return_map(s);
  const double known[3] = {0.00286822, 0.00189147, 0.00224031};
  const SymMat3<double> e = law.strain(s);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(std::log1p(e(i, i)) / 2, known[i], 1e-8) << i;
  const SymMat3<double> dev = s.kirchhoff - SymMat3<double>::diagonal(trace(s.kirchhoff) / 3);
  EXPECT_NEAR(std::sqrt(norm_squared(dev)), 1, 1e-12);
  EXPECT_NEAR(trace(s.kirchhoff), (3 * model.lambda + 2 * model.shear_modulus) * 0.007, 1e-11);
}

// in uniaxial tension it yields at the yield stress
TEST(Viscoelastic, yield_stress_is_that_of_tension) {
  const Viscoelastic model = plastic(2e6, 1e3);
  const auto law = model.step_law<double>(1e-3);
  Doubles s{};
  for (int k = 0; k < 40; ++k) {
    // contracts sideways such that no stress acts there
    double side = 0;
    for (int newton = 0; newton < 8; ++newton) {
      const auto lateral = [&](double x) {
        Doubles t = s;
        step(law, Mat3<double>::diagonal(1e-4, x, x), t);
        return t.kirchhoff.yy;
      };
      const double h = 1e-8, slope = (lateral(side + h) - lateral(side - h)) / (2 * h);
      side -= lateral(side) / slope;
    }
    step(law, Mat3<double>::diagonal(1e-4, side, side), s);
    if (k == 3) {
      EXPECT_NEAR(s.kirchhoff.xx / (2e6 * std::log1p(1e-4) * 4), 1, 1e-6);  // elastic so far
    }
  }
  EXPECT_NEAR(s.kirchhoff.xx, std::sqrt(1.5) * 1e3, 1e-3);
}

// without a yield stress and without the other branch it is Hencky's solid
TEST(Viscoelastic, is_hencky_without_yield_and_relaxation) {
  Viscoelastic model = plastic(1e5, infinite);
  Hencky hencky;
  hencky.young_modulus = 1e5, hencky.poisson_ratio = 0.4;
  const auto law = model.step_law<double>(1e-3);
  const auto other = hencky.law<double>();
  Random random{5};
  Doubles s{};
  Hencky::State<double> t{};
  for (int k = 0; k < 30; ++k) {
    const Mat3<double> du = make_mat3<double>([&](int, int) { return random.uniform(-0.1, 0.1); });
    step(law, du, s), step(other, du, t);
    ASSERT_LT(distance(s.kirchhoff, t.kirchhoff), 1e-9 * (1e5 + largest(t.kirchhoff))) << k;
    ASSERT_NEAR(law.energy(s), other.energy(t), 1e-9 * (1e5 + other.energy(t)));
  }
  EXPECT_EQ(largest(s.strain_neq), 0);
}
// with it alone and an infinite viscosity too
TEST(Viscoelastic, is_elastic_with_infinite_viscosity) {
  Viscoelastic model = silicone();
  model.deviatoric_viscosity = model.volumetric_viscosity = infinite;
  Hencky hencky;
  hencky.young_modulus = 50, hencky.poisson_ratio = 0.4;
  model.shear_modulus = model.shear_modulus_neq;
  const auto law = model.step_law<double>(0.1);
  const auto other = hencky.law<double>();
  Doubles s{};
  Hencky::State<double> t{};
  for (int k = 0; k < 20; ++k) step(law, shear(0.05), s), step(other, shear(0.05), t);
  EXPECT_LT(distance(s.kirchhoff, 2.0 * t.kirchhoff), 1e-10);
}

// --- float ------------------------------------------------------------------------------------------------

// Steady shear in a frame that no axis of which is a coordinate's: b alone in float would change its volume by 1e-3, which
// times lambda is more than what a liquid of a small shear modulus weighs.
TEST(Viscoelastic, volume_does_not_drift_in_float) {
  Viscoelastic model;
  model.shear_modulus = 3.5, model.lambda = 1.4e6, model.shear_modulus_neq = 7e3, model.lambda_neq = 2.9e4;
  model.deviatoric_viscosity = model.volumetric_viscosity = 400;
  const auto law = model.step_law<float>(1e-3);
  Random random{23};
  for (int frame = 0; frame < 3; ++frame) {
    const Mat3<double> q = random.rotation();
    const Mat3<float> du = cast<float>(q * shear(0.02) * transpose(q));
    // the volume of the rounded increment itself
    const double increment = det(Mat3<double>::identity() + cast<double>(du)) - 1;
    Viscoelastic::State<float> s{};
    for (int k = 1; k <= 3000; ++k) {
      step(law, du, s);
      if (k % 500 == 0) {
        EXPECT_NEAR(std::log(double(law.volume_ratio(s))), k * std::log1p(increment), 2e-5) << k;
      }
    }
    EXPECT_TRUE(std::isfinite(largest(s.kirchhoff)));
    // the clamp of the strain holds: a state that sheared on and on
    EXPECT_LT(largest(s.strain), 60);
    EXPECT_GT(largest(s.strain), 30);
    EXPECT_NEAR(double(volume_change_squared(s.strain)), 0, 1e-2);
  }
}

// --- flows of one point -----------------------------------------------------------------------------------

Doubles sheared(const Viscoelastic& model, double rate, double time, int steps) {
  const auto law = model.step_law<double>(time / steps);
  Doubles s{};
  for (int k = 0; k < steps; ++k) step(law, shear(rate * time / steps), s);
  return s;
}

// eps from eps cosh 2 eps = W/2
double steady_strain(double w) {
  double eps = w / 2;
  for (int k = 0; k < 200; ++k) {
    const double f = eps * std::cosh(2 * eps) - w / 2, d = std::cosh(2 * eps) + 2 * eps * std::sinh(2 * eps);
    eps -= f / d;
  }
  return eps;
}

TEST(Viscoelastic, steady_shear_follows_the_closed_form) {
  const double slow = sheared(maxwell(), 0.01, 5, 20000).kirchhoff.xy;
  EXPECT_NEAR(slow, 0.05, 1e-5);
  const SymMat3<double> normal = sheared(maxwell(), 0.01, 5, 20000).kirchhoff;
  EXPECT_NEAR(normal.xx - normal.yy, 0.00028, 1e-6);
  const double mu = maxwell().shear_modulus_neq, time = 10 / (2 * mu);
  for (const double w : {0.01, 0.1, 0.5, 1.0, 2.0, 2.17, 5.0, 20.0}) {
    const SymMat3<double> tau = sheared(maxwell(), w / time, 15 * time, 150000).kirchhoff;
    const double eps = steady_strain(w), stress = 2 * mu * eps / std::cosh(2 * eps);
    EXPECT_NEAR(tau.xy / stress, 1, 5e-4) << w;
    EXPECT_NEAR((tau.xx - tau.yy) / (4 * mu * eps * std::tanh(2 * eps)), 1, 5e-4) << w;
    EXPECT_NEAR(tau.zz, 0, 1e-10) << w;
  }
}

// steps of any length: the elastic shear stress of the equilibrated branch is 2 mu eps/cosh eps with 2 sinh eps = gamma
TEST(Viscoelastic, relaxes_to_the_equilibrated_stress) {
  const Viscoelastic model = silicone();
  Doubles s{};
  const auto sudden = model.step_law<double>(1e-9), held = model.step_law<double>(1e-2);
  step(sudden, shear(0.5), s);
  const double eps = std::asinh(0.25), lasting = 2 * eps / std::cosh(eps);
  EXPECT_NEAR(s.kirchhoff.xy, (model.shear_modulus + model.shear_modulus_neq) * lasting, 1e-6);
  for (int k = 0; k < 2000; ++k) step(held, Mat3<double>{}, s);
  EXPECT_NEAR(s.kirchhoff.xy, model.shear_modulus * lasting, 1e-9);
}

// Creep of a Zener solid: gamma(t) = (1 - mu_N/(mu_E + mu_N) exp(-t/t_c)) stress/mu_E with t_c = nu_d/2 (1/mu_E + 1/mu_N)
TEST(Viscoelastic, creeps_by_its_retardation_time) {
  const Viscoelastic model = silicone();
  const double mu_e = model.shear_modulus, mu_n = model.shear_modulus_neq, stress = 1e-4;
  const double retardation = model.deviatoric_viscosity / 2 * (1 / mu_e + 1 / mu_n), dt = 1e-3;
  EXPECT_NEAR(retardation, 3.08, 1e-12);
  const auto sudden = model.step_law<double>(1e-9), law = model.step_law<double>(dt);
  Doubles s{};
  double gamma = 0;
  const auto load = [&](const auto& step_law) {  // shears until the stress is reached
    double d = 0;
    for (int k = 0; k < 3; ++k) {
      Doubles t = s, u = s;
      step(step_law, shear(d), t), step(step_law, shear(d + 1e-7), u);
      d -= (t.kirchhoff.xy - stress) / ((u.kirchhoff.xy - t.kirchhoff.xy) / 1e-7);
    }
    step(step_law, shear(d), s);
    gamma += d;
  };
  load(sudden);
  EXPECT_NEAR(gamma / (stress / (mu_e + mu_n)), 1, 1e-4);
  for (int k = 1; k <= 6000; ++k) {
    load(law);
    if (k % 1000 == 0) {
      const double known = stress / mu_e * (1 - mu_n / (mu_e + mu_n) * std::exp(-k * dt / retardation));
      EXPECT_NEAR(gamma / known, 1, 1e-3) << k;
    }
  }
}

// --- the potential ----------------------------------------------------------------------------------------

// A step without motion has no more than the stored energy, and no step leaves more than its potential.
TEST(Viscoelastic, steps_inject_no_energy) {
  Random random{11};
  for (int k = 0; k < 5000; ++k) {
    Viscoelastic model = silicone();
    model.yield_stress = random.bits() % 2 ? infinite : 0.3;
    model.deviatoric_viscosity = random.power_of_ten(-2, 3);
    const auto law = model.step_law<double>(1e-2);
    Doubles before{};
    for (int n = 0; n < 3; ++n)
      step(law, make_mat3<double>([&](int, int) { return random.uniform(-0.2, 0.2); }), before);
    Doubles still = before;
    step(law, Mat3<double>{}, still);
    const double stored = law.energy(before), potential = law.potential(Mat3<double>{}, before, still);
    EXPECT_LE(potential, stored * (1 + 1e-12) + 1e-12);
    const Mat3<double> du = make_mat3<double>([&](int, int) { return random.uniform(-0.2, 0.2); });
    Doubles after = before;
    step(law, du, after);
    const double allowed = law.potential(du, before, after);
    EXPECT_LE(law.energy(after), allowed * (1 + 1e-12) + 1e-12);
  }
}

// --- presets ----------------------------------------------------------------------------------------------

double value_of(const Preset& preset, const std::string& parameter) {
  for (const PresetValue& v : preset.values)
    if (v.parameter && parameter == v.parameter) return v.value;
  return NAN;
}

// the printed numbers of Table 2 to their two digits, in kPa: the presets have more of them
TEST(Viscoelastic, presets_round_to_the_printed_table) {
  struct Row {
    const char* name;
    double mu, lambda, mu_neq, lambda_neq, viscosity;
  };
  const Row rows[] = {{"silicone", 1.8, 71, 18, 71, 10},
                      {"sofa-foam", 0.36, 140, 36, 140, 0.3},
                      {"cherry-cream", 3.4e-3, 29, 2.1, 8.6, 4.8e-3},
                      {"cherry-cream-stiff", 1.4e-2, 29, 2.1, 8.6, 2e-2},
                      {"coil", 3.6e-3, 1400, 7.1, 29, 0.4},
                      {"melted-cheese", 3.6e-3, 140, 7.1, 29, 0.2}};
  for (const Row& row : rows) {
    int found = 0;
    for (const Preset& preset : Viscoelastic::presets) {
      if (std::string(preset.name) != row.name) continue;
      ++found;
      EXPECT_NEAR(value_of(preset, "shear_modulus") / 1e3 / row.mu, 1, 0.03) << row.name;
      EXPECT_NEAR(value_of(preset, "lambda") / 1e3 / row.lambda, 1, 0.03) << row.name;
      EXPECT_NEAR(value_of(preset, "shear_modulus_neq") / 1e3 / row.mu_neq, 1, 0.03) << row.name;
      EXPECT_NEAR(value_of(preset, "lambda_neq") / 1e3 / row.lambda_neq, 1, 0.03) << row.name;
      EXPECT_NEAR(value_of(preset, "deviatoric_viscosity") / 1e3 / row.viscosity, 1, 1e-12) << row.name;
      EXPECT_EQ(value_of(preset, "density"), 2000);
    }
    EXPECT_EQ(found, 1) << row.name;
  }
  EXPECT_NEAR(value_of(Viscoelastic::presets[0], "shear_modulus_neq"), 17857.142857142857, 1e-9);
  for (const Preset& preset : Viscoelastic::presets)
    if (std::string(preset.name) == "coil-yield") {
      EXPECT_NEAR(value_of(preset, "shear_modulus"), 35714.285714, 1e-6);
      EXPECT_NEAR(value_of(preset, "yield_stress"), 0.1224745, 1e-7);
      EXPECT_NEAR(value_of(preset, "lambda"), 1428571.4286, 1e-4);
    }
}

}  // namespace
}  // namespace dollop::inline DOLLOP_ISA
