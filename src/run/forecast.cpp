// What emitters will add to a scene, and how long a run still takes.
#include <dollop/run.h>

#include <algorithm>
#include <cmath>

#include "particles/emission.h"
#include "particles/emission_flow.h"
#include "run/remaining_time.h"

namespace dollop {
namespace {

constexpr std::size_t intervals = 256;

// the part of its material that an emitter lets out until a time
double share_until(const Emitter& emitter, double time, double end) {
  const auto amount = [&](double t) {
    return emitter.every > 0 ? copies_until(emitter, t)
                             : flow_length(emitter.speed, emitter.from, std::min(t, emitter.until));
  };
  const double all = amount(end);
  return all > 0 ? std::clamp(amount(time) / all, 0.0, 1.0) : 0;
}

// a table of equal intervals from 0 to `end`, read between its entries
double interpolated(const std::vector<double>& table, double end, double time) {
  if (table.empty()) return 0;
  const double at = std::clamp(time / end, 0.0, 1.0) * double(table.size() - 1);
  const std::size_t k = std::min(std::size_t(at), table.size() - 2);
  return table[k] + (at - double(k)) * (table[k + 1] - table[k]);
}

}  // namespace

ParticleForecast::ParticleForecast(const Scene& scene) : duration_(scene.settings.duration) {
  if (scene.emitters.empty()) return;
  emitted_.assign(intervals + 1, 0), emission_.assign(intervals + 1, 0);
  const double step = duration_ / double(intervals), cell = std::pow(scene.settings.cell_size, 3);
  for (const Emitter& emitter : scene.emitters) {
    const double all = expected_volume(emitter, duration_) * emitter.particles_per_cell / cell;
    for (std::size_t k = 0; k <= intervals && all > 0; ++k)
      emitted_[k] += all * share_until(emitter, step * double(k), duration_);
  }
  for (std::size_t k = 1; k <= intervals; ++k)
    emission_[k] = emission_[k - 1] + 0.5 * step * (emitted_[k - 1] + emitted_[k]);
}

double ParticleForecast::emitted(double time) const { return interpolated(emitted_, duration_, time); }
double ParticleForecast::emission(double time) const { return interpolated(emission_, duration_, time); }

void RemainingTime::add(double dt, double particles) { done_ += dt * (particles + overhead); }

double RemainingTime::estimate(double elapsed, double time, double end, double particles) const {
  if (!(done_ > 0)) return -1;
  const double rest = std::max(0.0, end - time);
  const double coming = forecast_.emission(end) - forecast_.emission(time) - rest * forecast_.emitted(time);
  return elapsed / done_ * (rest * (particles + overhead) + std::max(0.0, coming));
}

}  // namespace dollop
