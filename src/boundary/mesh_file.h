// Reads triangles from files of any format that assimp supports.
#pragma once

#include <string>

#include "boundary/triangle_mesh.h"

namespace dollop {

// All triangles of a file, in the units of the file, with equal points merged. Throws a SceneError that names the file
// if it is missing, not readable, has no triangles, or has points that are not finite.
TriangleMesh read_triangles(const std::string& file);

}  // namespace dollop
