#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "solvers/rheometer/rheometer.h"
#include "solvers/rheometer/sheared_samples.h"

namespace dollop {
namespace {

TEST(Oscillation, elastic_materials_have_their_shear_modulus) {
  for (const Material& material :
       {rubber_sample(700), hencky_sample(700), plastic_sample(700, 1), bingham_sample(700, 1, 3)})
    for (const double frequency : {1e-3, 1.0, 1e3}) {
      const OscillationPoint p = oscillation(material, frequency);
      EXPECT_TRUE(p.steady);
      EXPECT_EQ(p.frequency, frequency);
      EXPECT_LT(relative_error(p.storage, 700), 1e-7) << material.model;
      EXPECT_LT(std::fabs(p.loss), 1e-7 * 700) << material.model;
      EXPECT_LT(p.third_harmonic, 1e-7) << material.model;
    }
}

// the amplitude does not matter to a neo-Hookean material, whose shear stress is mu k at any k
TEST(Oscillation, of_any_amplitude) {
  for (const double strain : {1e-6, 0.1, 10.0}) {
    const OscillationPoint p = oscillation(rubber_sample(700), 2, {.strain = strain});
    EXPECT_TRUE(p.steady);
    EXPECT_LT(relative_error(p.storage, 700), 1e-9) << strain;
    EXPECT_LT(std::fabs(p.loss), 1e-9 * 700) << strain;
  }
}

TEST(Oscillation, maxwell_fluid) {
  const double mu = 5, lambda = 0.5;
  for (const double w : logarithmic_range(1e-3, 1e3, 19)) {
    const OscillationPoint p = oscillation(maxwell_sample(mu, lambda), w / lambda);
    EXPECT_TRUE(p.steady) << w;
    EXPECT_LT(relative_error(p.storage, mu * w * w / (1 + w * w)), 1e-4) << w;
    EXPECT_LT(relative_error(p.loss, mu * w / (1 + w * w)), 1e-4) << w;
    EXPECT_LT(p.third_harmonic, 1e-4) << w;  // of the beginning that fades away
  }
}

// backward Euler in n steps a period: G* = mu q/(dt/lambda + q), q = 1 - exp(-i 2 pi/n)
TEST(Oscillation, maxwell_fluid_in_steps) {
  const double mu = 5, lambda = 0.5, frequency = 3;
  for (const int steps : {8, 16, 100}) {
    const double x = 2 * std::numbers::pi / steps, dt = x / frequency;
    const OscillationPoint p = oscillation(maxwell_sample(mu, lambda), frequency, {.dt = dt * 1.001});
    const std::complex<double> q = 1.0 - std::polar(1.0, -x), modulus = mu * q / (dt / lambda + q);
    EXPECT_TRUE(p.steady);
    EXPECT_LT(relative_error(p.storage, modulus.real()), 1e-5) << steps;
    EXPECT_LT(relative_error(p.loss, modulus.imag()), 1e-5) << steps;
  }
}

// The first harmonic of a perfectly plastic material beyond its yield strain: the loss is the area of a parallelogram
TEST(Oscillation, plastic_material_beyond_yield) {
  const double mu = 1e6, tau_y = 200, yields = tau_y / mu;
  for (const double ratio : {1.5, 4.0, 20.0}) {
    const double a = ratio * yields, theta = std::acos(1 - 2 / ratio);
    const OscillationPoint p = oscillation(plastic_sample(mu, tau_y), 10, {.strain = a});
    EXPECT_TRUE(p.steady);
    EXPECT_LT(relative_error(p.storage, mu / std::numbers::pi * (theta - std::sin(2 * theta) / 2)), 2e-3)
        << ratio;
    EXPECT_LT(relative_error(p.loss, 4 * tau_y * (a - yields) / (std::numbers::pi * a * a)), 1e-4) << ratio;
    EXPECT_GT(p.third_harmonic, 0.02) << ratio;
  }
}

// isotropic hardening goes on for thousands of periods
TEST(Oscillation, what_does_not_become_periodic_is_not_steady) {
  const Material metal{
      "metal", "von-mises", {{"young_modulus", 1e5}, {"yield_stress", 100}, {"hardening", 50}}};
  EXPECT_FALSE(oscillation(metal, 1, {.strain = 0.01}).steady);
  EXPECT_TRUE(oscillation(metal, 1).steady);
}

}  // namespace
}  // namespace dollop
