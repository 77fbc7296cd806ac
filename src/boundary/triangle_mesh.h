// Triangles with shared corners, and what must hold for them to enclose a solid.
#pragma once

#include <dollop/shapes.h>

#include <array>
#include <string>
#include <vector>

namespace dollop {

struct TriangleMesh {
  std::vector<Double3> points = {};                // [m]
  std::vector<std::array<int, 3>> triangles = {};  // corners, counter-clockwise seen from outside
};

// The same triangles with one point for each place, without those that have two corners in one place.
TriangleMesh merge_equal_points(const TriangleMesh& mesh);

// What keeps the mesh from being the boundary of a solid, such as "is not closed: 12 edges belong to one triangle only;
// fill its holes"; empty if nothing does. Along each edge as many triangles must run one way as the other; so more than
// two may meet at an edge. Needs merged points.
std::string closed_fault(const TriangleMesh& mesh);

double signed_volume(
    const TriangleMesh& mesh);          // by the divergence theorem, negative if inside out [m^3]  (BC.13)
double area(const TriangleMesh& mesh);  // [m^2]

}  // namespace dollop
