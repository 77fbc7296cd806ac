// Triangles of shapes, for looking at colliders.
#pragma once

#include <dollop/shapes.h>

#include <optional>

#include "boundary/shape_distance.h"
#include "io/surface_mesh.h"

namespace dollop {

// The surface of a shape at time t. Simple solids and unions of them are exact but for their roundness; where a shape
// is cut out of others, or comes from a mesh, its distances are polygonised. Of what is unbounded, the part within
// `around` is shown. A union shows its parts, also where one lies within another.
SurfaceMesh shape_mesh(const Shape& shape, const Bounds& around, double t = 0);

// The zero level of the shape's distance within a box, with sharp edges where the normal says so.
SurfaceMesh polygonise(const Shape& shape, const Bounds& box, double t, int cells = 96);

// The plane that a shape is, also if it was placed; none for others.
std::optional<Plane> as_plane(const Shape& shape);

}  // namespace dollop
