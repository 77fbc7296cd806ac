#include "solvers/rheometer/flow_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

#include "solvers/rheometer/rheometer.h"

namespace dollop {
namespace {

std::vector<FlowSample> curve_of(const FlowLaw& law, int count = 25) {
  std::vector<FlowSample> samples;
  for (const double rate : logarithmic_range(0.01, 100, count)) samples.push_back({rate, law(rate)});
  return samples;
}

// a plain linear congruence: the same noise everywhere
std::vector<FlowSample> with_noise(std::vector<FlowSample> samples, double size, std::uint32_t state) {
  for (FlowSample& s : samples) {
    state = state * 1664525u + 1013904223u;
    s.stress *= 1 + size * (2 * (state / 4294967296.0) - 1);
  }
  return samples;
}

double relative_error(double found, double expected) { return std::fabs(found / expected - 1); }

TEST(flow_fit, returns_what_the_curve_was_made_of) {
  for (const FlowLaw law : {FlowLaw{18.4, 17.8, 0.22}, FlowLaw{5, 10, 0.43}, FlowLaw{3, 0.5, 1},
                            FlowLaw{1, 2, 2.8}, FlowLaw{1e-3, 4e-6, 0.7}, FlowLaw{4e5, 1e6, 1.4}}) {
    const FlowFit fit = fit_flow(curve_of(law));
    EXPECT_LT(relative_error(fit.law.tau_y, law.tau_y), 1e-5) << law.index;
    EXPECT_LT(relative_error(fit.law.consistency, law.consistency), 1e-5) << law.index;
    EXPECT_LT(relative_error(fit.law.index, law.index), 1e-5) << law.index;
    EXPECT_LT(fit.max_error, 1e-6);
    EXPECT_LE(fit.rms_error, fit.max_error);
  }
}

TEST(flow_fit, a_power_law_has_no_yield_stress) {
  const FlowFit fit = fit_flow(curve_of({0, 2, 0.6}));
  EXPECT_LT(fit.law.tau_y, 1e-6);
  EXPECT_LT(relative_error(fit.law.consistency, 2), 1e-5);
  EXPECT_LT(relative_error(fit.law.index, 0.6), 1e-5);
}

TEST(flow_fit, a_stress_without_rate_is_all_yield) {
  const FlowFit fit = fit_flow(curve_of({30, 0, 1}));
  EXPECT_DOUBLE_EQ(fit.law.tau_y, 30);
  EXPECT_EQ(fit.law.consistency, 0);
  EXPECT_EQ(fit.law.index, 1);
  EXPECT_LT(fit.max_error, 1e-12);
}

TEST(flow_fit, a_falling_curve_has_no_negative_parameters) {
  std::vector<FlowSample> samples = curve_of({10, 0, 1}, 5);
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i].stress = 10 - double(i);
  const FlowFit fit = fit_flow(samples);
  EXPECT_EQ(fit.law.consistency, 0);
  EXPECT_GT(fit.law.tau_y, 6);
  EXPECT_LT(fit.law.tau_y, 10);
  EXPECT_GT(fit.max_error, 0.1);
}

TEST(flow_fit, a_point_at_rest_counts_as_yield_stress) {
  auto samples = curve_of({18.4, 17.8, 0.4}, 8);
  samples.push_back({0, 18.4});
  EXPECT_LT(relative_error(fit_flow(samples).law.tau_y, 18.4), 1e-5);
}

TEST(flow_fit, noise_of_two_per_cent_moves_the_parameters_by_little) {
  const FlowLaw law{18.4, 17.8, 0.4};
  const auto samples = with_noise(curve_of(law, 40), 0.02, 12345);
  const FlowFit fit = fit_flow(samples);
  EXPECT_LT(relative_error(fit.law.tau_y, law.tau_y), 0.05);
  EXPECT_LT(relative_error(fit.law.consistency, law.consistency), 0.05);
  EXPECT_LT(relative_error(fit.law.index, law.index), 0.05);
  EXPECT_GT(fit.rms_error, 0.005);
  EXPECT_LT(fit.max_error, 0.025);
  // the best of all: a small change of any parameter makes it worse
  for (const double change : {-0.002, 0.002})
    for (const int which : {0, 1, 2}) {
      FlowLaw other = fit.law;
      (which == 0 ? other.tau_y : which == 1 ? other.consistency : other.index) *= 1 + change;
      EXPECT_GT(judge(other, samples).rms_error, fit.rms_error) << which << ' ' << change;
    }
}

// a consistency of 1e-11 and an index of 5 that fit the last point only are of no use
TEST(flow_fit, a_flat_curve_with_noise_is_perfectly_plastic) {
  for (const int count : {6, 10, 20, 40})
    for (std::uint32_t seed = 1; seed <= 20; ++seed) {
      const FlowFit fit = fit_flow(with_noise(curve_of({50, 0, 1}, count), 0.05, seed));
      EXPECT_TRUE(fit.scattered) << count << ' ' << seed;
      EXPECT_EQ(fit.law.consistency, 0) << count << ' ' << seed;
      EXPECT_EQ(fit.law.index, 1) << count << ' ' << seed;
      EXPECT_LT(relative_error(fit.law.tau_y, 50), 0.05) << count << ' ' << seed;
    }
}

TEST(flow_fit, a_rise_beyond_the_noise_is_kept) {
  for (const int count : {6, 10, 20, 40})
    for (std::uint32_t seed = 1; seed <= 20; ++seed) {
      const FlowFit fit = fit_flow(with_noise(curve_of({50, 2, 0.5}, count), 0.03, seed));
      EXPECT_FALSE(fit.scattered) << count << ' ' << seed;
      EXPECT_LT(relative_error(fit.law(100), 70), 0.05) << count << ' ' << seed;
    }
  EXPECT_FALSE(fit_flow(curve_of({50, 0.01, 0.5}, 4)).scattered);  // nothing scatters: 0.2 % are a rise
}

// few points and large errors, but nobody would call these flat
TEST(flow_fit, a_large_rise_is_kept_however_badly_it_fits) {
  const FlowFit foam = fit_flow({{0, 18}, {0.1, 20}, {1, 36}, {10, 48}});
  EXPECT_FALSE(foam.scattered);
  EXPECT_NEAR(foam.law.tau_y, 17.3, 0.1);
  EXPECT_NEAR(foam.law.consistency, 12.8, 0.1);
  EXPECT_NEAR(foam.law.index, 0.407, 0.002);
  EXPECT_NEAR(foam.max_error, 0.16, 0.01);
  const FlowFit steep = fit_flow({{0.1, 1}, {1, 20}, {10, 60}, {100, 1500}});
  EXPECT_FALSE(steep.scattered);
  EXPECT_GT(steep.law(100), 500);
}

// How often a law with a rate is found in 1000 tables with Gaussian relative noise. The shares that were found are on the
// right: those of constants are mistakes of the first kind, what lacks to 1 of the others of the second.
TEST(flow_fit, error_rates_of_both_kinds) {
  struct Case {
    FlowLaw law;
    double from, to;
    int count;
    double noise, least, most;
  };
  std::mt19937 generator(1);
  const auto uniform = [&] { return (double(generator()) + 0.5) / 4294967296.0; };
  const auto gaussian = [&] {
    return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform());
  };
  const FlowLaw flat{50, 0, 1}, rising{5, 5, 0.5}, slight{50, 2, 0.5};
  for (const Case& c : {Case{flat, 0.01, 100, 4, 0.05, 0, 0.05},      // 0.03
                        Case{flat, 0.01, 100, 4, 0.2, 0, 0.05},       // 0.03
                        Case{flat, 0.01, 100, 5, 0.2, 0, 0.03},       // 0.015
                        Case{flat, 0.01, 100, 6, 0.1, 0, 0.02},       // 0.008
                        Case{flat, 0.01, 100, 10, 0.2, 0, 0.01},      // 0.002
                        Case{flat, 0.01, 100, 20, 0.05, 0, 0.01},     // 0.002
                        Case{rising, 0.1, 100, 4, 0.15, 0.99, 1},     // 1
                        Case{rising, 0.1, 100, 4, 0.3, 0.97, 1},      // 0.994
                        Case{rising, 0.01, 10, 4, 0.2, 0.95, 1},      // 0.985
                        Case{rising, 0.1, 10, 4, 0.3, 0.8, 1},        // 0.84
                        Case{slight, 0.01, 100, 4, 0.02, 0.98, 1},    // 0.996
                        Case{slight, 0.01, 100, 10, 0.05, 0.9, 1},    // 0.94
                        Case{slight, 0.01, 100, 20, 0.1, 0.7, 1}}) {  // 0.75
    int found = 0;
    for (int k = 0; k < 1000; ++k) {
      std::vector<FlowSample> samples;
      for (const double rate : logarithmic_range(c.from, c.to, c.count))
        samples.push_back({rate, c.law(rate) * std::max(0.05, 1 + c.noise * gaussian())});
      found += fit_flow(samples).law.consistency > 0;
    }
    const double share = found / 1000.0;
    EXPECT_GE(share, c.least) << c.law.tau_y << ' ' << c.count << ' ' << c.noise;
    EXPECT_LE(share, c.most) << c.law.tau_y << ' ' << c.count << ' ' << c.noise;
  }
}

