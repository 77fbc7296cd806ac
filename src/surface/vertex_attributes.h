// Interpolates velocity, material and a quantity to colour by from the particles to the vertices of the mesh.
#pragma once

#include "surface/surface_points.h"

namespace dollop {

// One value per particle of the frame: an attribute, or "speed" or "pressure" derived from one; empty for an empty
// name. Throws std::invalid_argument if the frame has no such quantity.
std::vector<float> quantity_of(const ParticleFrame& frame, const std::string& name);

void interpolate_attributes(const ParticleFrame& frame, const SurfacePoints& points,
                            const SurfaceOptions& options, SurfaceMesh& mesh);

}  // namespace dollop
