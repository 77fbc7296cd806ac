#include "solvers/phases/state_guard.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/denormals.h"
#include "core/parallel.h"
#include "solvers/phases/step_grid.h"

namespace dollop {
namespace {

constexpr double stress_unit =
    1e15;  // [Pa]: within bounds, stresses are below 1e30, far from the end of float

// The largest of many numbers; NaN counts as infinite.
struct Largest {
  double value = 1;
  void add(double x) {
    if (!(x <= value)) value = std::isnan(x) ? std::numeric_limits<double>::infinity() : x;
  }
};

template <class S>
double extent_of(const MaterialBinding<S>& material, S* const* columns, int column_count, std::size_t begin,
                 std::size_t end) {
  alignas(64) S ratio[chunk_size], tau[6 * chunk_size], strain[6 * chunk_size];
  Largest extent;
  const FlushDenormals flush;
  for (std::size_t i = begin; i < end; i += chunk_size) {
    material.kernels->volume_ratio(material.law.data(), columns, i, ratio);
    material.kernels->stress(material.law.data(), columns, i, tau);
    material.kernels->strain(material.law.data(), columns, i, strain);
    for (std::size_t p = 0; p < std::min<std::size_t>(chunk_size, end - i); ++p) {
      const double j = double(ratio[p]) > 0 ? double(ratio[p]) : std::numeric_limits<double>::quiet_NaN();
      extent.add(j), extent.add(1 / j);
      for (std::size_t c = 0; c < 6; ++c) {
        extent.add(std::fabs(double(strain[chunk_size * c + p])));
        extent.add(std::fabs(double(tau[chunk_size * c + p])) / (j * stress_unit));
      }
      for (int c = 0; c < column_count; ++c)
        if (!std::isfinite(columns[c][i + p])) extent.add(std::numeric_limits<double>::infinity());
    }
  }
  return extent.value;
}

}  // namespace

template <class S>
double extent_of(const Setup<S>& setup, State<S>& state) {
  constexpr std::size_t piece = 1 << 12;  // particles per parallel task
  Largest extent;
  for (std::size_t g = 0; g < setup.materials.size(); ++g) {
    ParticleGroup<S>& group = state.particles.groups()[g];
    S* const* columns = group.state_pointers();
    std::vector<double> extents((group.size() + piece - 1) / piece);
    parallel_for(extents.size(), 1, [&](std::size_t k) {
      extents[k] = extent_of(setup.materials[g], columns, group.state_arrays().size(), piece * k,
                             std::min(group.size(), piece * (k + 1)));
    });
    for (const double e : extents) extent.add(e);
  }
  return extent.value;
}

template <class S>
StateGuard<S>::StateGuard(const Setup<S>& setup, State<S>& state) {
  constexpr double most = state_growth * max_strain_increment;  // in a step
  if (state.headroom < most) state.headroom = std::log(max_extent / extent_of(setup, state));
  if (state.headroom >= most) return;
  for (const ParticleGroup<S>& group : state.particles.groups()) {
    auto& arrays = copy_.emplace_back();
    for (int k = 0; k < group.array_count(); ++k) {
      arrays.emplace_back(group.size());
      std::copy_n(group.reals(k), group.size(), arrays.back().data());
    }
  }
}

template <class S>
bool StateGuard<S>::accepts(const Setup<S>& setup, State<S>& state, StepReport& report) const {
  state.headroom -= state_growth * report.max_increment;
  if (copy_.empty() || extent_of(setup, state) <= max_extent) return true;
  for (std::size_t g = 0; g < copy_.size(); ++g)
    for (std::size_t k = 0; k < copy_[g].size(); ++k)
      std::copy_n(copy_[g][k].data(), copy_[g][k].size(), state.particles.groups()[g].reals(int(k)));
  state.headroom = 0;
  report.status = Status::out_of_range;
  return false;
}

#define DOLLOP_INSTANTIATE(S)                            \
  template double extent_of(const Setup<S>&, State<S>&); \
  template class StateGuard<S>;
DOLLOP_INSTANTIATE(float)
DOLLOP_INSTANTIATE(double)

}  // namespace dollop
