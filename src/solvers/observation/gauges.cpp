#include "solvers/observation/gauges.h"

#include <limits>

#include "boundary/motion.h"
#include "boundary/shape_distance.h"
#include "solvers/setup/particle_sums.h"
#include "solvers/setup/scene_space.h"

namespace dollop {
namespace {

GaugeReading reading_of(const std::string& gauge, const MotionSums& sum) {
  GaugeReading r{.gauge = gauge, .particles = sum.particles, .mass = sum.mass};
  r.momentum = sum.momentum, r.kinetic_energy = sum.kinetic_energy, r.max_speed = sum.max_speed;
  r.bounds_min = sum.bounds_min, r.bounds_max = sum.bounds_max;
  for (std::size_t d = 0; d < 3; ++d) r.center_of_mass[d] = sum.moment[d] / sum.mass;
  if (sum.particles > 0) return r;
  const double none = std::numeric_limits<double>::quiet_NaN();
  r.center_of_mass = r.bounds_min = r.bounds_max = {none, none, none};
  return r;
}

template <class S>
GaugeReading read_gauge(const Gauge& gauge, const Scene& scene, const State<S>& state) {
  MotionSums sum;
  const Pose pose = pose_at(gauge.motion, state.time);
  const auto inside = [&](const Double3& x) {
    return !gauge.shape || signed_distance(*gauge.shape, to_body(pose, x), pose.time) < 0;
  };
  const ParticleStore<S>& store = state.particles;
  for (std::size_t g = 0; g < store.groups().size(); ++g) {
    if (!gauge.material.empty() && gauge.material != scene.materials[g].name) continue;
    const auto& first = store.begin(int(g));
    const auto sum_blocks = [&](std::size_t begin, std::size_t end, MotionSums& part) {
      for (std::size_t b = begin; b < end; ++b)
        for (std::size_t i = first[b]; i < first[b + 1]; ++i)
          if (const Double3 x = in_domain(store.space(), store.position(int(g), b, i)); inside(x))
            part.add(store.groups()[g], i, x);
    };
    for (const MotionSums& part : sums_of_pieces(first.size() - 1, 64, MotionSums{}, sum_blocks))
      sum.add(part);
  }
  return reading_of(gauge.name, sum);
}

}  // namespace

template <class S>
std::vector<GaugeReading> read_gauges(const Scene& scene, const State<S>& state) {
  std::vector<GaugeReading> readings;
  for (const Gauge& gauge : scene.gauges) readings.push_back(read_gauge(gauge, scene, state));
  return readings;
}

template std::vector<GaugeReading> read_gauges(const Scene&, const State<float>&);
template std::vector<GaugeReading> read_gauges(const Scene&, const State<double>&);

}  // namespace dollop
