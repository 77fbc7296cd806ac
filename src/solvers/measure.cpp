// Sums and fingerprints of the state.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/hash.h"
#include "core/parallel.h"
#include "solvers/gauges.h"
#include "solvers/particle_order.h"
#include "solvers/particle_sums.h"
#include "solvers/runner.h"

namespace dollop {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Metrics no_particles() {
  Metrics m;
  m.bounds_min = {infinity, infinity, infinity}, m.bounds_max = {-infinity, -infinity, -infinity};
  m.min_J = infinity, m.max_J = -infinity;
  return m;
}

// adds the sums of a part of the particles to those of the parts before it
void add(const Metrics& part, Metrics& m) {
  m.mass += part.mass;
  m.kinetic_energy += part.kinetic_energy;
  m.elastic_energy += part.elastic_energy;
  m.max_speed = std::max(m.max_speed, part.max_speed);
  m.min_J = std::min(m.min_J, part.min_J), m.max_J = std::max(m.max_J, part.max_J);
  for (std::size_t d = 0; d < 3; ++d) {
    m.momentum[d] += part.momentum[d];
    m.angular_momentum[d] += part.angular_momentum[d];
    m.center_of_mass[d] += part.center_of_mass[d];
    m.bounds_min[d] = std::min(m.bounds_min[d], part.bounds_min[d]);
    m.bounds_max[d] = std::max(m.bounds_max[d], part.bounds_max[d]);
  }
}

// what one particle adds; `inertia` is D of APIC [m^2]
template <class S>
void add_particle(const ParticleGroup<S>& group, std::size_t i, const Double3& x, double inertia,
                  Metrics& m) {
  const double mass = group.reals(ParticleGroup<S>::mass)[i];
  Double3 v;
  double speed2 = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    v[d] = group.reals(ParticleGroup<S>::velocity + int(d))[i];
    speed2 += v[d] * v[d];
    m.momentum[d] += mass * v[d];
    m.center_of_mass[d] += mass * x[d];
    m.bounds_min[d] = std::min(m.bounds_min[d], x[d]);
    m.bounds_max[d] = std::max(m.bounds_max[d], x[d]);
  }
  m.mass += mass;
  m.kinetic_energy += 0.5 * mass * speed2;
  m.max_speed = std::max(m.max_speed, std::sqrt(speed2));
  const Double3 turning = angular_momentum(group, i, x, mass, inertia);
  for (std::size_t d = 0; d < 3; ++d) m.angular_momentum[d] += turning[d];
}

}  // namespace

template <class S>
Metrics Runner<S>::metrics() const {
  Metrics m = no_particles();
  const double inertia = affine_inertia(scene_.settings);
  const ParticleStore<S>& store = state_.particles;
  for (std::size_t g = 0; g < store.groups().size(); ++g) {
    const auto& first = store.begin(int(g));
    const auto sum_blocks = [&](std::size_t begin, std::size_t end, Metrics& part) {
      for (std::size_t b = begin; b < end; ++b)
        for (std::size_t i = first[b]; i < first[b + 1]; ++i)
          add_particle(store.groups()[g], i, store.position(int(g), b, i), inertia, part);
    };
    for (const Metrics& part : sums_of_pieces(first.size() - 1, 64, no_particles(), sum_blocks)) add(part, m);
    add_energy(g, m);
  }
  for (std::size_t g = 0; g < store.groups().size(); ++g)
    if (const int weak = mpm_.materials[g].weak_array; weak >= 0)
      m.weak += std::uint64_t(std::count(store.groups()[g].reals(weak),
                                         store.groups()[g].reals(weak) + store.groups()[g].size(), S(1)));
  for (double& c : m.center_of_mass) c /= m.mass > 0 ? m.mass : 1;
  if (store.size() == 0) m.bounds_min = m.bounds_max = {0, 0, 0}, m.min_J = m.max_J = 1;
  add_tally(m);
  return m;
}

