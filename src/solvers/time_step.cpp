#include "solvers/time_step.h"

#include <cmath>

namespace dollop {
namespace {

// beta^2: four over the largest sum of w'^2/w (or of (w D^-1 d)^2/w) over a stencil, wherever the particle is
// (DT.2)
double beta_squared(Kernel kernel, ForceForm forces) {
  const bool cubic = kernel == Kernel::cubic, mls = forces == ForceForm::mls;
  if (mls) return cubic ? 4.0 / 3 : 1;  // sum of w D^-2 d^2 = D^-1: 3 and 4
  return cubic ? 1.129 * 1.129 : 0.816 * 0.816;
}

}  // namespace

double stability_bound(const Stiffness& material, double cell_size, Kernel kernel, ForceForm forces) {
  const double spread = 4 / (beta_squared(kernel, forces) * cell_size * cell_size);  // [1/m^2]
  const double omega2 = spread * material.modulus / material.density;      // elastic frequency squared
  const double rate = spread * 2 * material.viscosity / material.density;  // viscous decay rate
  return 4 / (rate + std::sqrt(rate * rate + 4 * omega2));                 // (DT.3)
}

}  // namespace dollop
