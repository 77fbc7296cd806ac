#include "solvers/setup/stability_bound.h"

#include <algorithm>
#include <cmath>

namespace dollop {

double stability_bound(const Stiffness& material, double cell_size, Kernel kernel, ForceForm forces,
                       double affine_kept) {
  // stiffness of a lone particle, in 1/cell^2: the part that acts through its affine velocity, D^-1, and the part that
  // kernel gradients add to it at the worst position, max sum w'^2/w - D^-1                            (DT.6)
  const bool cubic = kernel == Kernel::cubic;
  const double affine = cubic ? 3 : 4, sharpest = cubic ? 3.1371 : 6;
  const double rest = forces == ForceForm::mls ? 0 : sharpest - affine;
  const double spread = (2 * rest + 2 * affine / (1 + affine_kept)) / (cell_size * cell_size);
  const double omega2 = spread * material.modulus / material.density;           // elastic frequency squared
  const double rate = spread * 2 * material.viscosity / material.density;       // viscous decay rate
  const double oscillation = 4 / (rate + std::sqrt(rate * rate + 4 * omega2));  // (DT.3)
  return std::min(oscillation, material.longest_step);                          // (DT.8)
}

double stability_bound(const Stiffness& material, const Settings& s) {
  const bool carried = s.transfer == Transfer::apic || s.transfer == Transfer::fading;
  const double kept = carried ? 1 : s.transfer == Transfer::rpic ? 1 - s.rpic_damping : 0;
  const auto bound = [&](double share) {
    return stability_bound(material, s.cell_size, s.kernel, s.forces, share);
  };
  if (s.damping_trips > 0) return bound(0);
  double dt = bound(kept);
  if (!(s.damping_viscosity > 0)) return dt;
  // The longer a step, the less round trips leave of the affine velocity. By turns the iterates are too long and safe.
  const double inertia = s.cell_size * s.cell_size / (s.kernel == Kernel::cubic ? 3 : 4);
  for (int k = 0; k < 5; ++k)
    dt = bound(kept * std::max(0.0, 1 - 2 * s.damping_viscosity * dt / inertia));  // (DAMP.7)
  return dt;
}

}  // namespace dollop
