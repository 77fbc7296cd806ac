// Triangles from files of any format that assimp reads.
#pragma once

#include <string>

#include "boundary/triangle_mesh.h"

namespace dollop {

// All triangles of a file with merged points, lengths as in the file. Throws SceneError that names the file if it is
// missing, not readable, has no triangles, or has points that are not finite.
TriangleMesh read_triangles(const std::string& file);

}  // namespace dollop