TEST(flow_fit, an_index_at_its_bound_is_told_or_one) {
  std::vector<FlowSample> steep = curve_of({10, 0, 1}, 12);
  steep.back().stress = 30;  // no power rises so late
  EXPECT_TRUE(fit_flow(steep).at_bound);
  EXPECT_FALSE(fit_flow(curve_of({10, 2, 0.5})).at_bound);
  // rates within a factor of two do not tell an index
  const FlowFit fit = fit_flow({{1, 10}, {1.2, 10.5}, {1.4, 10.2}, {1.6, 11}, {1.8, 11.3}, {2, 12.7}});
  EXPECT_EQ(fit.law.index, 1);
  EXPECT_GT(fit.law.consistency, 2);
  EXPECT_FALSE(fit.at_bound);
}

TEST(flow_fit, engineering_parameters_become_those_of_the_model) {  // (HB.9)
  const FoamParameters foam = small_strain_parameters({18.4, 17.8, 0.22}, 290);
  EXPECT_NEAR(foam.yield_stress, 31.87, 0.005);
  EXPECT_NEAR(foam.viscosity, 27.17, 0.005);
  EXPECT_EQ(foam.power, 0.22);
  const FlowLaw back = small_strain_law(foam);
  EXPECT_DOUBLE_EQ(back.tau_y, 18.4);
  EXPECT_DOUBLE_EQ(back.consistency, 17.8);
  EXPECT_EQ(back.index, 0.22);
  EXPECT_DOUBLE_EQ(small_strain_parameters({1, 3, 1}, 1).viscosity,
                   6);  // Bingham: twice the plastic viscosity
}

