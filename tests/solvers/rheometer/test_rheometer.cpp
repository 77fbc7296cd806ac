#include "solvers/rheometer/rheometer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "materials/registry.h"
#include "solvers/rheometer/flow_fit.h"
#include "solvers/rheometer/sheared_samples.h"

namespace dollop {
namespace {

// a preset without its names: the rheometer needs the model's parameters only
Material preset(const std::string& name) {
  const FoundPreset found = find_preset(name);
  EXPECT_NE(found.preset, nullptr) << name;
  return {"sample", found.model->name, found.preset->parameters};
}

TEST(rheometer, von_mises_flows_at_its_yield_stress) {
  const Material clay{
      "clay", "von-mises", {{"young_modulus", 1e5}, {"poisson_ratio", 0.3}, {"yield_stress", 1e3}}};
  for (const double rate : {1e-3, 1.0, 1e3}) {
    const RheometerPoint shear = steady_flow(clay, Flow::shear, rate);
    EXPECT_TRUE(shear.steady);
    EXPECT_DOUBLE_EQ(shear.rate, rate);
    // a logarithmic strain e at 45 degrees in the shear plane turns by little: first order in e = tau/2G
    EXPECT_LT(relative_error(shear.stress, 1e3 / std::sqrt(3.0)), 1e-3);
    EXPECT_GT(shear.normal_difference, 0);
    const RheometerPoint extension = steady_flow(clay, Flow::extension, rate);
    EXPECT_TRUE(extension.steady);
    EXPECT_LT(relative_error(extension.stress, 1e3), 1e-9);
  }
}

TEST(rheometer, what_does_not_flow_is_not_steady) {
  const Material jelly{"jelly", "neo-hookean", {{"shear_modulus", 100}, {"bulk_modulus", 5000}}};
  FlowOptions options;
  options.max_strain = 3;
  const RheometerPoint shear = steady_flow(jelly, Flow::shear, 2, options);
  EXPECT_FALSE(shear.steady);
  EXPECT_DOUBLE_EQ(shear.strain, 3);
  EXPECT_FALSE(shear.out_of_time);
  EXPECT_LT(relative_error(shear.stress, 100 * shear.strain), 1e-6);  // tau = mu k
  EXPECT_FALSE(steady_flow(jelly, Flow::extension, 1).steady);
  EXPECT_TRUE(std::isfinite(steady_flow(jelly, Flow::extension, 1).stress));

  const Material metal{
      "metal", "von-mises", {{"young_modulus", 1e5}, {"yield_stress", 1e3}, {"hardening", 50}}};
  EXPECT_FALSE(steady_flow(metal, Flow::shear, 1).steady);
}

TEST(rheometer, ends_at_the_time_given) {
  FlowOptions options;
  options.max_time = 0.25;
  const RheometerPoint point = steady_flow(preset("shaving-cream"), Flow::shear, 0.4, options);
  EXPECT_FALSE(point.steady);
  EXPECT_TRUE(point.out_of_time);
  EXPECT_DOUBLE_EQ(point.strain, 0.1);
  EXPECT_LT(relative_error(point.stress, 290 * 0.1), 0.2);  // about to yield at a shear of 0.06
}

// elastic so far, tau = mu k: a last step beyond the end would show
TEST(rheometer, ends_between_two_steps) {
  for (const double dt : {0.0, 1e-4, 0.1}) {
    FlowOptions options;
    options.dt = dt, options.max_time = 1.05e-3;
    const RheometerPoint point = steady_flow(preset("shaving-cream"), Flow::shear, 3.1623, options);
    EXPECT_TRUE(point.out_of_time) << dt;
    EXPECT_LT(relative_error(point.strain, 3.1623 * 1.05e-3), 1e-12) << dt;
    EXPECT_LT(relative_error(point.stress, 290 * 3.1623 * 1.05e-3), 1e-4) << dt;
    options.max_time = 1, options.max_strain = 0.00333;
    const RheometerPoint strained = steady_flow(preset("shaving-cream"), Flow::extension, 3.1623, options);
    EXPECT_FALSE(strained.out_of_time) << dt;
    EXPECT_LT(relative_error(strained.strain, 0.00333), 1e-12) << dt;
  }
}

TEST(rheometer, refuses_an_unknown_model) {
  EXPECT_THROW(steady_flow({"x", "no-such-model", {}}, Flow::shear, 1), SceneError);
}

// The flow curve of a law over four decades, at elastic strains below 1 %: it is tau_y + K rate^n          (HB.9)
std::vector<FlowSample> expect_flow_curve(const FlowLaw& law) {
  const double mu = 100 * law(100);
  const FoamParameters p = small_strain_parameters(law, mu);
  const Material material = foam_sample(mu, p.yield_stress, p.viscosity, p.power);
  std::vector<FlowSample> curve;
  for (const double rate : logarithmic_range(0.01, 100, 13)) {
    const RheometerPoint point = steady_flow(material, Flow::shear, rate);
    EXPECT_TRUE(point.steady) << law.index << ' ' << rate;
    EXPECT_LT(relative_error(point.stress, law(rate)), 5e-4) << law.index << ' ' << rate;
    EXPECT_LE(point.normal_difference, 2 * 0.01 * point.stress) << law.index << ' ' << rate;
    curve.push_back({rate, point.stress});
  }
  return curve;
}

TEST(rheometer, shows_the_engineering_flow_curve) {
  for (const double n : {0.2, 0.43, 1.0, 2.8}) {
    const FlowFit fit = fit_flow(expect_flow_curve({20, 10, n}));
    EXPECT_LT(relative_error(fit.law.tau_y, 20), 0.01) << n;
    EXPECT_LT(relative_error(fit.law.consistency, 10), 0.01) << n;
    EXPECT_LT(relative_error(fit.law.index, n), 0.01) << n;
    EXPECT_LT(fit.max_error, 1e-3) << n;
  }
}

// one that flows at any stress, and one whose stress is mostly that of its yield
TEST(rheometer, shows_the_flow_curves_of_a_fluid_and_of_a_paste) {
  for (const double n : {0.2, 0.43, 1.0, 2.8}) {
    const FlowFit fluid = fit_flow(expect_flow_curve({0, 5, n}));
    EXPECT_LT(fluid.law.tau_y, 0.01 * 5) << n;
    EXPECT_LT(relative_error(fluid.law.consistency, 5), 0.01) << n;
    EXPECT_LT(relative_error(fluid.law.index, n), 0.01) << n;
    EXPECT_LT(relative_error(fit_flow(expect_flow_curve({120, 2, n})).law.tau_y, 120), 0.01) << n;
  }
}

TEST(rheometer, the_same_from_engineering_parameters) {
  const Material material{"sample",
                          "herschel-bulkley",
                          {{"shear_modulus", 1e4},
                           {"bulk_modulus", 1e6},
                           {"tau_y", 20},
                           {"consistency", 10},
                           {"flow_index", 0.5}}};
  const RheometerPoint point = steady_flow(material, Flow::shear, 4);
  EXPECT_LT(relative_error(point.stress, 40), 1e-4);
}

TEST(rheometer, without_viscosity_the_rate_does_not_matter) {
  const Material material = foam_sample(1e4, 30, 0, 0.22);
  for (const double rate : {0.01, 1.0, 100.0})
    EXPECT_LT(relative_error(steady_flow(material, Flow::shear, rate).stress, 30 / std::sqrt(3.0)), 1e-5);
}

TEST(rheometer, logarithmic_range_has_its_ends) {
  const auto range = logarithmic_range(0.01, 100, 5);
  ASSERT_EQ(range.size(), 5u);
  EXPECT_EQ(range.front(), 0.01);
  EXPECT_EQ(range.back(), 100);
  EXPECT_NEAR(range[1], 0.1, 1e-12);
  EXPECT_NEAR(range[2], 1, 1e-12);
}

}  // namespace
}  // namespace dollop
