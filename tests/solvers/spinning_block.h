// A free elastic block that spins.
#pragma once

#include "solvers/bodies.h"

namespace dollop::tests {

// 8 x 6 x 4 cells
inline Scene spinning_block(double young_modulus, double angular_velocity, Kernel kernel,
                            Precision precision) {
  Scene scene;
  Settings& s = scene.settings;
  s.cell_size = 0.0125, s.kernel = kernel, s.gravity = {0, 0, 0}, s.precision = precision;
  scene.materials = {elastic("block", 1000, young_modulus, 0.3)};
  scene.bodies = {{.material = "block",
                   .shape = Box{.center = {0, 0, 0}, .size = {0.1, 0.075, 0.05}},
                   .angular_velocity = {0, 0, angular_velocity}}};
  return scene;
}

}  // namespace dollop::tests
