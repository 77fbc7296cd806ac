// Triangle meshes with shared corners, and the conditions for one to enclose a solid.
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

// The same mesh with equal points merged, and without triangles that have two equal corners.
TriangleMesh merge_equal_points(const TriangleMesh& mesh);

// The same, with the points in the order in which the triangles' file has them. Meshes that differ by the places of their
// points alone, such as the frames of a deforming mesh, so keep the same triangles.
TriangleMesh merge_in_order(const TriangleMesh& mesh);

// The reason why the mesh is not the boundary of a solid, such as "is not closed: 12 edges belong to one triangle only;
// fill its holes"; empty if it is one. Along each edge as many triangles must run one way as the other; so more than
// two may meet at an edge. Equal points must be merged.
std::string closed_fault(const TriangleMesh& mesh);

double signed_volume(
    const TriangleMesh& mesh);          // by the divergence theorem, negative if inside out [m^3]  (BC.13)
double area(const TriangleMesh& mesh);  // [m^2]

}  // namespace dollop
