// Distance, normal, bounds and volume of shapes. Theory: docs/theory/contact.md.
#pragma once

#include <dollop/shapes.h>

#include <optional>
#include <span>

namespace dollop {

struct SurfaceSample {
  double distance;  // negative inside [m]
  Double3 normal;   // unit gradient of the distance; on edges and axes its limit from one side, always finite
  double speed = 0;  // of the surface along the normal [m/s]; zero except for mesh sequences
};

// An axis-aligned box; infinite where the shape is unbounded, min > max where the shape is empty.
struct Bounds {
  Double3 min, max;  // [m]
};

// The signed distance. It is Euclidean for plane, box, sphere, cylinder, capsule, ellipsoid, cone, torus and disc, and
// for any of them placed with one scale. For union, intersect, minus, and shapes placed with several scales it has the
// right sign and a magnitude that is a lower bound of the distance (BC.8, BC.12). So it is 1-Lipschitz: it changes by
// at most |x - y| between x and y, and a ball about x with a smaller radius is outside (BC.9). A disc without thickness
// has no inside: its distance is zero or more.
//
// Meshes interpolate distances on voxels: the error is less than one voxel, much less where the surface is smooth, and
// beyond the narrow band the value is a lower bound (BC.13). Mesh sequences depend on the time t.
//
// With `cuts`, shapes that are cut out of the shape, the result is that of the Minus of all of them.
using Cuts = std::span<const Shape* const>;
SurfaceSample sample_surface(const Shape& shape, const Double3& x, double t = 0, Cuts cuts = {});
double signed_distance(const Shape& shape, const Double3& x, double t = 0);
Double3 normal(const Shape& shape, const Double3& x, double t = 0);

// The signed distance minus its error bound: for every shape, a ball about x with a smaller radius is outside (BC.14).
// It differs from the signed distance only outside of meshes.
double clearance(const Shape& shape, const Double3& x, double t = 0, Cuts cuts = {});

// Whether distance and clearance are 1-Lipschitz: they change by at most |x - y| between x and y (BC.9). Those of
// meshes are not, since they are interpolated.
bool is_lipschitz(const Shape& shape);

// The bounding box. It may be larger than needed for placed, minus and intersect; for a mesh sequence it encloses all
// frames.
Bounds bounds(const Shape& shape);

// [m^3]; none for planes, union, intersect, minus and mesh sequences
std::optional<double> volume(const Shape& shape);

}  // namespace dollop
