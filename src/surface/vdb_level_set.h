// Level sets by OpenVDB, and their files. OpenVDB's headers are slow to compile: only vdb_level_set.cpp includes them.
#pragma once

#include <filesystem>
#include <vector>

#include "io/surface_mesh.h"
#include "surface/spline_field.h"

namespace dollop {

inline constexpr float level_set_band =
    3;  // voxels on either side of the surface that a level set is known in

// A signed distance at the nodes of blocks, negative inside. Where there is no block it is wider than the band.
struct DistanceField {
  BlockTable blocks = {};
  double voxel = 1;                  // [m]
  std::vector<float> distance = {};  // [slot][node], [m]
};

// Filters the surface by mean curvature, in this number of passes, and makes it a field: 1/2 on the surface that lies
// `depth` inside it [m], more inside.
SplineField filter_level_set(const DistanceField& surface, int passes, double depth);

// Writes the signed distance to the mesh as a level set "surface", and the velocities of the mesh as a grid "velocity"
// around it. Voxels are `voxel` wide [m]. Writes an AtomicFile; throws OutputError.
void write_level_set_vdb(const std::filesystem::path& file, const SurfaceMesh& mesh, double voxel);

}  // namespace dollop
