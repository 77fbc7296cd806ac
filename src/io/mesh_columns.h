// The number of vertices; asserts that every vertex attribute has as many entries, or none.
#pragma once

#include <cstddef>

#include "core/assert.h"
#include "io/surface_mesh.h"

namespace dollop {

inline std::size_t count_vertices(const SurfaceMesh& mesh) {
  const std::size_t count = mesh.positions.size();
  DOLLOP_ASSERT(mesh.normals.empty() || mesh.normals.size() == count);
  DOLLOP_ASSERT(mesh.velocities.empty() || mesh.velocities.size() == count);
  DOLLOP_ASSERT(mesh.material.empty() || mesh.material.size() == count);
  DOLLOP_ASSERT(mesh.values.empty() || mesh.values.size() == count);
  DOLLOP_ASSERT(mesh.uv.empty() || mesh.uv.size() == count);
  DOLLOP_ASSERT(mesh.body.empty() || mesh.body.size() == count);
  return count;
}

}  // namespace dollop
