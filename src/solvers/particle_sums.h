// What single particles add to the sums over a body.
#pragma once

#include <dollop/scene.h>

#include <vector>

#include "core/parallel.h"
#include "math/bspline.h"
#include "particles/particle_group.h"

namespace dollop {

// D of APIC: what the affine velocity of a particle turns with [m^2]                                   (MPM.9)
inline double affine_inertia(const Settings& s) {
  const bool cubic = s.kernel == Kernel::cubic;
  return s.cell_size * s.cell_size / (cubic ? BSpline<4>::inverse_inertia : BSpline<3>::inverse_inertia);
}

// Angular momentum about the origin of a mass at x with the velocity of particle i, and with the spin that APIC's
// particles carry themselves, m D (C_fe - C_ef).                                                       (MPM.11)
template <class S>
Double3 angular_momentum(const ParticleGroup<S>& group, std::size_t i, const Double3& x, double mass,
                         double inertia) {
  const auto v = [&](std::size_t d) { return double(group.reals(ParticleGroup<S>::velocity + int(d))[i]); };
  Double3 result;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::size_t e = (d + 1) % 3, f = (d + 2) % 3;
    result[d] = mass * (x[e] * v(f) - x[f] * v(e));
    if (group.affine_array() >= 0)
      result[d] += mass * inertia *
                   (double(group.reals(group.affine_array() + int(3 * f + e))[i]) -
                    double(group.reals(group.affine_array() + int(3 * e + f))[i]));
  }
  return result;
}

// What `part(begin, end, sum)` makes of `none` for each piece of [0, n) of a fixed size: added up in order, they are the
// same at any number of threads.
template <class Sum, class Part>
std::vector<Sum> sums_of_pieces(std::size_t n, std::size_t piece, const Sum& none, Part&& part) {
  std::vector<Sum> sums((n + piece - 1) / piece, none);
  parallel_ranges(n, piece,
                  [&](std::size_t begin, std::size_t end) { part(begin, end, sums[begin / piece]); });
  return sums;
}

}  // namespace dollop
