// The distance to an ellipsoid about the origin. Theory: docs/theory/contact.md.
#pragma once

#include <dollop/shapes.h>

namespace dollop {

struct EllipsoidDistance {
  double distance;  // Euclidean, negative inside [m]
  Double3 normal;   // outward at the closest point; not normalised, never zero
};

EllipsoidDistance ellipsoid_distance(const Double3& radii, const Double3& x);  // (BC.10)

}  // namespace dollop
