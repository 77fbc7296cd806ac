// A tetrahedron whose vertices have different values, for tests of the writers of meshes.
#pragma once

#include "io/surface_mesh.h"

namespace dollop {

inline SurfaceMesh sample_mesh() {
  SurfaceMesh mesh;
  mesh.time = 0.125;
  mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 4}};
  mesh.normals = {{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}, {0, 0, 1}};
  mesh.velocities = {{0.5f, 0.25f, 0.125f}, {1.5f, 0, 0}, {0, 2.5f, 0}, {0, 0, 3.5f}};
  mesh.material = {0, 1, 0, 1};
  mesh.values = {10, 20, 30, 40};
  mesh.triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  return mesh;
}

}  // namespace dollop
