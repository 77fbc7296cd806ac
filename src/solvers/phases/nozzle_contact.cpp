#include "solvers/phases/nozzle_contact.h"

#include "core/profile.h"
#include "solvers/phases/node_contact.h"

namespace dollop {

std::vector<Collider> pistons(const std::vector<Nozzle>& nozzles, double time, double cell_size) {
  std::vector<Collider> found;
  for (const Nozzle& nozzle : nozzles)
    if (const auto piston = nozzle.plan.piston(time, 2 * cell_size)) found.push_back(*piston);
  return found;
}

template <class S>
void drive_nozzles(const std::vector<Nozzle>& nozzles, double time, double dt, StepGrid<S>& grid) {
  const ScopedPhase phase(Phase::emit);
  const std::vector<Collider> driving = pistons(nozzles, time, grid.blocks.space.cell_size);
  if (driving.empty()) return;
  apply_pistons(MovingColliders(driving, time, dt, driving.size()), grid);
}

template void drive_nozzles(const std::vector<Nozzle>&, double, double, StepGrid<float>&);
template void drive_nozzles(const std::vector<Nozzle>&, double, double, StepGrid<double>&);

}  // namespace dollop
