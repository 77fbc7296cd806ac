// Closed forms of the volume-preserving Oldroyd-B fluid in the rheometer: W = rate lambda, s = t/lambda, J = 1.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "solvers/rheometer/rheometer.h"
#include "solvers/rheometer/sheared_samples.h"

namespace dollop {
namespace {

constexpr double mu = 5, relaxation_time = 0.5;

Material fluid(double solvent_viscosity = 0) {
  return {"x",
          "oldroyd-b",
          {{"shear_modulus", mu},
           {"lambda", 50},
           {"relaxation_time", relaxation_time},
           {"solvent_viscosity", solvent_viscosity},
           {"density", 1000}}};
}

TEST(ViscoelasticFlows, steady_shear) {
  for (const double rate : {2e-3, 0.2, 1.0, 2.0, 4.0, 20.0}) {
    const RheometerPoint p = steady_flow(fluid(), Flow::shear, rate);
    const double w = rate * relaxation_time, stress = mu * w / std::cbrt(1 + w * w);
    EXPECT_TRUE(p.steady) << w;
    EXPECT_LT(relative_error(p.stress, stress), 1e-4) << w;
    EXPECT_LT(relative_error(p.normal_difference, 2 * w * stress), 1e-4) << w;
  }
  EXPECT_NEAR(steady_flow(fluid(), Flow::shear, 4).stress, 5.848035, 5e-4);
  EXPECT_NEAR(steady_flow(fluid(), Flow::shear, 20).normal_difference, 214.73007, 0.02);
}

TEST(ViscoelasticFlows, steady_extension) {
  const double viscosity = mu * relaxation_time;
  const auto ratio = [&](double e) {
    const RheometerPoint p = steady_flow(fluid(), Flow::extension, e / relaxation_time);
    EXPECT_TRUE(p.steady) << e;
    return p.stress / (e / relaxation_time);
  };
  for (const double e : {0.01, 0.1, 0.3, 0.45})
    EXPECT_LT(relative_error(ratio(e), 3 * viscosity * std::pow(1 - 2 * e, -2.0 / 3) / std::cbrt(1 + e)),
              1e-4)
        << e;
  EXPECT_NEAR(ratio(0.3), 12.658245, 5e-3);
  EXPECT_FALSE(steady_flow(fluid(), Flow::extension, 1 / relaxation_time).steady);  // grows without bound
}

TEST(ViscoelasticFlows, a_solvent_adds_its_stress) {
  const double viscosity = 0.7;
  const RheometerPoint without = steady_flow(fluid(), Flow::shear, 4),
                       with = steady_flow(fluid(viscosity), Flow::shear, 4);
  EXPECT_LT(relative_error(with.stress - without.stress, viscosity * 4), 1e-4);
  EXPECT_LT(relative_error(with.normal_difference, without.normal_difference), 1e-4);
  const double slow = steady_flow(fluid(), Flow::extension, 0.4).stress;
  EXPECT_LT(
      relative_error(steady_flow(fluid(viscosity), Flow::extension, 0.4).stress - slow, 3 * viscosity * 0.4),
      1e-4);
  StartupOptions start{.rate = 4, .times = {0.01, 0.5}};
  const auto plain = startup(fluid(), start), thick = startup(fluid(viscosity), start);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_LT(relative_error(thick[i].stress - plain[i].stress, viscosity * 4), 1e-4);
    EXPECT_LT(std::fabs(thick[i].normal_difference - plain[i].normal_difference), 1e-4 * viscosity * 4);
  }
  // nothing of it is left as soon as the shear stops
  RelaxationOptions held{.times = {0.25, 1}};
  const auto before = relaxation(fluid(), held), after = relaxation(fluid(viscosity), held);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_LT(relative_error(after[i].stress, before[i].stress), 1e-9);
  held.dt = 2;  // the first time is that of the step itself
  EXPECT_LT(relative_error(relaxation(fluid(viscosity), held)[0].stress, mu), 1e-6);
}

double start_stress(double w, double s) {
  const double det = 1 + w * w * (1 - 2 * s * std::exp(-s) - std::exp(-2 * s));
  return -mu * w * std::expm1(-s) / std::cbrt(det);
}

TEST(ViscoelasticFlows, startup) {
  for (const double w : {0.01, 1.0, 2.0, 10.0}) {
    StartupOptions options{.rate = w / relaxation_time};
    for (const double s : {0.01, 0.5, 1.0, 2.0, 2.1175, 5.0, 30.0})
      options.times.push_back(s * relaxation_time);
    for (const StressAtTime& p : startup(fluid(), options)) {
      const double s = p.time / relaxation_time, stress = start_stress(w, s);
      const double growth = 2 * (1 - std::exp(-s) * (1 + s)) / -std::expm1(-s);
      EXPECT_LT(relative_error(p.stress, stress), 1e-5) << w << ' ' << s;
      EXPECT_LT(relative_error(p.normal_difference, w * growth * stress), 1e-5) << w << ' ' << s;
    }
  }
  const auto known = startup(fluid(), {.rate = 4, .times = {0.25, 0.5, 1, 2.1175 / 2}});
  EXPECT_NEAR(known[0].stress, 3.808931, 1e-3);
  EXPECT_NEAR(known[1].stress, 5.503042, 1e-3);
  EXPECT_NEAR(known[1].normal_difference, 9.201599, 2e-3);
  EXPECT_NEAR(known[2].stress, 6.163197, 1e-3);
  EXPECT_NEAR(known[3].stress, 6.166003, 1e-3);
}

TEST(ViscoelasticFlows, startup_overshoots) {
  for (const auto& [w, ratio] : {std::pair{1.0, 1.007}, std::pair{2.0, 1.0544}, std::pair{5.0, 1.162},
                                 std::pair{10.0, 1.237}, std::pair{50.0, 1.349}}) {
    StartupOptions options{.rate = w / relaxation_time, .times = logarithmic_range(0.05, 15, 200)};
    double most = 0;
    const auto history = startup(fluid(), options);
    for (const StressAtTime& p : history) most = std::max(most, p.stress);
    EXPECT_NEAR(most / history.back().stress, ratio, 1e-3) << w;
  }
}

TEST(ViscoelasticFlows, relaxation) {
  for (const double k : {0.1, 1.0, 5.0}) {
    RelaxationOptions options{.strain = k};
    for (const double s : {0.01, 0.5, 1.0, 2.0, 8.0}) options.times.push_back(s * relaxation_time);
    for (const StressAtTime& p : relaxation(fluid(), options)) {
      const double fading = std::exp(-p.time / relaxation_time);
      const double stress = mu * k * fading / std::cbrt(1 + k * k * fading * (1 - fading));
      EXPECT_LT(relative_error(p.stress, stress), 1e-4) << k << ' ' << p.time;
      EXPECT_LT(relative_error(p.normal_difference, k * stress), 1e-4) << k << ' ' << p.time;
    }
  }
  const auto known = relaxation(fluid(), {.times = {0.25, 0.5, 1}});
  EXPECT_NEAR(known[0].stress, 2.823838, 5e-4);
  EXPECT_NEAR(known[1].stress, 1.715568, 5e-4);
  EXPECT_NEAR(known[2].stress, 0.652170, 5e-4);
}

TEST(ViscoelasticFlows, oscillation) {
  for (const double viscosity : {0.0, 0.7, 25.0})
    for (const double w : logarithmic_range(1e-3, 1e3, 13)) {
      const double frequency = w / relaxation_time;
      const OscillationPoint p = oscillation(fluid(viscosity), frequency);
      EXPECT_TRUE(p.steady) << w;
      EXPECT_LT(relative_error(p.storage, mu * w * w / (1 + w * w)), 3e-4) << viscosity << ' ' << w;
      EXPECT_LT(relative_error(p.loss, mu * w / (1 + w * w) + viscosity * frequency), 1e-3)
          << viscosity << ' ' << w;
    }
}

// the published update is another discretisation, with the same limit; it oscillates in steps longer than lambda
TEST(ViscoelasticFlows, of_the_published_update) {
  Material published = fluid(0.7);
  published.parameters["update"] = 1;
  for (const double rate : {0.02, 4.0}) {
    const double w = rate * relaxation_time, stress = mu * w / std::cbrt(1 + w * w);
    const RheometerPoint p = steady_flow(published, Flow::shear, rate);
    EXPECT_TRUE(p.steady) << w;
    EXPECT_LT(relative_error(p.stress, stress + 0.7 * rate), 1e-4) << w;
    EXPECT_LT(relative_error(p.normal_difference, 2 * w * stress), 1e-4) << w;
  }
  const auto start = startup(published, {.rate = 4, .times = {0.25, 100}});
  EXPECT_LT(relative_error(start[0].stress, 3.808931 + 2.8), 1e-4);
  EXPECT_LT(relative_error(start[1].stress, 5.848035 + 2.8), 1e-4);
  EXPECT_LT(relative_error(relaxation(published, {.times = {0.5}})[0].stress, 1.715568), 2e-3);
  for (const double w : {1e-3, 1.0, 100.0}) {
    const OscillationPoint p = oscillation(published, w / relaxation_time);
    EXPECT_LT(relative_error(p.storage, mu * w * w / (1 + w * w)), 1e-3) << w;
    EXPECT_LT(relative_error(p.loss, mu * w / (1 + w * w) + 0.7 * w / relaxation_time), 1e-3) << w;
  }
}

}  // namespace
}  // namespace dollop
