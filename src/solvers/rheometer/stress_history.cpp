// Start-up and relaxation: the stress over time at a shear rate that is constant, or zero.
#include <algorithm>
#include <cmath>

#include "core/assert.h"
#include "solvers/rheometer/material_point.h"
#include "solvers/rheometer/rheometer.h"
#include "solvers/rheometer/stress_record.h"

namespace dollop {
namespace {

StressAtTime reading(double time, MaterialPoint& point) {
  const PointStress s = point.stress();
  return {time, s.s12, s.normal_difference()};
}

// The limit of small steps: they are a small part of the time since the beginning, so that they grow with it, and a small
// shear. There are `refinement` times as many as necessary. Once the stress is steady it stays.
class GrowingSteps {
 public:
  GrowingSteps(const MaterialPoint& point, double rate, int refinement)
      : point_(point), rate_(rate), refinement_(refinement) {}

  StressAtTime at(double time) {
    // long intervals in pieces, so that steps grow with time
    const double start = time_;
    const int pieces = start > 0 ? std::max(1, int(std::ceil(std::log2(time / start)))) : 1;
    for (int piece = 1; piece <= pieces && !steady_; ++piece)
      advance_to(piece == pieces ? time : start * std::pow(time / start, double(piece) / pieces));
    time_ = time;
    return reading(time, point_);
  }

 private:
  static constexpr double resolution = 2000;        // steps in the time that has gone by
  static constexpr double strain_resolution = 1e5;  // the same of strain, where it is large

  void advance_to(double end) {
    const double duration = end - time_, strain = rate_ * duration;
    const double largest = std::max(strain_step, rate_ * time_ / strain_resolution);
    const double needed = std::max({resolution * duration / (time_ > 0 ? time_ : end), strain / largest,
                                    duration / point_.stiffness().longest_step});
    const auto steps = std::int64_t(refinement_ * std::max(1.0, std::ceil(needed * (1 - 1e-12))));
    const double dt = duration / double(steps), shear = strain / double(steps);
    const auto every = std::int64_t(std::ceil(std::min(double(steps), sample_strain / shear * (1 - 1e-12))));
    point_.set_dt(dt);
    const auto increment = shear_increment(shear);
    for (std::int64_t k = 1; k <= steps && !steady_; ++k) {
      point_.advance(increment);
      if (rate_ == 0 || (k % every != 0 && k != steps)) continue;
      const PointStress s = point_.stress();
      record_.add(rate_ * (time_ + double(k) * dt), s.s12, s.normal_difference());
      steady_ = record_.steady();
    }
    time_ = end;
  }

  MaterialPoint point_;
  double rate_, time_ = 0;
  int refinement_;
  StressRecord record_;
  bool steady_ = false;
};

std::vector<StressAtTime> in_growing_steps(const MaterialPoint& point, double rate,
                                           const std::vector<double>& times, int refinement) {
  GrowingSteps steps(point, rate, refinement);
  std::vector<StressAtTime> history;
  for (const double time : times) history.push_back(steps.at(time));
  return history;
}

std::vector<StressAtTime> in_equal_steps(MaterialPoint point, double rate, const std::vector<double>& times,
                                         double dt) {
  const auto increment = shear_increment(rate * dt);
  point.set_dt(dt);
  std::vector<StressAtTime> history;
  std::int64_t done = 0;
  for (const double time : times) {
    for (const std::int64_t until = std::llround(time / dt); done < until; ++done) point.advance(increment);
    history.push_back(reading(double(done) * dt, point));
  }
  return history;
}

std::vector<StressAtTime> history_of(const MaterialPoint& point, double rate,
                                     const std::vector<double>& times, double dt) {
  DOLLOP_ASSERT(!times.empty() && times.front() > 0);
  if (dt > 0) return in_equal_steps(point, rate, times, dt);
  const auto coarse = in_growing_steps(point, rate, times, 1);
  auto history = in_growing_steps(point, rate, times, 2);
  for (std::size_t i = 0; i < history.size();
       ++i) {  // extrapolated                                       (RHE.3)
    history[i].stress = 2 * history[i].stress - coarse[i].stress;
    history[i].normal_difference = 2 * history[i].normal_difference - coarse[i].normal_difference;
  }
  return history;
}

}  // namespace

std::vector<StressAtTime> startup(const Material& material, const StartupOptions& options) {
  DOLLOP_ASSERT(options.rate > 0);
  return history_of(MaterialPoint(material), options.rate, options.times, options.dt);
}

std::vector<StressAtTime> relaxation(const Material& material, const RelaxationOptions& options) {
  DOLLOP_ASSERT(!options.times.empty() && options.strain > 0);
  const MaterialPoint sheared = sheared_at_once(material, options.strain, options.times.front());
  return history_of(sheared, 0, options.times, options.dt);
}

}  // namespace dollop
