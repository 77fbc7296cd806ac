// Adds new particles to a simulation.
#pragma once

#include <array>
#include <vector>

#include "solvers/setup/state.h"

namespace dollop {

// Particles of one material and size.
struct NewParticles {
  int group;
  double density, volume;                  // [kg/m^3]; of each particle [m^3]
  const std::vector<Double3>& places;      // [m]
  const std::vector<Double3>& velocities;  // [m/s]
  std::array<double, 9> gradient;          // of the velocity, row-major [1/s]
};

// Appends the particles to their group. They take part in steps after the next sort.
template <class S>
void add_particles(const NewParticles& fresh, State<S>& state);

}  // namespace dollop
