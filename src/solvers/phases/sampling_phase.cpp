#include "solvers/phases/sampling_phase.h"

#include "core/profile.h"
#include "particles/thin_regions.h"
#include "solvers/phases/resampling.h"
#include "solvers/phases/sorting.h"
#include "solvers/setup/particle_sums.h"

namespace dollop {
namespace {

// sorts the particles, since neighbours are found by block; false if a particle is lost, which the next step reports
template <class S>
bool sorted_now(State<S>& state) {
  state.needs_sort = true;
  return !sort_by_block(state);
}

template <class S>
bool any_weak(const Setup<S>& setup, const State<S>& state) {
  for (std::size_t g = 0; g < setup.materials.size(); ++g) {
    const MaterialBinding<S>& material = setup.materials[g];
    if (!(material.removal.ratio > 0) || material.weak_array < 0) continue;
    const ParticleGroup<S>& group = state.particles.groups()[g];
    const S* weak = group.reals(material.weak_array);
    if (std::find(weak, weak + group.size(), S(1)) != weak + group.size()) return true;
  }
  return false;
}

bool is_due(const Settings& settings, std::int64_t steps, double strain) {
  return (settings.resample_every > 0 && steps >= settings.resample_every) ||
         (settings.resample_strain > 0 && strain > settings.resample_strain);
}

// A coarse search finds voids that open over several resamplings in time; voids that open at once need a finer one.
int search_depth(const Settings& settings, double strain) {
  if (settings.resample_depth > 0) return settings.resample_depth;
  return strain > fine_search_strain ? 4 : 3;
}

}  // namespace

template <class S>
void remove_threads(const Setup<S>& setup, State<S>& state) {
  if (state.steps % removal_interval != 0 || !any_weak(setup, state) || !sorted_now(state)) return;
  const ScopedPhase phase(Phase::resample);
  std::vector<ThinRule> rules;
  for (const MaterialBinding<S>& material : setup.materials)
    rules.push_back({material.removal.ratio, material.removal.size, material.weak_array});
  const auto gone = thin_particles(state.particles, rules);
  for (std::size_t g = 0; g < gone.size(); ++g) {
    const S* mass = state.particles.groups()[g].reals(ParticleGroup<S>::mass);
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < gone[g].size(); ++i)
      if (gone[g][i]) ++count, state.tally.removed_mass += double(mass[i]);
    if (count == 0) continue;
    state.tally.removed += count;
    state.particles.remove(int(g), gone[g]);
    state.needs_sort = true;
  }
}

template <class S>
void fill_gaps(const MovingColliders& colliders, const Setup<S>& setup, const StepReport& report,
               State<S>& state) {
  const Settings& settings = setup.settings();
  state.strain_since += report.max_increment;
  if (!is_due(settings, state.steps - state.last_resampling, state.strain_since)) return;
  if (!sorted_now(state)) return;
  const ScopedPhase phase(Phase::resample);
  const auto blocked = [&](const Double3& x) { return colliders.hold(x); };
  const ResampleOptions options{.seed = settings.seed,
                                .call = state.resamplings,
                                .merge = settings.resample_merge,
                                .fields = settings.resample_fields,
                                .depth = search_depth(settings, state.strain_since)};
  const ResampleChange change =
      resample<S>(setup.materials, blocked, options, affine_inertia(settings), state);
  Tally& tally = state.tally;
  tally.inserted += change.inserted, tally.merged += change.merged;
  tally.resample_energy += change.kinetic_energy + change.elastic_energy;
  for (std::size_t d = 0; d < 3; ++d) tally.resample_angular_momentum[d] += change.angular_momentum[d];
  ++state.resamplings;
  state.headroom = 0;
  state.last_resampling = state.steps;
  state.strain_since = 0;
}

#define DOLLOP_INSTANTIATE(S)                               \
  template void remove_threads(const Setup<S>&, State<S>&); \
  template void fill_gaps(const MovingColliders&, const Setup<S>&, const StepReport&, State<S>&);
DOLLOP_INSTANTIATE(float)
DOLLOP_INSTANTIATE(double)

}  // namespace dollop
