#include "solvers/rheometer/flow_fit.h"

#include <algorithm>
#include <cmath>

#include "core/assert.h"

namespace dollop {
namespace {

constexpr double least_index = 0.1, largest_index = 5;  // allowed range of the flow index n

// a + b x^n with the best a, b >= 0 for one n, and the sum of its squared relative errors
struct Trial {
  double a = 0, b = 0, error = 0;
};

Trial best_line(const std::vector<FlowSample>& samples, double scale, double n) {
  // normal equations of a u + b v = 1 with u = 1/tau, v = (rate/scale)^n / tau
  double uu = 0, uv = 0, vv = 0, u1 = 0, v1 = 0;
  for (const FlowSample& s : samples) {
    const double u = 1 / s.stress, v = std::pow(s.rate / scale, n) / s.stress;
    uu += u * u, uv += u * v, vv += v * v, u1 += u, v1 += v;
  }
  const double determinant = uu * vv - uv * uv;
  Trial trial{(u1 * vv - v1 * uv) / determinant, (uu * v1 - uv * u1) / determinant, 0};
  // the error is convex in (a, b): if one comes out negative, the best allowed point is on its axis
  if (!(trial.a >= 0)) trial = {0, v1 / vv, 0};
  if (!(trial.b >= 0)) trial = {u1 / uu, 0, 0};
  for (const FlowSample& s : samples) {
    const double e = (trial.a + trial.b * std::pow(s.rate / scale, n)) / s.stress - 1;
    trial.error += e * e;
  }
  return trial;
}

// the best constant law, b = 0, by relative or by logarithmic errors
FlowLaw best_level(const std::vector<FlowSample>& samples) {
  double uu = 0, u1 = 0;
  for (const FlowSample& s : samples) u1 += 1 / s.stress, uu += 1 / (s.stress * s.stress);
  return {u1 / uu, 0, 1};
}
FlowLaw geometric_mean(const std::vector<FlowSample>& samples) {
  double sum = 0;
  for (const FlowSample& s : samples) sum += std::log(s.stress);
  return {std::exp(sum / double(samples.size())), 0, 1};
}

// the sum of squared logarithmic errors: unlike relative errors, they show how far a law is below the measured stress
double log_error(const FlowLaw& law, const std::vector<FlowSample>& samples) {
  double error = 0;
  for (const FlowSample& s : samples)
    error += std::pow(std::log(std::max(law(s.rate) / s.stress, 1e-6)), 2);  // a law may be 0 at rest
  return error;
}

// Whether the additional parameters of a law are justified: it explains more than a scatter of 20 % would (chi-squared
// test), or passes an F test. The limit of the F test is the 1 % level for two parameters, but at most 10 for few
// points: most fits to pure scatter would fall or bend the wrong way, so that few such tables pass even then.
// tests/solvers/test_flow_fit.cpp counts both kinds of errors.
bool explains_more(double error, double simple_error, int parameters, std::size_t points) {
  const double freedom = std::max(1.0, double(points) - 3), gain = simple_error - error, share = 0.01;
  const double expected_variance = 0.2 * 0.2;
  if (gain > -2 * std::log(share) * expected_variance) return true;  // chi-squared, two degrees of freedom
  const double limit = std::min(10.0, freedom / 2 * (std::pow(share, -2 / freedom) - 1));
  return gain / parameters > limit * error / freedom;
}

// the minimiser of a function that has a single minimum between two points
template <class Function>
double golden_section(double low, double high, const Function& f) {
  const double ratio = (std::sqrt(5.0) - 1) / 2;
  double a = high - ratio * (high - low), b = low + ratio * (high - low), fa = f(a), fb = f(b);
  for (int k = 0; k < 80; ++k) {
    if (fa < fb) {
      high = b, b = a, fb = fa, a = high - ratio * (high - low), fa = f(a);
    } else {
      low = a, a = b, fa = fb, b = low + ratio * (high - low), fb = f(b);
    }
  }
  return (low + high) / 2;
}

// the root of an increasing function with f(0) < 0
template <class Function>
double root_of_rising(double high, const Function& f) {
  double low = 0;
  while (f(high) < 0) low = high, high *= 2;
  for (int k = 0; k < 200 && high - low > 1e-15 * high; ++k) {
    const double middle = (low + high) / 2;
    (f(middle) < 0 ? low : high) = middle;
  }
  return (low + high) / 2;
}

// the elastic strain theta = b12 / b22 of steady shear, its stress, and how much it slows the flow      (HB.11)
struct SteadyStrain {
  double theta;
  double normal() const { return std::sqrt(1 + 4 * theta * theta / 3); }
  double shear_stress(double mu) const { return mu * theta / std::cbrt(1 + theta * theta); }
  double stress_norm(double mu) const { return std::sqrt(2.0) * shear_stress(mu) * normal(); }
  double flow_rate(double rate) const {
    const double slow = 1 + 2 * theta * theta / 3;
    return rate / std::sqrt(2.0) * normal() / (slow * slow);
  }
};

template <class Stress>
void judge_into(const Stress& stress, const std::vector<FlowSample>& samples, double& rms, double& most) {
  rms = most = 0;
  for (const FlowSample& s : samples) {
    const double e = std::fabs(stress(s.rate) / s.stress - 1);
    rms += e * e, most = std::max(most, e);
  }
  rms = std::sqrt(rms / double(samples.size()));
}

}  // namespace

double FlowLaw::operator()(double rate) const { return tau_y + consistency * std::pow(rate, index); }

FlowFit judge(const FlowLaw& law, const std::vector<FlowSample>& samples) {
  FlowFit fit{.law = law};
  judge_into(law, samples, fit.rms_error, fit.max_error);
  return fit;
}

FoamFit judge(const FoamParameters& foam, const std::vector<FlowSample>& samples) {
  FoamFit fit{.foam = foam};
  judge_into([&](double rate) { return steady_shear_stress(foam, rate); }, samples, fit.rms_error,
             fit.max_error);
  return fit;
}

FlowFit fit_flow(const std::vector<FlowSample>& samples) {
  DOLLOP_ASSERT(samples.size() >= 3);
  const auto [least, most] = std::minmax_element(
      samples.begin(), samples.end(), [](const auto& a, const auto& b) { return a.stress < b.stress; });
  double log_sum = 0;
  int positive = 0;
  for (const FlowSample& s : samples)
    if (s.rate > 0) log_sum += std::log(s.rate), ++positive;
  const double scale = std::exp(log_sum / std::max(1, positive));  // keeps the powers near 1

  const FlowLaw plastic = best_level(samples);
  if (most->stress - least->stress < 1e-4 * most->stress) return judge(plastic, samples);
  // a coarse search brackets the minimum, a fine one locates it
  constexpr int count = 80;
  const auto index_of = [](double k) {
    return least_index * std::pow(largest_index / least_index, k / count);
  };
  const auto error_of = [&](double k) { return best_line(samples, scale, index_of(k)).error; };
  int best = 0;
  double best_error = error_of(0);
  for (int k = 1; k <= count; ++k)
    if (const double e = error_of(k); e < best_error) best = k, best_error = e;
  const double k = golden_section(std::max(0, best - 1), std::min(count, best + 1), error_of);
  const double n = index_of(error_of(k) <= best_error ? k : best);
  const auto law_of = [&](double index) {
    const Trial trial = best_line(samples, scale, index);
    return FlowLaw{trial.a, trial.b / std::pow(scale, index), index};
  };
  FlowLaw law = law_of(n);
  const double error = log_error(law, samples);
  if (law.consistency == 0 ||
      !explains_more(error, log_error(geometric_mean(samples), samples), 2, samples.size())) {
    FlowFit fit = judge(plastic, samples);
    fit.scattered = true;
    return fit;
  }
  bool at_bound = n < least_index * (1 + 1e-6) || n > largest_index * (1 - 1e-6);
  if (const FlowLaw straight = law_of(1);
      at_bound && !explains_more(error, log_error(straight, samples), 1, samples.size()))
    law = straight, at_bound = false;
  if (law.tau_y < 1e-6 * least->stress) law.tau_y = 0;  // rounding
  FlowFit fit = judge(law, samples);
  fit.at_bound = at_bound;
  return fit;
}

FoamParameters small_strain_parameters(const FlowLaw& law, double shear_modulus) {
  return {shear_modulus, std::sqrt(3.0) * law.tau_y, law.consistency * std::pow(2.0, (1 + law.index) / 2),
          law.index};
}

FlowLaw small_strain_law(const FoamParameters& foam) {
  return {foam.yield_stress / std::sqrt(3.0), foam.viscosity * std::pow(2.0, -(1 + foam.power) / 2),
          foam.power};
}

double steady_shear_stress(const FoamParameters& foam, double rate) {
  const double yield_norm = std::sqrt(2.0 / 3) * foam.yield_stress;
  const auto excess = [&](double theta) {
    const SteadyStrain strain{theta};
    return strain.stress_norm(foam.shear_modulus) - yield_norm -
           foam.viscosity * std::pow(strain.flow_rate(rate), foam.power);
  };
  return SteadyStrain{root_of_rising(1, excess)}.shear_stress(foam.shear_modulus);
}

FoamFit fit_foam(const std::vector<FlowSample>& samples, double shear_modulus) {
  std::vector<FlowSample> inner;  // flow rate gamma and |dev tau| of each point
  for (const FlowSample& s : samples) {
    const SteadyStrain strain{root_of_rising(
        1, [&](double theta) { return SteadyStrain{theta}.shear_stress(shear_modulus) - s.stress; })};
    inner.push_back({strain.flow_rate(s.rate), strain.stress_norm(shear_modulus)});
  }
  const FlowLaw law = fit_flow(inner).law;
  return judge(FoamParameters{shear_modulus, std::sqrt(1.5) * law.tau_y, law.consistency, law.index},
               samples);
}

}  // namespace dollop
