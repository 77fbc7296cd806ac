// Contributions of single particles to the sums over a body.
#pragma once

#include <dollop/scene.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/parallel.h"
#include "math/bspline.h"
#include "particles/particle_group.h"

namespace dollop {

// D of APIC: the second moment of the kernel weights about a particle [m^2]                           (MPM.9)
inline double affine_inertia(const Settings& s) {
  const bool cubic = s.kernel == Kernel::cubic;
  return s.cell_size * s.cell_size / (cubic ? BSpline<4>::inverse_inertia : BSpline<3>::inverse_inertia);
}

// Angular momentum about the origin of a mass at x that moves with the velocity of particle i, plus the spin of its APIC
// affine velocity, m D (C_fe - C_ef).                                                                (MPM.11)
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

// Kinetic energy of the affine velocity C that APIC's particle i carries, m D |C|^2 / 2. A node at x_i gets C (x_i - x_p)
// from it, and the weights have the second moment D. 0 where the transfer carries none.
template <class S>
double affine_energy(const ParticleGroup<S>& group, std::size_t i, double mass, double inertia) {
  if (group.affine_array() < 0) return 0;
  double square = 0;  // |C|^2
  for (int k = 0; k < 9; ++k) {
    const double c = group.reals(group.affine_array() + k)[i];
    square += c * c;
  }
  return 0.5 * mass * inertia * square;
}

// Mass and motion of some particles.
struct MotionSums {
  std::uint64_t particles = 0;
  double mass = 0, kinetic_energy = 0, max_speed = 0;
  Double3 momentum{}, moment{};  // sums of m v and of m x
  Double3 bounds_min{infinity, infinity, infinity}, bounds_max{-infinity, -infinity, -infinity};
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  void add(const MotionSums& other) {
    particles += other.particles;
    mass += other.mass;
    kinetic_energy += other.kinetic_energy;
    max_speed = std::max(max_speed, other.max_speed);
    for (std::size_t d = 0; d < 3; ++d) {
      momentum[d] += other.momentum[d];
      moment[d] += other.moment[d];
      bounds_min[d] = std::min(bounds_min[d], other.bounds_min[d]);
      bounds_max[d] = std::max(bounds_max[d], other.bounds_max[d]);
    }
  }
  // adds particle i of a group, at position x
  template <class S>
  void add(const ParticleGroup<S>& group, std::size_t i, const Double3& x) {
    const double m = group.reals(ParticleGroup<S>::mass)[i];
    double speed2 = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      const double v = group.reals(ParticleGroup<S>::velocity + int(d))[i];
      speed2 += v * v;
      momentum[d] += m * v;
      moment[d] += m * x[d];
      bounds_min[d] = std::min(bounds_min[d], x[d]);
      bounds_max[d] = std::max(bounds_max[d], x[d]);
    }
    ++particles;
    mass += m;
    kinetic_energy += 0.5 * m * speed2;
    max_speed = std::max(max_speed, std::sqrt(speed2));
  }
};

// Splits [0, n) into pieces of a fixed size and calls `part(begin, end, sum)` for each, with `sum` starting at `none`.
// The sums of the pieces, added up in order, do not depend on the number of threads.
template <class Sum, class Part>
std::vector<Sum> sums_of_pieces(std::size_t n, std::size_t piece, const Sum& none, Part&& part) {
  std::vector<Sum> sums((n + piece - 1) / piece, none);
  parallel_ranges(n, piece,
                  [&](std::size_t begin, std::size_t end) { part(begin, end, sums[begin / piece]); });
  return sums;
}

}  // namespace dollop
