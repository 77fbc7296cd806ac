// The surface of what the particles form. Methods and their limits: docs/surfaces.md.
#pragma once

#include <dollop/scene.h>
#include <dollop/simulation.h>

#include <string>
#include <vector>

#include "io/surface_mesh.h"

namespace dollop {

struct SurfacePoints;

enum class SurfaceMethod {
  fast,    // density splat, smoothing, iso-surface, Taubin
  smooth,  // OpenVDB's smooth spheres, filtered by mean curvature
  sharp,   // anisotropic kernels, for thin sheets and threads
};

struct SurfaceOptions {
  SurfaceMethod method = SurfaceMethod::fast;
  double cell = 0;  // width of the field's cells [m]; 0: from the particles' own size
  std::string value =
      {};  // attribute of the frame that the mesh carries along ("speed": of the velocity); empty: none
  std::vector<bool> surfaced = {};  // for each material of the scene: part of the surface; empty: all are
};

// Uses the attributes "volume", "J" and "velocity" where the frame has them. The same bits at any number of threads.
SurfaceMesh make_surface(const ParticleFrame& frame, const SurfaceOptions& options);

// The narrowest cells that a method gives the mesh of these particles, whatever the options say [m].
double finest_cell(const SurfacePoints& points, SurfaceMethod method);

double enclosed_volume(const SurfaceMesh& mesh);  // [m^3]

}  // namespace dollop
