// Reads triangles from files of any format that assimp supports.
#pragma once

#include <string>

#include "boundary/triangle_mesh.h"

namespace dollop {

// All triangles of a file, in the units of the file, with equal points merged. Throws a SceneError that names the file
// if it is missing, not readable, has no triangles, or has points that are not finite.
TriangleMesh read_triangles(const std::string& file);

// Triangles with the texture coordinates of their corners.
struct TexturedMesh {
  TriangleMesh mesh = {};
  std::vector<std::array<double, 2>> uv = {};  // of each point of the mesh; empty: there are none
};

// All triangles of a file with texture coordinates, of the first set if there are several. Points are as they are in the
// file: those on seams of the texture are there more than once. Throws as read_triangles() does.
TexturedMesh read_textured_mesh(const std::string& file);

}  // namespace dollop
