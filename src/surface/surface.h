// Surface reconstruction from particles. Methods and their limits: docs/surfaces.md.
#pragma once

#include <dollop/scene.h>
#include <dollop/simulation.h>

#include <string>
#include <vector>

#include "io/surface_mesh.h"

namespace dollop {

struct SurfacePoints;

enum class SurfaceMethod {
  fast,    // isosurface of a splatted density, Taubin smoothing
  smooth,  // OpenVDB's smooth spheres, filtered by mean curvature
  sharp,   // anisotropic kernels, for thin sheets and threads
};

struct SurfaceOptions {
  SurfaceMethod method = SurfaceMethod::fast;
  double cell = 0;  // width of the mesh's cells [m]; 0: from the particle spacing
  std::string value =
      {};  // attribute that is interpolated to the mesh ("speed": norm of the velocity); empty: none
  std::vector<bool> surfaced = {};  // for each material of the scene: is part of the surface; empty: all are
};

// Uses the attributes "volume", "J" and "velocity" if the frame has them. The same bits at any number of threads.
SurfaceMesh make_surface(const ParticleFrame& frame, const SurfaceOptions& options);

// The smallest cell width of a method for these particles: narrower ones in the options are raised to it [m].
double finest_cell(const SurfacePoints& points, SurfaceMethod method);

double enclosed_volume(const SurfaceMesh& mesh);  // [m^3]

}  // namespace dollop
