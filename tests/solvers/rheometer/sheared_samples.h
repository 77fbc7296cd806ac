// Materials that the tests of the rheometer shear.
#pragma once

#include <dollop/scene.h>

#include <cmath>

namespace dollop {

// herschel-bulkley by its own parameters
inline Material foam_sample(double mu, double yield_stress, double viscosity, double power) {
  return {"sample",
          "herschel-bulkley",
          {{"shear_modulus", mu},
           {"bulk_modulus", 1000 * mu},
           {"yield_stress", yield_stress},
           {"viscosity", viscosity},
           {"power", power}}};
}

// at small strain a Maxwell fluid: without yield stress, and a flow rate in proportion to the stress
inline Material maxwell_sample(double mu, double relaxation_time) {
  return foam_sample(mu, 0, 2 * mu * relaxation_time, 1);
}

// tau_y + consistency rate beyond an elastic strain of tau_y/mu
inline Material bingham_sample(double mu, double tau_y, double consistency) {
  return foam_sample(mu, std::sqrt(3.0) * tau_y, 2 * consistency, 1);  // (HB.9)
}

inline Material rubber_sample(double mu) {
  return {"rubber", "neo-hookean", {{"shear_modulus", mu}, {"bulk_modulus", 50 * mu}}};
}
inline Material hencky_sample(double mu) {
  return {"hencky", "hencky", {{"shear_modulus", mu}, {"bulk_modulus", 5 * mu}}};
}

// perfectly plastic; the yield stress is that of shear
inline Material plastic_sample(double mu, double tau_y) {
  return {"clay",
          "von-mises",
          {{"shear_modulus", mu}, {"bulk_modulus", 2 * mu}, {"yield_stress", std::sqrt(3.0) * tau_y}}};
}

inline double relative_error(double found, double expected) { return std::fabs(found / expected - 1); }

}  // namespace dollop
