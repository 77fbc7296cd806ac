// Triangles of shapes whose surface is known: in closed form, so that their edges stay sharp, or from the file of a mesh.
#pragma once

#include <dollop/shapes.h>

#include <array>
#include <cstdint>
#include <vector>

#include "math/vec.h"

namespace dollop {

struct TriangleShape {
  std::vector<Vec3<double>> positions = {}, normals = {};    // normals: unit, outward, one for each vertex
  std::vector<std::array<std::uint32_t, 3>> triangles = {};  // anticlockwise seen from outside
};

// Whether the shape is a box, sphere, cylinder, capsule, ellipsoid, cone, torus, disc, mesh or mesh sequence, or made of
// these by placing and union. A union holds the surfaces of all its parts, also where they are inside one another.
bool can_tessellate(const Shape& shape);

// The triangles at time t, on which mesh sequences depend. Between two frames of a sequence the points move in straight
// lines if both have the same triangles; otherwise the nearer frame is shown.
TriangleShape tessellate(const Shape& shape, double t = 0);

// Whether a shape has triangles of its own, and whether these change with time.
bool has_mesh(const Shape& shape);
bool has_mesh_sequence(const Shape& shape);

}  // namespace dollop
