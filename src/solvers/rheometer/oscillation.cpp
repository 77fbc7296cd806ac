// Oscillatory shear: storage and loss modulus.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/assert.h"
#include "solvers/rheometer/material_point.h"
#include "solvers/rheometer/rheometer.h"

namespace dollop {
namespace {

constexpr double least_steps = 1000;      // of a period: the error is of second order in 2 pi / 1000
constexpr double periodic_change = 1e-6;  // relative change from period to period that counts as none
constexpr double least_modulus = 1e-6;    // relative to |G*|: smaller changes than a part of it are rounding
constexpr double most_periods = 200;      // a fluid with one relaxation time needs 50 at most

// A harmonic of the stress: factors of sine and cosine.
struct Harmonic {
  double sine = 0, cosine = 0;
  double size() const { return std::hypot(sine, cosine); }
};
struct Response {
  Harmonic first, third;
};

// whether a modulus of two successive periods is the same
bool agree(double now, double before, double size) {
  return std::fabs(now - before) <= periodic_change * (std::fabs(now) + least_modulus * size);
}
bool agree(const Harmonic& now, const Harmonic& before) {
  return agree(now.sine, before.sine, now.size()) && agree(now.cosine, before.cosine, now.size());
}

// Shears the point by amplitude sin(phase) in steps of a period.
class Oscillator {
 public:
  Oscillator(double frequency, double amplitude, std::int64_t steps)
      : amplitude_(amplitude), dt_(2 * std::numbers::pi / frequency / double(steps)) {
    for (std::int64_t k = 0; k <= steps; ++k) {
      const double phase = 2 * std::numbers::pi * double(k % steps) / double(steps);
      sine_.push_back(std::sin(phase)), cosine_.push_back(std::cos(phase));
    }
  }

  // the response of the next period, by the trapezoidal rule                                           (RHE.6)
  Response period(MaterialPoint& point) const {
    point.set_dt(dt_);
    Response sum;
    const std::size_t steps = sine_.size() - 1;
    for (std::size_t k = 0; k <= steps; ++k) {
      if (k > 0) point.advance(shear_increment(amplitude_ * (sine_[k] - sine_[k - 1])));
      const double weight = k == 0 || k == steps ? 0.5 : 1, s = sine_[k], c = cosine_[k];
      const double part = 2 * weight * point.stress().s12 / (double(steps) * amplitude_);
      sum.first.sine += part * s, sum.first.cosine += part * c;
      sum.third.sine += part * s * (3 - 4 * s * s), sum.third.cosine += part * c * (4 * c * c - 3);
    }
    return sum;
  }

 private:
  double amplitude_, dt_;
  std::vector<double> sine_, cosine_;
};

struct Periodic {
  Response response;
  bool steady = false;
};

// goes on in `steps` per period until the moduli of two successive periods agree
Periodic settle(MaterialPoint& point, double frequency, double strain, std::int64_t steps) {
  const Oscillator oscillator(frequency, strain, steps);
  const double periods = std::clamp(most_flow_steps / double(steps), 2.0, most_periods);
  Periodic found{oscillator.period(point)};
  for (int k = 1; k < int(periods) && !found.steady; ++k) {
    const Response next = oscillator.period(point);
    found = {next, agree(next.first, found.response.first)};
  }
  return found;
}

OscillationPoint point_of(double frequency, const Harmonic& first, const Periodic& last) {
  const double size = last.response.first.size();
  return {frequency, first.sine, first.cosine, size > 0 ? last.response.third.size() / size : 0, last.steady};
}

}  // namespace

OscillationPoint oscillation(const Material& material, double frequency, const OscillationOptions& options) {
  DOLLOP_ASSERT(frequency > 0 && options.strain > 0 && options.dt >= 0);
  MaterialPoint point(material);
  if (options.dt > 0) {
    const std::int64_t steps = std::llround(2 * std::numbers::pi / frequency / options.dt);
    const Periodic found =
        settle(point, frequency, options.strain, std::max<std::int64_t>(fewest_period_steps, steps));
    return point_of(frequency, found.response.first, found);
  }
  const double most_shear = 2 * std::numbers::pi * options.strain;  // in a step: that times 1/steps
  const double allowed = 2 * std::numbers::pi / frequency / point.stiffness().longest_step;
  const auto steps = std::int64_t(std::max(
      least_steps, std::ceil(std::min(std::max(most_shear / strain_step, allowed), most_flow_steps))));
  const Periodic coarse = settle(point, frequency, options.strain, steps);
  if (!coarse.steady) return point_of(frequency, coarse.response.first, coarse);
  const Periodic fine = settle(point, frequency, options.strain, 2 * steps);
  const Harmonic &f = fine.response.first, &c = coarse.response.first;
  // extrapolated                                                                                             (RHE.3)
  return point_of(frequency, {2 * f.sine - c.sine, 2 * f.cosine - c.cosine}, fine);
}

}  // namespace dollop