TEST(flow_fit, steady_shear_in_closed_form) {  // (HB.11)
  EXPECT_NEAR(steady_shear_stress({290, 31.9, 27.2, 0.22}, 10), 47.044939, 1e-6);
  EXPECT_LT(relative_error(steady_shear_stress({11200, 0.1, 10, 2.8}, 10), 1604.2), 1e-5);
  EXPECT_LT(relative_error(steady_shear_stress({50e3, 1000, 0.1, 1}, 10), 577.799), 1e-6);
  // stiff: the small-strain rule
  const FlowLaw law{20, 15, 0.4};
  EXPECT_LT(relative_error(steady_shear_stress(small_strain_parameters(law, 1e6), 7), law(7)), 1e-7);
}

TEST(flow_fit, large_elastic_strains_are_taken_into_account) {  // (HB.10)
  const auto samples = curve_of({18.4, 17.8, 0.22});
  const FoamFit exact = fit_foam(samples, 290);
  EXPECT_NEAR(exact.foam.yield_stress, 32.806, 0.01);
  EXPECT_NEAR(exact.foam.viscosity, 27.062, 0.01);
  EXPECT_NEAR(exact.foam.power, 0.2312, 1e-4);
  EXPECT_NEAR(exact.max_error, 0.0025, 2e-4);
  EXPECT_NEAR(judge(small_strain_parameters({18.4, 17.8, 0.22}, 290), samples).max_error, 0.038, 1e-3);

  const auto soft = curve_of({20, 15, 0.4});
  EXPECT_NEAR(fit_foam(soft, 200).max_error, 0.037, 1e-3);
  EXPECT_NEAR(judge(small_strain_parameters({20, 15, 0.4}, 200), soft).max_error, 0.183, 1e-3);
}

}  // namespace
}  // namespace dollop
