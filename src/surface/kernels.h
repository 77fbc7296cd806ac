// Anisotropic kernels: each particle spreads over an ellipsoid that follows the particles around it, flat along a
// surface and long along a thread (Yu and Turk 2013).
#pragma once

#include "surface/spline_field.h"

namespace dollop {

// The kernel n (1 - d^T A d)^3 within its ellipsoid, d = x - centre; its integral is 1.
struct Kernel3 {
  Vec3<float> centre;    // [m]
  SymMat3<float> shape;  // A [1/m^2]
  Vec3<float> reach;     // half the sides of the box around the ellipsoid [m]
  float height;          // n [1/m^3]
};

// The density made with these kernels. A voxel is half a spacing wide, or wider. Particles deep inside have no kernel
// but are splatted plainly: there is nothing to see of them.
SplineField make_sharp_density(const SurfacePoints& points, double voxel);

}  // namespace dollop
