// The surface that pictures and the viewer show: the surface meshes of bodies, and what is reconstructed of the rest.
#pragma once

#include "surface/surface.h"

namespace dollop {

// The options without the materials that a surface mesh of the frame encloses.
SurfaceOptions beside_meshes(const Scene& scene, const ParticleFrame& frame, SurfaceOptions options);

// whether any material is part of the surface
bool any_surfaced(const SurfaceOptions& options);

// The surface meshes of the frame whose material is surfaced, and the surface of the other materials, as one mesh.
SurfaceMesh visible_surface(const Scene& scene, const ParticleFrame& frame, const SurfaceOptions& options);

}  // namespace dollop
