#include "solvers/observation/measure.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/denormals.h"
#include "core/hash.h"
#include "core/parallel.h"
#include "solvers/observation/body_meshes.h"
#include "solvers/observation/gauges.h"
#include "solvers/observation/velocity_noise.h"
#include "solvers/setup/particle_order.h"
#include "solvers/setup/particle_sums.h"
#include "solvers/setup/scene_space.h"

namespace dollop {
namespace {

// Sums over particles of V and of V J; of V and of V |J - 1| over those that are not torn [m^3]
struct VolumeSums {
  double rest = 0, now = 0, intact = 0, change = 0;
  void add(double volume, double J, bool torn) {
    rest += volume, now += volume * J;
    if (!torn) intact += volume, change += volume * std::fabs(J - 1);
  }
  void add(const VolumeSums& other) {
    rest += other.rest, now += other.now, intact += other.intact, change += other.change;
  }
};

// Sums over a part of the particles.
struct Part {
  MotionSums motion;
  Double3 angular_momentum{};
  double affine_energy = 0;
};
struct EnergyPart {
  double energy = 0, min_J = MotionSums::infinity, max_J = -MotionSums::infinity;
  VolumeSums volume;
};

template <class S>
void add_tally(const Setup<S>& setup, const State<S>& state, Metrics& m) {
  const Tally& tally = state.tally;
  m.time = state.time;
  m.steps = state.steps;
  m.particles = state.particles.size();
  m.dt_min = tally.dt_min, m.dt_max = tally.dt_max;
  m.emitted = tally.emitted;
  m.inserted = tally.inserted, m.merged = tally.merged, m.removed = tally.removed;
  m.removed_mass = tally.removed_mass;
  m.resample_energy = tally.resample_energy;
  m.resample_angular_momentum = tally.resample_angular_momentum;
  m.rejected_steps = tally.rejected;
  m.outer_iterations = tally.outer_iterations;
  m.inner_iterations = tally.inner_iterations;
  m.residual = tally.residual;
  m.max_increment = tally.max_increment;
  m.mass_error =
      tally.added_mass > 0 ? std::fabs(m.mass + m.removed_mass - tally.added_mass) / tally.added_mass : 0;
  const double span = state.time - tally.interval_start;
  for (std::size_t c = 0; c < setup.colliders.size(); ++c) {
    if (setup.colliders[c].name.empty()) continue;
    ContactForce force{setup.colliders[c].name};
    for (std::size_t d = 0; d < 3 && span > 0; ++d) {
      force.force[d] = tally.impacts[c].impulse[d] / span;
      force.torque[d] = tally.impacts[c].moment[d] / span;
    }
    m.contact_forces.push_back(force);
  }
  m.gauges = read_gauges(setup.scene, state);
  for (std::size_t g = 0; g < m.gauges.size() && span > 0; ++g)
    m.gauges[g].flow = (m.gauges[g].mass - tally.gauge_masses[g]) / span;
}

// Elastic energy and volume ratios of a group, by the model's double version: in float the energy of small
// strains would be a difference of nearly equal numbers. Returns its volume.
template <class S>
VolumeSums add_energy(const Setup<S>& setup, const ParticleGroup<S>& group,
                      const MaterialBinding<S>& material, Metrics& m) {
  const MaterialKernels<double>& model =
      *setup.isa->template loops<double>().material(material.model, material.tears());
  LawBytes law;
  model.make_law(material.parameters.data(), law.data());
  const ArrayRange arrays = group.state_arrays();
  const S* weak = material.tears() ? group.reals(material.weak_array) : nullptr;
  const auto sum_energy = [&](std::size_t begin, std::size_t end, EnergyPart& part) {
    std::vector<std::array<double, chunk_size>> columns(std::size_t(arrays.size()));
    std::vector<double*> pointers;
    for (auto& column : columns) pointers.push_back(column.data());
    double density[chunk_size], ratio[chunk_size];
    const FlushDenormals flush;
    for (std::size_t i = begin; i < end; i += chunk_size) {
      const std::size_t n = std::min<std::size_t>(chunk_size, end - i);
      for (int c = 0; c < arrays.size(); ++c)
        std::copy_n(group.reals(arrays.begin + c) + i, n, columns[std::size_t(c)].begin());
      model.energy(law.data(), pointers.data(), 0, density);
      model.volume_ratio(law.data(), pointers.data(), 0, ratio);
      for (std::size_t k = 0; k < n; ++k) {
        const double volume = group.reals(ParticleGroup<S>::volume)[i + k];
        part.energy += volume * density[k];
        part.volume.add(volume, ratio[k], weak && weak[i + k] == S(1));
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

}  // namespace

template <class S>
Metrics measure(const Setup<S>& setup, const State<S>& state) {
  Metrics m;
  m.min_J = MotionSums::infinity, m.max_J = -MotionSums::infinity;
  MotionSums sum;
  VolumeSums volume;
  const double inertia = affine_inertia(setup.settings());
  const ParticleStore<S>& store = state.particles;
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
          part.affine_energy += affine_energy(group, i, mass, inertia);
        }
    };
    for (const Part& part : sums_of_pieces(first.size() - 1, 64, Part{}, sum_blocks)) {
      sum.add(part.motion);
      for (std::size_t d = 0; d < 3; ++d) m.angular_momentum[d] += part.angular_momentum[d];
      m.affine_energy += part.affine_energy;
    }
    const VolumeSums of_group = add_energy(setup, store.groups()[g], setup.materials[g], m);
    volume.add(of_group);
    m.volume_changes.push_back(
        {setup.scene.materials[g].name, of_group.intact > 0 ? of_group.change / of_group.intact : 0});
  }
  m.mass = sum.mass, m.kinetic_energy = sum.kinetic_energy, m.max_speed = sum.max_speed;
  m.velocity_noise = velocity_noise(store);
  m.momentum = sum.momentum, m.bounds_min = sum.bounds_min, m.bounds_max = sum.bounds_max;
  if (volume.rest > 0) m.mean_J = volume.now / volume.rest;
  for (std::size_t d = 0; d < 3; ++d) m.center_of_mass[d] = sum.moment[d] / (sum.mass > 0 ? sum.mass : 1);
  for (std::size_t g = 0; g < store.groups().size(); ++g)
    if (const int weak = setup.materials[g].weak_array; weak >= 0)
      m.weak += std::uint64_t(std::count(store.groups()[g].reals(weak),
                                         store.groups()[g].reals(weak) + store.groups()[g].size(), S(1)));
  if (store.size() == 0) m.bounds_min = m.bounds_max = {0, 0, 0}, m.min_J = m.max_J = 1;
  m.mesh_gaps = measure_gaps(setup, state);
  add_tally(setup, state, m);
  return m;
}

template <class S>
void new_interval(const Setup<S>& setup, State<S>& state) {
  Tally& tally = state.tally;
  tally.interval_start = state.time;
  tally.dt_min = tally.dt_max = tally.residual = tally.max_increment = 0;
  std::fill(tally.impacts.begin(), tally.impacts.end(), Impact{});
  tally.gauge_masses.clear();
  for (const GaugeReading& reading : read_gauges(setup.scene, state))
    tally.gauge_masses.push_back(reading.mass);
}

template <class S>
std::uint64_t hash_of(const State<S>& state) {
  const ParticleStore<S>& store = state.particles;
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
  std::uint64_t total = mix(std::bit_cast<std::uint64_t>(state.time));
  for (const std::uint64_t h : hash) total = combine(total, h);
  for (const MeshPoints& mesh : state.meshes)
    for (const std::vector<Double3>* vectors : {&mesh.x, &mesh.v})
      for (const Double3& a : *vectors)
        for (const double number : a) total = combine(total, std::bit_cast<std::uint64_t>(number));
  return total;
}

#define DOLLOP_INSTANTIATE(S)                                 \
  template Metrics measure(const Setup<S>&, const State<S>&); \
  template void new_interval(const Setup<S>&, State<S>&);     \
  template std::uint64_t hash_of(const State<S>&);
DOLLOP_INSTANTIATE(float)
DOLLOP_INSTANTIATE(double)

}  // namespace dollop
