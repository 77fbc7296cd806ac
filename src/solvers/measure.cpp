// Sums, fingerprints and copies of the state.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "core/hash.h"
#include "math/bspline.h"
#include "solvers/runner.h"

namespace dollop {
namespace {

// calls visit(group, block, i) for every sorted particle: all but those added since the last step
template <class S, class Visit>
void each_particle(const ParticleStore<S>& store, Visit&& visit) {
  for (std::size_t g = 0; g < store.groups().size(); ++g)
    store.each(int(g), [&](std::size_t block, std::size_t i) { visit(g, block, i); });
}

template <class S>
std::vector<std::size_t> order_by_id(const ParticleGroup<S>& group) {
  std::vector<std::size_t> order(group.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return group.ids()[a] < group.ids()[b]; });
  return order;
}

}  // namespace

template <class S>
Metrics Runner<S>::metrics() const {
  Metrics m;
  m.time = state_.time;
  m.steps = state_.steps;
  m.particles = state_.particles.size();
  constexpr double inf = std::numeric_limits<double>::infinity();
  m.bounds_min = {inf, inf, inf}, m.bounds_max = {-inf, -inf, -inf};
  m.min_J = inf, m.max_J = -inf;
  const double h = scene_.settings.cell_size;
  const double inertia =
      h * h /
      (scene_.settings.kernel == Kernel::cubic ? BSpline<4>::inverse_inertia : BSpline<3>::inverse_inertia);
  each_particle(state_.particles, [&](std::size_t g, std::size_t block, std::size_t i) {
    const ParticleGroup<S>& group = state_.particles.groups()[g];
    const Double3 x = state_.particles.position(int(g), block, i);
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
    for (std::size_t d = 0; d < 3; ++d) {
      const std::size_t e = (d + 1) % 3, f = (d + 2) % 3;
      m.angular_momentum[d] += mass * (x[e] * v[f] - x[f] * v[e]);
      // APIC's own spin: m D (C_fe - C_ef) (MPM.11)
      if (group.affine_array() >= 0)
        m.angular_momentum[d] += mass * inertia *
                                 (double(group.reals(group.affine_array() + int(3 * f + e))[i]) -
                                  double(group.reals(group.affine_array() + int(3 * e + f))[i]));
    }
  });
  for (double& c : m.center_of_mass) c /= m.mass > 0 ? m.mass : 1;

  for (std::size_t g = 0; g < mpm_.materials.size(); ++g) add_energy(g, m);
  return m;
}

// Elastic energy and volume ratios of a group, by the model's double version: in float the energy of small
// strains would be a difference of nearly equal numbers.
template <class S>
void Runner<S>::add_energy(std::size_t g, Metrics& m) const {
  const ParticleGroup<S>& group = state_.particles.groups()[g];
  const MaterialKernels<double>& model =
      material_kernels<double>(*isa_, find_model(scene_.materials[g].model));
  alignas(64) std::array<std::byte, max_law_bytes> law;
  model.make_law(mpm_.materials[g].parameters.data(), 1, law.data());
  const std::size_t first = std::size_t(group.state_array());
  std::vector<std::array<double, 16>> columns(std::size_t(group.array_count()) - first);
  std::vector<double*> pointers;
  for (auto& column : columns) pointers.push_back(column.data());
  double density[16], ratio[16];
  for (std::size_t i = 0; i < group.size(); i += 16) {
    const std::size_t n = std::min<std::size_t>(16, group.size() - i);
    for (std::size_t c = 0; c < columns.size(); ++c)
      std::copy_n(group.reals(int(first + c)) + i, n, columns[c].begin());
    model.energy(law.data(), pointers.data(), 0, density);
    model.volume_ratio(law.data(), pointers.data(), 0, ratio);
    for (std::size_t k = 0; k < n; ++k) {
      m.elastic_energy += double(group.reals(ParticleGroup<S>::volume)[i + k]) * density[k];
      m.min_J = std::min(m.min_J, ratio[k]), m.max_J = std::max(m.max_J, ratio[k]);
    }
  }
}

template <class S>
std::uint64_t Runner<S>::state_hash() const {
  std::uint64_t total = mix(std::bit_cast<std::uint64_t>(state_.time));
  std::vector<std::uint64_t> position_hash;
  for (std::size_t g = 0; g < state_.particles.groups().size(); ++g) {
    const ParticleGroup<S>& group = state_.particles.groups()[g];
    position_hash.assign(group.size(), 0);
    state_.particles.each(int(g), [&](std::size_t block, std::size_t i) {
      const Double3 x = state_.particles.position(int(g), block, i);
      for (double a : x) position_hash[i] = combine(position_hash[i], std::bit_cast<std::uint64_t>(a));
    });
    for (const std::size_t i : order_by_id(group)) {
      std::uint64_t h = combine(group.ids()[i], position_hash[i]);
      for (int k = ParticleGroup<S>::velocity; k < group.array_count(); ++k)
        h = combine(h, std::bit_cast<std::uint64_t>(double(group.reals(k)[i])));
      total = combine(total, h);
    }
  }
  return total;
}

template <class S>
ParticleData Runner<S>::particles(const std::string& material) const {
  const int g = group_of(material);
  const ParticleGroup<S>& group = state_.particles.groups()[std::size_t(g)];
  std::vector<Double3> position(group.size());
  state_.particles.each(
      g, [&](std::size_t block, std::size_t i) { position[i] = state_.particles.position(g, block, i); });
  ParticleData data;
  for (const std::size_t i : order_by_id(group)) {
    data.id.push_back(group.ids()[i]);
    data.position.push_back(position[i]);
    const auto real = [&](int k) { return double(group.reals(k)[i]); };
    data.velocity.push_back({real(3), real(4), real(5)});
    data.mass.push_back(real(ParticleGroup<S>::mass));
    data.volume.push_back(real(ParticleGroup<S>::volume));
    for (const Column& column : group.columns()) {
      if (column.first < ParticleGroup<S>::fixed_columns) continue;
      auto& out = data.state[column.name];
      out.resize(std::size_t(column.components));
      for (int k = 0; k < column.components; ++k) out[std::size_t(k)].push_back(real(column.first + k));
    }
  }
  return data;
}

template void Runner<float>::add_energy(std::size_t, Metrics&) const;
template void Runner<double>::add_energy(std::size_t, Metrics&) const;
template Metrics Runner<float>::metrics() const;
template Metrics Runner<double>::metrics() const;
template std::uint64_t Runner<float>::state_hash() const;
template std::uint64_t Runner<double>::state_hash() const;
template ParticleData Runner<float>::particles(const std::string&) const;
template ParticleData Runner<double>::particles(const std::string&) const;

}  // namespace dollop
