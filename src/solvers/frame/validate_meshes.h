// Checks the surface meshes of bodies against the rest of the scene.
#pragma once

#include <dollop/scene.h>

namespace dollop {

// Throws SceneError, with the key in `where`, if a material would be shown both by a surface mesh and by its particles, or
// if a surface is asked for and no material is left for it. The meshes themselves are read later.
void validate_meshes(const Scene& scene);

}  // namespace dollop
