// Frames as the page gets them: small, and ready for the graphics card. Layout: docs/viewer.md.
#pragma once

#include <dollop/simulation.h>

#include <cstddef>
#include <string>

#include "io/surface_mesh.h"

namespace dollop {

// Slot s of the arrays holds particle (s * stride) mod n. The stride is near the golden section and has no divisor in
// common with n, so the first slots, however many, are spread evenly over all particles: a page that must be quick
// draws only these.
std::size_t shuffle_stride(std::size_t n);

struct ParticleRequest {
  int frame = 0;
  std::size_t materials = 1;  // of the scene
  std::string quantity = {};  // to colour by; empty: none. One that the frame lacks is left out.
  bool ids = false;
  std::string colliders = "[]";  // poses, passed on
};
std::string encode_particles(const ParticleFrame& frame, const ParticleRequest& request);

std::string encode_surface(const SurfaceMesh& mesh, int frame, const std::string& quantity);

}  // namespace dollop
