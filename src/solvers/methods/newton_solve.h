// The solve of an implicit step. Theory: docs/theory/implicit.md.
#pragma once

#include "boundary/moving_colliders.h"
#include "solvers/methods/newton_mpm.h"
#include "solvers/phases/nozzle_contact.h"

namespace dollop {

// The colliders of a simulation and the pistons of its nozzles, over one step.
class Obstacles {
 public:
  template <class S>
  Obstacles(const Setup<S>& setup, double time, double dt)
      : Obstacles(setup.colliders, pistons(setup.nozzles, time, setup.settings().cell_size), time, dt) {}
  Obstacles(const Obstacles&) = delete;
  Obstacles& operator=(const Obstacles&) = delete;
  const MovingColliders& moving() const { return moving_; }

 private:
  Obstacles(const std::vector<Collider>& colliders, const std::vector<Collider>& driving, double time,
            double dt)
      : all_(joined(colliders, driving)), moving_(all_, time, dt, driving.size()) {}
  static std::vector<Collider> joined(std::vector<Collider> a, const std::vector<Collider>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }
  std::vector<Collider> all_;
  MovingColliders moving_;
};

// Finds v^{n+1} from v^n + dt g, with contacts; false, and the reason in the report, if Newton's method does not
// converge.                                                                                             (IMP.1-7)
template <class S>
bool solve_velocity(const Obstacles& obstacles, const Setup<S>& setup, const State<S>& state,
                    StepGrid<S>& grid, NewtonMpm<S>& newton, StepReport& report);

// Coulomb friction at the nodes in contact. The grid then holds the velocity that particles take; v^{n+1} of Newton's
// method strains and moves them.                                                                      (IMP.8)
template <class S>
void apply_friction(const MovingColliders& colliders, const NewtonMpm<S>& newton, StepGrid<S>& grid);

}  // namespace dollop
