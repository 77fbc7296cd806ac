// Anisotropic kernels (Yu and Turk 2013): the kernel of each particle is an ellipsoid shaped by the covariance of its
// neighbours, flat along a surface and long along a thread.
#pragma once

#include "surface/spline_field.h"

namespace dollop {

// The kernel n (1 - d^T A d)^3 within its ellipsoid, d = x - centre; its integral is 1.
struct Kernel3 {
  Vec3<float> centre;    // [m]
  SymMat3<float> shape;  // A [1/m^2]
  Vec3<float> reach;     // half extents of the ellipsoid's bounding box [m]
  float height;          // n [1/m^3]
};

// The density with these kernels. A voxel is half a spacing wide, or wider. Particles deep inside are splatted
// isotropically, since they do not shape the surface.
SplineField make_sharp_density(const SurfacePoints& points, double voxel);

}  // namespace dollop
