// Closed forms of the viscoelastic solid in the rheometer: t_d = nu_d/(2 mu_N), W = rate t_d.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "solvers/flows/sheared_rubber.h"
#include "solvers/rheometer/rheometer.h"
#include "solvers/rheometer/sheared_samples.h"

namespace dollop {
namespace {

constexpr double mu = 400, mu_neq = 2000, viscosity = 1000, time_d = viscosity / (2 * mu_neq);

Material rubber(double lasting = mu) {
  return {"x",
          "viscoelastic",
          {{"shear_modulus", lasting},
           {"lambda", 4000},
           {"shear_modulus_neq", mu_neq},
           {"lambda_neq", 8000},
           {"deviatoric_viscosity", viscosity},
           {"volumetric_viscosity", viscosity},
           {"density", 1000}}};
}
// next to nothing beside the branch that relaxes
Material liquid() { return rubber(1e-9); }

// eps cosh 2 eps = W/2
double steady_strain(double w) {
  double low = 0, high = w / 2;
  for (int k = 0; k < 200; ++k) {
    const double middle = (low + high) / 2;
    (middle * std::cosh(2 * middle) < w / 2 ? low : high) = middle;
  }
  return low;
}

TEST(RubberFlows, steady_shear) {
  for (const double w : {0.01, 0.1, 0.5, 1.0, 2.0, 2.17, 5.0, 20.0}) {
    const RheometerPoint p = steady_flow(liquid(), Flow::shear, w / time_d);
    const double eps = steady_strain(w), stress = 2 * mu_neq * eps / std::cosh(2 * eps);
    EXPECT_TRUE(p.steady) << w;
    EXPECT_LT(relative_error(p.stress, stress), 1e-4) << w;
    EXPECT_LT(relative_error(p.normal_difference, 4 * mu_neq * eps * std::tanh(2 * eps)), 1e-4) << w;
  }
  // slow flow has half of the viscosity nu_d, and only slow flow
  EXPECT_LT(relative_error(steady_flow(liquid(), Flow::shear, 0.01).stress, viscosity / 2 * 0.01), 1e-4);
  EXPECT_GT(relative_error(steady_flow(liquid(), Flow::shear, 0.5 / time_d).stress, viscosity / 4 / time_d),
            0.05);
}

// the stress has a maximum and falls beyond it
TEST(RubberFlows, shear_stress_has_a_maximum) {
  const auto stress = [](double w) { return steady_flow(liquid(), Flow::shear, w / time_d).stress; };
  const double most = stress(2.17);
  EXPECT_LT(relative_error(most, 0.6627 * mu_neq), 2e-4);
  for (const double w : {1.5, 1.9, 2.5, 3.0, 20.0}) EXPECT_LT(stress(w), most) << w;
}

// 2 mu d eps/dt = 2 mu rate - a stress: the stretch of the branch settles, and E stretches on as a rod of Hencky's law
TEST(RubberFlows, steady_extension) {
  for (const double e : {0.01, 0.3, 2.0}) {
    const RheometerPoint p = steady_flow(liquid(), Flow::extension, e / time_d);
    EXPECT_TRUE(p.steady) << e;
    EXPECT_LT(relative_error(p.stress, 1.5 * viscosity * e / time_d), 1e-4) << e;
  }
}

// axes stay as they are, so the logarithmic strain of the branch falls exponentially whatever its size
TEST(RubberFlows, relaxation) {
  for (const double k : {0.1, 1.0, 3.0}) {
    RelaxationOptions options{.strain = k};
    for (const double s : {0.01, 0.5, 1.0, 2.0, 8.0}) options.times.push_back(s * time_d);
    const double eps = std::asinh(k / 2);
    for (const StressAtTime& p : relaxation(rubber(), options)) {
      const double left = mu + mu_neq * std::exp(-p.time / time_d);
      EXPECT_LT(relative_error(p.stress, 2 * left * eps / std::cosh(eps)), 1e-4) << k << ' ' << p.time;
      EXPECT_LT(relative_error(p.normal_difference, 4 * left * eps * std::tanh(eps)), 1e-4)
          << k << ' ' << p.time;
    }
  }
}

TEST(RubberFlows, oscillation) {
  for (const double w : logarithmic_range(1e-2, 1e2, 9)) {
    const OscillationPoint p = oscillation(rubber(), w / time_d);
    EXPECT_TRUE(p.steady) << w;
    EXPECT_LT(relative_error(p.storage, mu + mu_neq * w * w / (1 + w * w)), 3e-4) << w;
    EXPECT_LT(relative_error(p.loss, mu_neq * w / (1 + w * w)), 1e-3) << w;
  }
}

// against the equation of the branch, integrated by other means
TEST(RubberFlows, startup) {
  for (const double w : {0.05, 1.0, 4.0}) {
    StartupOptions options{.rate = w / time_d};
    for (const double s : {0.1, 0.5, 1.0, 2.0}) options.times.push_back(s * time_d);
    for (const StressAtTime& p : startup(rubber(), options)) {
      const tests::ShearedRubber known = tests::sheared_rubber(mu, mu_neq, time_d, options.rate, p.time);
      EXPECT_LT(relative_error(p.stress, known.shear), 5e-4) << w << ' ' << p.time;
      EXPECT_LT(relative_error(p.normal_difference, known.normal), 1e-3) << w << ' ' << p.time;
    }
  }
}

TEST(RubberFlows, yields) {
  Material cream = rubber(1e4);
  cream.parameters["yield_stress"] = 30;
  const RheometerPoint p = steady_flow(cream, Flow::shear, 0.01);
  EXPECT_TRUE(p.steady);
  EXPECT_LT(relative_error(p.stress, 30 / std::sqrt(3.0) + viscosity / 2 * 0.01), 2e-4);
}

}  // namespace
}  // namespace dollop
