#include "solvers/phases/emission.h"

#include "core/profile.h"
#include "particles/emission_room.h"
#include "solvers/phases/sorting.h"
#include "solvers/setup/new_particles.h"

namespace dollop {

template <class S>
void emit(const std::vector<Nozzle>& nozzles, double dt, State<S>& state) {
  const ScopedPhase phase(Phase::emit);
  for (std::size_t e = 0; e < nozzles.size(); ++e) {
    const EmitterPlan& plan = nozzles[e].plan;
    const HasRoom has_room = [&](const std::vector<Double3>& places) {
      if (sort_by_block(state)) return false;  // a particle is lost, as the next step will report
      return !is_crowded(state.particles, places, plan.clearance());
    };
    const Emission out = plan.emit(state.emitters[e], state.time - dt, state.time, has_room);
    add_particles<S>({nozzles[e].group, nozzles[e].density, out.volume, out.places, out.velocities, {}},
                     state);
    state.tally.emitted += out.places.size();
  }
}

template void emit(const std::vector<Nozzle>&, double, State<float>&);
template void emit(const std::vector<Nozzle>&, double, State<double>&);

}  // namespace dollop
