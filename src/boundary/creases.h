// Smooth normals for drawing meshes: edges at which the surface bends sharply stay sharp.
#pragma once

#include "boundary/tessellate.h"
#include "boundary/triangle_mesh.h"

namespace dollop {

inline constexpr double crease_angle = 0.7;  // 40 degrees: a prism of ten sides is still a cylinder [rad]

// The triangles with a normal for each vertex: the mean of the normals of all triangles that meet there without a crease
// between them, weighted by their angles. Points on creases become several vertices. Equal points must be merged.
TriangleShape with_creases(const TriangleMesh& mesh, double crease = crease_angle);

}  // namespace dollop
