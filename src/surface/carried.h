// What the mesh carries along: velocity, material and a quantity to colour by, from the particles around each vertex.
#pragma once

#include "surface/surface_points.h"

namespace dollop {

// A number for each particle of the frame: an attribute, or "speed" or "pressure" made from one; empty for an empty name.
// Throws std::invalid_argument if the frame has no such quantity.
std::vector<float> quantity_of(const ParticleFrame& frame, const std::string& name);

void carry_along(const ParticleFrame& frame, const SurfacePoints& points, const SurfaceOptions& options,
                 SurfaceMesh& mesh);

}  // namespace dollop
