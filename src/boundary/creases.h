// Smooth normals for drawing meshes: edges at which the surface bends sharply stay sharp.
#pragma once

#include "boundary/tessellate.h"
#include "boundary/triangle_mesh.h"

namespace dollop {

inline constexpr double crease_angle = 0.7;  // 40 degrees: a prism of ten sides is still a cylinder [rad]

// The triangles with a normal for each vertex: the mean of the normals of all triangles that meet there without a crease
// between them, weighted by their angles. Points on creases become several vertices. Equal points must be merged.
TriangleShape with_creases(const TriangleMesh& mesh, double crease = crease_angle);

// For each corner of the triangles, 3 t + k of triangle t, the first of the corners that it shares a normal with.
std::vector<std::uint32_t> corners_of_normals(const TriangleMesh& mesh, double crease = crease_angle);

// the angle at corner x of the triangle with the other corners a and b [rad]
double corner_angle(const Vec3<double>& x, const Vec3<double>& a, const Vec3<double>& b);

}  // namespace dollop