template <class S>
void Runner<S>::add_tally(Metrics& m) const {
  const Tally& tally = state_.tally;
  m.time = state_.time;
  m.steps = state_.steps;
  m.particles = state_.particles.size();
  m.dt_min = tally.dt_min, m.dt_max = tally.dt_max;
  m.emitted = tally.emitted;
  m.inserted = tally.inserted, m.merged = tally.merged, m.removed = tally.removed;
  m.removed_mass = tally.removed_mass;
  m.resample_energy = tally.resample_energy;
  m.resample_angular_momentum = tally.resample_angular_momentum;
  m.rejected_steps = tally.rejected;
  m.newton_iterations = tally.newton_iterations;
  m.solver_iterations = tally.linear_iterations;
  m.newton_residual = tally.newton_residual;
  m.mass_error =
      tally.added_mass > 0 ? std::fabs(m.mass + m.removed_mass - tally.added_mass) / tally.added_mass : 0;
  const double span = state_.time - tally.interval_start;
  for (std::size_t c = 0; c < scene_.colliders.size(); ++c) {
    if (scene_.colliders[c].name.empty()) continue;
    ContactForce force{scene_.colliders[c].name};
    for (std::size_t d = 0; d < 3 && span > 0; ++d) {
      force.force[d] = tally.impacts[c].impulse[d] / span;
      force.torque[d] = tally.impacts[c].moment[d] / span;
    }
    m.contact_forces.push_back(force);
  }
  m.gauges = read_gauges(scene_, state_);
  for (std::size_t g = 0; g < m.gauges.size() && span > 0; ++g)
    m.gauges[g].flow = (m.gauges[g].mass - tally.gauge_masses[g]) / span;
}

// Elastic energy and volume ratios of a group, by the model's double version: in float the energy of small
// strains would be a difference of nearly equal numbers.
template <class S>
void Runner<S>::add_energy(std::size_t g, Metrics& m) const {
  const ParticleGroup<S>& group = state_.particles.groups()[g];
  const MaterialKernels<double>& model =
      material_kernels<double>(*isa_, find_model(scene_.materials[g].model), mpm_.materials[g].tears());
  alignas(64) std::array<std::byte, max_law_bytes> law;
  model.make_law(mpm_.materials[g].parameters.data(), 1, law.data());
  const std::size_t first = std::size_t(group.state_array()),
                    width = std::size_t(group.array_count()) - first;
  const auto sum_energy = [&](std::size_t begin, std::size_t end, Metrics& part) {
    std::vector<std::array<double, 16>> columns(width);
    std::vector<double*> pointers;
    for (auto& column : columns) pointers.push_back(column.data());
    double density[16], ratio[16];
    for (std::size_t i = begin; i < end; i += 16) {
      const std::size_t n = std::min<std::size_t>(16, end - i);
      for (std::size_t c = 0; c < width; ++c)
        std::copy_n(group.reals(int(first + c)) + i, n, columns[c].begin());
      model.energy(law.data(), pointers.data(), 0, density);
      model.volume_ratio(law.data(), pointers.data(), 0, ratio);
      for (std::size_t k = 0; k < n; ++k) {
        part.elastic_energy += double(group.reals(ParticleGroup<S>::volume)[i + k]) * density[k];
        part.min_J = std::min(part.min_J, ratio[k]), part.max_J = std::max(part.max_J, ratio[k]);
      }
    }
  };
  for (const Metrics& part : sums_of_pieces(group.size(), 1 << 14, no_particles(), sum_energy)) add(part, m);
}

template <class S>
std::uint64_t Runner<S>::state_hash() const {
  const ParticleStore<S>& store = state_.particles;
  const auto rows = rows_by_id(store);
  std::vector<std::uint64_t> hash(store.size());
  for (std::size_t g = 0; g < store.groups().size(); ++g) {
    const ParticleGroup<S>& group = store.groups()[g];
    const auto& first = store.begin(int(g));
    parallel_for(first.size() - 1, 64, [&](std::size_t b) {
      for (std::size_t i = first[b]; i < first[b + 1]; ++i) {
        std::uint64_t h = combine(group.ids()[i], g);
        for (const double a : store.position(int(g), b, i)) h = combine(h, std::bit_cast<std::uint64_t>(a));
        for (int k = ParticleGroup<S>::velocity; k < group.array_count(); ++k)
          h = combine(h, std::bit_cast<std::uint64_t>(double(group.reals(k)[i])));
        hash[rows[g][i]] = h;
      }
    });
  }
  std::uint64_t total = mix(std::bit_cast<std::uint64_t>(state_.time));
  for (const std::uint64_t h : hash) total = combine(total, h);
  return total;
}

template void Runner<float>::add_energy(std::size_t, Metrics&) const;
template void Runner<double>::add_energy(std::size_t, Metrics&) const;
template void Runner<float>::add_tally(Metrics&) const;
template void Runner<double>::add_tally(Metrics&) const;
template Metrics Runner<float>::metrics() const;
template Metrics Runner<double>::metrics() const;
template std::uint64_t Runner<float>::state_hash() const;
template std::uint64_t Runner<double>::state_hash() const;

}  // namespace dollop
