// The solve of an implicit step. Theory: docs/theory/implicit.md.
#pragma once

#include "boundary/moving_colliders.h"
#include "solvers/newton_mpm.h"

namespace dollop {

// The colliders of a scene and the pistons of its nozzles, over one step.
class Obstacles {
 public:
  Obstacles(const std::vector<Collider>& colliders, const std::vector<Collider>& pistons, double time,
            double dt)
      : all_(joined(colliders, pistons)), moving_(all_, time, dt, pistons.size()) {}
  Obstacles(const Obstacles&) = delete;
  Obstacles& operator=(const Obstacles&) = delete;
  const MovingColliders& moving() const { return moving_; }

 private:
  static std::vector<Collider> joined(std::vector<Collider> a, const std::vector<Collider>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }
  std::vector<Collider> all_;
  MovingColliders moving_;
};

// Momentum and mass of the particles on the grid, without forces.
template <class S>
void momentum_to_grid(ExplicitMpm<S>& mpm);

// Finds v^{n+1} from v^n + dt g, with contacts; false, and the reason in the report, if there is none to be found.
template <class S>
bool solve_velocity(const Obstacles& obstacles, const Settings& settings, const State<S>& state,
                    ExplicitMpm<S>& mpm, NewtonMpm<S>& newton, StepReport& report);

// Friction of held nodes; the grid then holds the velocity that particles take, and v^{n+1} strains and moves them.
template <class S>
void rub_surfaces(const MovingColliders& colliders, NewtonMpm<S>& newton, ExplicitMpm<S>& mpm);

}  // namespace dollop
