// Triangle meshes that a deforming body carries along. Theory: docs/theory/embedded_meshes.md.
#pragma once

#include <dollop/shapes.h>

#include <array>
#include <cstdint>
#include <vector>

#include "boundary/mesh_file.h"
#include "math/vec.h"

namespace dollop {

// The points of the mesh move. Vertices lie at points, and have normals and texture coordinates: a point on a crease or
// on a seam of the texture has several.
struct EmbeddedMesh {
  std::vector<Double3> points = {};  // at rest [m]
  std::vector<std::array<std::uint32_t, 3>> triangles =
      {};                                     // of vertices, counter-clockwise seen from outside
  std::vector<std::uint32_t> point_of = {};   // of each vertex
  std::vector<std::uint32_t> normal_of = {};  // of each vertex; vertices on a seam share their normal
  std::size_t normals = 0;                    // how many there are
  std::vector<std::array<float, 2>> uv = {};  // of each vertex; empty: there are none
  std::vector<std::uint32_t> first_neighbour{0}, neighbours = {};  // of each point, along edges

  std::size_t bytes() const;
};

// Prepares triangles for being carried. Equal points become one, those of an edge longer than `longest_edge` are joined by
// more points on it, and a closed mesh that is inside out is turned. Throws SceneError if no triangle has an area, or if
// there would be too many.
EmbeddedMesh make_embedded_mesh(const TexturedMesh& parts, double longest_edge);

// The normals of a mesh whose points are at `x`: means of the normals of the triangles, weighted by their angles. (EMB.6)
std::vector<Vec3<double>> normals_of(const EmbeddedMesh& mesh, const std::vector<Double3>& x);

// The surface of a shape: the triangles of its file if it is a mesh, otherwise made from its surface. Where parts of a
// shape are joined or cut, cells of `width` resolve it. [m]
TexturedMesh textured_surface(const Shape& shape, double width);

// places points as the innermost shape of nested Placed ones is placed
void place_as(const Shape& shape, std::vector<Double3>& points);

}  // namespace dollop
