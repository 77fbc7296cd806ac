// Level sets by OpenVDB, and their files. OpenVDB's headers are slow to compile: only vdb_level_set.cpp includes them.
#pragma once

#include <filesystem>

#include "io/surface_mesh.h"
#include "surface/spline_field.h"

namespace dollop {

// OpenVDB's smooth spheres (Zhu and Bridson 2005), filtered by mean curvature: 1/2 on the surface, more inside.
SplineField smooth_spheres(const SurfacePoints& points, double voxel);

// Writes the signed distance to the mesh as a level set "surface", and the velocities of the mesh as a grid "velocity"
// around it. Voxels are `voxel` wide [m]. Writes an AtomicFile; throws OutputError.
void write_level_set_vdb(const std::filesystem::path& file, const SurfaceMesh& mesh, double voxel);

}  // namespace dollop
