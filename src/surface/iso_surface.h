// The surface on which a field has a given value, as a closed mesh: dual marching cubes.
//
// One vertex for each loop in which the surface cuts a cell, on the surface itself; one quadrilateral for each edge of
// a cell that the surface crosses, around it. Every edge of the mesh belongs to two triangles (Nielson 2004; the two
// cases in which it would belong to four are resolved as by Wenger 2013).
#pragma once

#include "io/surface_mesh.h"
#include "surface/spline_field.h"

namespace dollop {

// Positions and triangles only. Cells are `refine` times as narrow as the field's voxels; the field is above the level
// inside.
SurfaceMesh extract_surface(const SplineField& field, int refine, float level);

}  // namespace dollop
