// The isosurface of a field as a closed mesh, by dual marching cubes.
//
// There is one vertex, on the surface itself, for each loop in which the surface cuts a cell, and one quadrilateral
// around each cell edge that the surface crosses. Every edge of the mesh belongs to two triangles (Nielson 2004; the
// two cases in which it would belong to four are resolved as by Wenger 2013).
#pragma once

#include "io/surface_mesh.h"
#include "surface/spline_field.h"

namespace dollop {

// Sets positions and triangles only. A voxel of the field has `refine` cells along each axis; the field is above the
// level inside.
SurfaceMesh extract_surface(const SplineField& field, int refine, float level);

}  // namespace dollop
