// Distance, normal, bounds and volume of shapes. Theory: docs/theory/contact.md.
#pragma once

#include <dollop/shapes.h>

#include <optional>
#include <span>

namespace dollop {

struct SurfaceSample {
  double distance;   // negative inside [m]
  Double3 normal;    // unit gradient of the distance; that of one side on edges and axes, always finite
  double speed = 0;  // of the surface along the normal [m/s]; other than zero for mesh sequences only
};

// An axis-aligned box; infinite where the shape is, min > max where nothing is left of it.
struct Bounds {
  Double3 min, max;  // [m]
};

// The Euclidean distance for plane, box, sphere, cylinder, capsule, ellipsoid, cone, torus and disc, and any of them
// placed with one scale. Union, intersect, minus, and placed with several scales have the right sign and a magnitude
// that is never more than the distance (BC.8, BC.12). So the value changes by at most |x - y| between x and y, and a
// ball about x with a smaller radius is outside (BC.9). A disc without thickness has no inside: its distance is zero
// or more.
//
// Meshes interpolate distances on voxels: the value is off by less than one voxel, much less where the surface is
// smooth, and beyond the voxels near the surface it is a lower bound (BC.13). Mesh sequences depend on the time t.
//
// Others may be cut out of the shape: then it is what Minus of all of them gives.
using Cuts = std::span<const Shape* const>;
SurfaceSample sample_surface(const Shape& shape, const Double3& x, double t = 0, Cuts cuts = {});
double signed_distance(const Shape& shape, const Double3& x, double t = 0);
Double3 normal(const Shape& shape, const Double3& x, double t = 0);

// The signed distance, less what it may be too large: for every shape a ball about x with a smaller radius is outside
// (BC.14). It differs from the signed distance outside of meshes only.
double clearance(const Shape& shape, const Double3& x, double t = 0, Cuts cuts = {});

// Whether distance and clearance change by at most |x - y| between x and y (BC.9): not in meshes, which interpolate.
bool changes_slowly(const Shape& shape);

// Tight for all but placed, minus and intersect, which it encloses, and mesh sequences: at any time.
Bounds bounds(const Shape& shape);

// [m^3]; none for planes, union, intersect, minus and mesh sequences
std::optional<double> volume(const Shape& shape);

}  // namespace dollop
