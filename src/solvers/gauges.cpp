#include "solvers/gauges.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "boundary/motion.h"
#include "boundary/shape_distance.h"
#include "solvers/particle_sums.h"

namespace dollop {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(),
                 not_a_number = std::numeric_limits<double>::quiet_NaN();

GaugeReading nothing() {
  GaugeReading r;
  r.bounds_min = {infinity, infinity, infinity}, r.bounds_max = {-infinity, -infinity, -infinity};
  return r;
}

void add(const GaugeReading& part, GaugeReading& r) {
  r.particles += part.particles;
  r.mass += part.mass;
  r.kinetic_energy += part.kinetic_energy;
  r.max_speed = std::max(r.max_speed, part.max_speed);
  for (std::size_t d = 0; d < 3; ++d) {
    r.momentum[d] += part.momentum[d];
    r.center_of_mass[d] += part.center_of_mass[d];
    r.bounds_min[d] = std::min(r.bounds_min[d], part.bounds_min[d]);
    r.bounds_max[d] = std::max(r.bounds_max[d], part.bounds_max[d]);
  }
}

// the centre is a sum of m x until all are there
template <class S>
GaugeReading reading_of(const ParticleGroup<S>& group, std::size_t i, const Double3& x) {
  GaugeReading r;
  r.particles = 1;
  r.mass = group.reals(ParticleGroup<S>::mass)[i];
  r.bounds_min = r.bounds_max = x;
  double speed2 = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    const double v = group.reals(ParticleGroup<S>::velocity + int(d))[i];
    speed2 += v * v;
    r.momentum[d] = r.mass * v;
    r.center_of_mass[d] = r.mass * x[d];
  }
  r.kinetic_energy = 0.5 * r.mass * speed2;
  r.max_speed = std::sqrt(speed2);
  return r;
}

// the place of a particle within the domain on periodic axes, where blocks may lie across its border
Double3 in_domain(const BlockSpace& space, Double3 x) {
  for (std::size_t d = 0; d < 3; ++d)
    if (const double length = 4 * space.cell_size * space.period[d]; length > 0)
      x[d] -= length * std::floor((x[d] - space.origin[d]) / length);
  return x;
}

template <class S>
GaugeReading read_gauge(const Gauge& gauge, const Scene& scene, const State<S>& state) {
  GaugeReading sum = nothing();
  const Pose pose = pose_at(gauge.motion, state.time);
  const auto inside = [&](const Double3& x) {
    return !gauge.shape || signed_distance(*gauge.shape, to_body(pose, x), pose.time) < 0;
  };
  const ParticleStore<S>& store = state.particles;
  for (std::size_t g = 0; g < store.groups().size(); ++g) {
    if (!gauge.material.empty() && gauge.material != scene.materials[g].name) continue;
    const auto& first = store.begin(int(g));
    const auto sum_blocks = [&](std::size_t begin, std::size_t end, GaugeReading& part) {
      for (std::size_t b = begin; b < end; ++b)
        for (std::size_t i = first[b]; i < first[b + 1]; ++i)
          if (const Double3 x = in_domain(store.space(), store.position(int(g), b, i)); inside(x))
            add(reading_of(store.groups()[g], i, x), part);
    };
    for (const GaugeReading& part : sums_of_pieces(first.size() - 1, 64, nothing(), sum_blocks))
      add(part, sum);
  }
  for (double& c : sum.center_of_mass) c /= sum.mass;
  if (sum.particles == 0)
    sum.center_of_mass = sum.bounds_min = sum.bounds_max = {not_a_number, not_a_number, not_a_number};
  sum.gauge = gauge.name;
  return sum;
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
