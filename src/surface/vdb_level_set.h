// Surfaces by OpenVDB, and the files that hold them. Its headers are slow to compile: they stay in vdb_level_set.cpp.
#pragma once

#include <filesystem>

#include "io/surface_mesh.h"
#include "surface/spline_field.h"

namespace dollop {

// OpenVDB's smooth spheres (Zhu and Bridson 2005), filtered by mean curvature: 1/2 on the surface, more inside.
SplineField smooth_spheres(const SurfacePoints& points, double voxel);

// Writes the signed distance to the mesh as a level set "surface", and the velocities of the mesh as a grid "velocity"
// around it. Voxels are `voxel` wide [m]. The file appears whole or not at all; throws OutputError.
void write_level_set_vdb(const std::filesystem::path& file, const SurfaceMesh& mesh, double voxel);

}  // namespace dollop
