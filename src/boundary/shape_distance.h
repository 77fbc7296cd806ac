// Distance, normal, bounds and volume of shapes. Theory: docs/theory/contact.md.
#pragma once

#include <dollop/shapes.h>
#include <optional>

namespace dollop {

struct SurfaceSample {
  double distance;  // negative inside [m]
  Double3 normal;   // unit gradient of the distance; that of one side on edges and axes, always finite
};

// An axis-aligned box; infinite where the shape is, min > max where nothing is left of it.
struct Bounds {
  Double3 min, max;  // [m]
};

// The Euclidean distance for plane, box, sphere, cylinder, capsule and any of them placed. Union, intersect
// and minus have the right sign and a magnitude that is never more than the distance (BC.8). So the value
// changes by at most |x - y| between x and y, and a ball about x with a smaller radius is outside (BC.9).
SurfaceSample sample_surface(const Shape& shape, const Double3& x);
double signed_distance(const Shape& shape, const Double3& x);
Double3 normal(const Shape& shape, const Double3& x);

// Tight for all but placed, minus and intersect, which it encloses.
Bounds bounds(const Shape& shape);

// [m^3]; none for planes, union, intersect and minus
std::optional<double> volume(const Shape& shape);

}  // namespace dollop
