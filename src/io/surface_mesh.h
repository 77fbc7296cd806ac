// A triangle mesh of the material's surface at one time, for files, pictures and the viewer.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "math/vec.h"

namespace dollop {

struct SurfaceMesh {
  double time = 0;                            // [s]
  std::vector<Vec3<float>> positions = {};    // of the vertices [m]
  std::vector<Vec3<float>> normals = {};      // unit, outward; one for each vertex
  std::vector<Vec3<float>> velocities = {};   // of the material at each vertex [m/s]; or empty
  std::vector<std::int32_t> material = {};    // index into the scene's materials, of each vertex
  std::vector<float> values = {};             // a quantity for colouring; or empty
  std::vector<std::array<float, 2>> uv = {};  // texture coordinates; or empty
  std::vector<std::int32_t> body = {};        // index into the scene's bodies, of each vertex; or empty
  std::vector<std::array<std::uint32_t, 3>> triangles = {};  // counter-clockwise seen from outside
};

}  // namespace dollop
