// Sums and fingerprints of the state.
#include <algorithm>
#include <bit>
#include <cmath>

#include "core/hash.h"
#include "core/parallel.h"
#include "solvers/gauges.h"
#include "solvers/particle_order.h"
#include "solvers/particle_sums.h"
#include "solvers/runner.h"
#include "solvers/scene_space.h"

namespace dollop {
namespace {

// Sums over a part of the particles.
struct Part {
  MotionSums motion;
  Double3 angular_momentum{};
};
struct EnergyPart {
  double energy = 0, min_J = MotionSums::infinity, max_J = -MotionSums::infinity;
  VolumeSums volume;
};

}  // namespace

template <class S>
Metrics Runner<S>::metrics() const {
  Metrics m;
  m.min_J = MotionSums::infinity, m.max_J = -MotionSums::infinity;
  MotionSums sum;
  VolumeSums volume;
  const double inertia = affine_inertia(scene_.settings);
  const ParticleStore<S>& store = state_.particles;
  for (std::size_t g = 0; g < store.groups().size(); ++g) {
    const auto& first = store.begin(int(g));
    const auto sum_blocks = [&](std::size_t begin, std::size_t end, Part& part) {
      const ParticleGroup<S>& group = store.groups()[g];
      for (std::size_t b = begin; b < end; ++b)
        for (std::size_t i = first[b]; i < first[b + 1]; ++i) {
          const Double3 x = in_domain(store.space(), store.position(int(g), b, i));
          part.motion.add(group, i, x);
          const double mass = group.reals(ParticleGroup<S>::mass)[i];
          const Double3 turning = angular_momentum(group, i, x, mass, inertia);
          for (std::size_t d = 0; d < 3; ++d) part.angular_momentum[d] += turning[d];
        }
    };
    for (const Part& part : sums_of_pieces(first.size() - 1, 64, Part{}, sum_blocks)) {
      sum.add(part.motion);
      for (std::size_t d = 0; d < 3; ++d) m.angular_momentum[d] += part.angular_momentum[d];
    }
    volume.add(add_energy(g, m));
  }
  m.mass = sum.mass, m.kinetic_energy = sum.kinetic_energy, m.max_speed = sum.max_speed;
  m.momentum = sum.momentum, m.bounds_min = sum.bounds_min, m.bounds_max = sum.bounds_max;
  if (volume.rest > 0) m.mean_J = volume.now / volume.rest;
  for (std::size_t d = 0; d < 3; ++d) m.center_of_mass[d] = sum.moment[d] / (sum.mass > 0 ? sum.mass : 1);
  for (std::size_t g = 0; g < store.groups().size(); ++g)
    if (const int weak = mpm_.materials[g].weak_array; weak >= 0)
      m.weak += std::uint64_t(std::count(store.groups()[g].reals(weak),
                                         store.groups()[g].reals(weak) + store.groups()[g].size(), S(1)));
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
  m.max_increment = tally.max_increment;
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
// strains would be a difference of nearly equal numbers. Returns its volume.
template <class S>
VolumeSums Runner<S>::add_energy(std::size_t g, Metrics& m) const {
  const ParticleGroup<S>& group = state_.particles.groups()[g];
  const MaterialKernels<double>& model =
      material_kernels<double>(*isa_, find_model(scene_.materials[g].model), mpm_.materials[g].tears());
  alignas(64) std::array<std::byte, max_law_bytes> law;
  model.make_law(mpm_.materials[g].parameters.data(), 1, law.data());
  const std::size_t first = std::size_t(group.state_array()),
                    width = std::size_t(group.array_count()) - first;
  const auto sum_energy = [&](std::size_t begin, std::size_t end, EnergyPart& part) {
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
        const double volume = group.reals(ParticleGroup<S>::volume)[i + k];
        part.energy += volume * density[k];
        part.volume.add({volume, volume * ratio[k]});
        part.min_J = std::min(part.min_J, ratio[k]), part.max_J = std::max(part.max_J, ratio[k]);
      }
    }
  };
  VolumeSums volume;
  for (const EnergyPart& part : sums_of_pieces(group.size(), 1 << 14, EnergyPart{}, sum_energy)) {
    m.elastic_energy += part.energy;
    volume.add(part.volume);
    m.min_J = std::min(m.min_J, part.min_J), m.max_J = std::max(m.max_J, part.max_J);
  }
  return volume;
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

template VolumeSums Runner<float>::add_energy(std::size_t, Metrics&) const;
template VolumeSums Runner<double>::add_energy(std::size_t, Metrics&) const;
template void Runner<float>::add_tally(Metrics&) const;
template void Runner<double>::add_tally(Metrics&) const;
template Metrics Runner<float>::metrics() const;
template Metrics Runner<double>::metrics() const;
template std::uint64_t Runner<float>::state_hash() const;
template std::uint64_t Runner<double>::state_hash() const;

}  // namespace dollop
