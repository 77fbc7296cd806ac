#include "solvers/phases/sorting.h"

#include "core/profile.h"

namespace dollop {

template <class S>
std::optional<LostParticle> sort_by_block(State<S>& state) {
  const ScopedPhase phase(Phase::sort);
  if (!state.needs_sort) return {};
  if (const auto lost = state.particles.sort()) return lost;
  state.needs_sort = false;
  return {};
}

template <class S>
bool sort_by_block(State<S>& state, StepReport& report) {
  const auto lost = sort_by_block(state);
  if (!lost) return true;
  report.status = Status::lost_particle;
  report.particle = lost->id;
  return false;
}

#define DOLLOP_INSTANTIATE(S)                                    \
  template std::optional<LostParticle> sort_by_block(State<S>&); \
  template bool sort_by_block(State<S>&, StepReport&);
DOLLOP_INSTANTIATE(float)
DOLLOP_INSTANTIATE(double)

}  // namespace dollop
