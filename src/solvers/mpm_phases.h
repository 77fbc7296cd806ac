// The phases of an MPM step, shared by the solvers. Each times itself; none throws, logs or reads
// configuration.
#pragma once

#include <optional>

#include "solvers/explicit_mpm.h"

namespace dollop {

inline constexpr double max_strain_increment = 0.5;  // dt |grad v| that a step may have
inline constexpr double max_travel = 1;              // cells that a particle may move in a step

// Sorts particles that have no block yet and sets what the loops of this step need. False, and the reason in
// the report, if a particle cannot be placed.
template <class S>
bool prepare(ExplicitMpm<S>& mpm, const Settings& settings, State<S>& state, StepReport& report);

template <class S>
void particles_to_grid(ExplicitMpm<S>& mpm);

template <class S>
void update_velocity(ExplicitMpm<S>& mpm);

// False, and the reason in the report, if the grid velocity must not be applied to the particles.
template <class S>
bool check_velocity(ExplicitMpm<S>& mpm, const State<S>& state, StepReport& report);

template <class S>
void grid_to_particles(ExplicitMpm<S>& mpm, StepReport& report);

// Counts the step and what colliders felt in it.
template <class S>
void advance_time(const ExplicitMpm<S>& mpm, const StepReport& report, State<S>& state);

// Particles of one kind that join the others.
struct NewParticles {
  int group;
  double density, volume;                  // [kg/m^3]; of each [m^3]
  const std::vector<Double3>& places;      // [m]
  const std::vector<Double3>& velocities;  // [m/s]
  std::array<double, 9> gradient;          // of the velocity, row-major [1/s]
};

template <class S>
void add_particles(const NewParticles& fresh, State<S>& state);

// Adds what left the nozzles during the last dt.
template <class S>
void emit(ExplicitMpm<S>& mpm, State<S>& state, double dt);

// Re-sorts if some particle left the margin of its block. One that cannot be placed is left to the next
// prepare().
template <class S>
std::optional<LostParticle> sort_by_block(State<S>& state, BlockGrid<S>& grid);

}  // namespace dollop
