// Choices of the numerical method, by name.
#pragma once

namespace dollop {

enum class Kernel { quadratic, cubic };         // B-spline that joins particles and grid
enum class Transfer { pic, flip, apic, rpic };  // how velocity travels between particles and grid
enum class ForceForm { mls, gradient };  // stress forces from the moments or from the gradient of the kernel
enum class Advection {
  grid_velocity,
  particle_velocity
};  // what moves the particles; they differ for flip only
enum class Solver { explicit_solver, newton };
enum class Seeding { lattice, jittered, poisson };  // how particles fill a shape
enum class VolumeInit {
  exact,
  estimated
};  // particle volumes from the seeding or from the density on the grid
enum class ResampleFields {
  donors,
  grid
};  // what new particles of a resampling have: means of those that give them mass, or what the grid has there
enum class Precision { single_precision, double_precision };

}  // namespace dollop
