// Triangle meshes of shapes, for drawing colliders.
#pragma once

#include <dollop/shapes.h>

#include <optional>

#include "boundary/shape_distance.h"
#include "io/surface_mesh.h"

namespace dollop {

// The surface of a shape at time t. Simple solids and their unions are exact up to the tessellation of curves, meshes have
// the triangles of their files; differences and intersections are polygonised from their signed distance. Unbounded shapes are clipped to
// `around`. A union contains all of its parts, also where one lies within another.
SurfaceMesh shape_mesh(const Shape& shape, const Bounds& around, double t = 0);

// The plane if the shape is one, also if it was placed; none otherwise.
std::optional<Plane> as_plane(const Shape& shape);

}  // namespace dollop
