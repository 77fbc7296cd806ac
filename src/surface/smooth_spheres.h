// Smooth spheres (Zhu and Bridson 2005): the distance to the mean of the particles around a place, filtered by mean curvature.
// Derivation: docs/surfaces.md.
#pragma once

#include <vector>

#include "surface/spline_field.h"
#include "surface/vdb_level_set.h"

namespace dollop {

// The surface as a field: 1/2 on the surface, more inside. Voxels are `voxel` wide [m], at least 0.4 spacings.
SplineField smooth_spheres(const SurfacePoints& points, double voxel);

// The first part of it: the distance of each node to the weighted mean of the particles within two spacings, less the
// mean of their radii [m], as far as the band of level sets reaches.
DistanceField distance_to_spheres(const SurfacePoints& points, const std::vector<float>& radii, double voxel);

}  // namespace dollop
