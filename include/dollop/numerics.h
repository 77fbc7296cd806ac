// Choices of the numerical method. Each enumerator has its word for scene files in src/scene/words.h.
#pragma once

namespace dollop {

// B-spline that interpolates between particles and grid nodes
enum class Kernel { quadratic, cubic };
// how velocity is transferred between particles and grid
enum class Transfer { pic, flip, apic, rpic, fading };
// whether particles carry an affine velocity
constexpr bool carries_affine_velocity(Transfer t) {
  return t == Transfer::apic || t == Transfer::rpic || t == Transfer::fading;
}
// whether nodes know their velocity before forces, so that particles can keep what the grid does not hold of theirs
constexpr bool keeps_residual(Transfer t) { return t == Transfer::flip || t == Transfer::fading; }
// nodal forces from stress: by the moments of the kernel (MLS-MPM) or by its gradient
enum class ForceForm { mls, gradient };
// velocity that moves the particles: the one interpolated from the grid, or the particle's own; they differ for flip only
enum class Advection { grid_velocity, particle_velocity };
// how particles fill a shape
enum class Seeding { lattice, jittered, poisson };
// initial particle volumes: those of the seeding, or mass over the density measured on the grid
enum class VolumeInit { exact, estimated };
// velocity and state of a particle that resampling inserts: averaged over the donors of its mass, or interpolated from
// the grid
enum class ResampleFields { donors, grid };
// floating-point type of particles and grid
enum class Precision { single_precision, double_precision };

}  // namespace dollop
