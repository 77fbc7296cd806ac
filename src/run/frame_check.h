// Whether the particles of a frame can be those of its scene: what is made of a frame may rely on it.
#pragma once

#include <dollop/scene.h>
#include <dollop/simulation.h>

#include <string>
#include <vector>

namespace dollop {

// What is wrong with the frame, naming the particle; empty: nothing. Every particle has an id and a material, its
// position is finite and within the reach of the grid, its velocity is finite and below that of light, its volume is
// finite, not negative and not far above that of the particles that the scene makes.
std::string frame_fault(const ParticleFrame& frame, const Scene& scene);

// The same for surface meshes of bodies: there is one for each body of the scene that has one, and its numbers are finite.
std::string mesh_fault(const std::vector<BodyMesh>& meshes, const Scene& scene);

}  // namespace dollop
