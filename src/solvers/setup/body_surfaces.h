// The surface meshes of bodies at the start of a simulation. Theory: docs/theory/embedded_meshes.md.
#pragma once

#include "solvers/setup/setup.h"

namespace dollop {

// Reads or makes the meshes of all bodies that have one. Throws SceneError, with the key in `where`, if one cannot be used
// or is not where its body is.
std::vector<BodySurface> body_surfaces(const Scene& scene);

// Puts the points of the mesh of a body, if it has one, at their places, with the velocity of the body, which rotates about
// `center`.
template <class S>
void start_surface(const Setup<S>& setup, std::size_t body, const Double3& center, State<S>& state);

}  // namespace dollop
