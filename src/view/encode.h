// Encodes frames for the web page, quantised and ready for the GPU. Layout: docs/viewer.md.
#pragma once

#include <dollop/simulation.h>

#include <cstddef>
#include <string>

#include "io/surface_mesh.h"

namespace dollop {

// Slot s of the arrays holds particle (s * stride) mod n. The stride is close to the golden section of n and coprime to
// n, so any number of first slots is a uniform sample of all particles: a slow page draws only these.
std::size_t shuffle_stride(std::size_t n);

struct ParticleRequest {
  int frame = 0;
  std::size_t materials = 1;  // number of materials of the scene
  std::string quantity = {};  // to colour by; empty: none. Ignored if the frame lacks it.
  bool ids = false;
  std::string colliders = "[]";  // their poses, copied into the packet
};
std::string encode_particles(const ParticleFrame& frame, const ParticleRequest& request);

std::string encode_surface(const SurfaceMesh& mesh, int frame, const std::string& quantity);

}  // namespace dollop
