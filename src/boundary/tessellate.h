// Triangles of shapes whose surface is known in closed form, so that their edges stay sharp.
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

// Whether the shape is a box, sphere, cylinder, capsule, ellipsoid, cone, torus or disc, or made of these by placing
// and union. A union holds the surfaces of all its parts, also where they are inside one another.
bool can_tessellate(const Shape& shape);
TriangleShape tessellate(const Shape& shape);

}  // namespace dollop
