// Volumes of the material and of the empty space in it. The unit of length is r, half a grid cell.
#pragma once

#include "particles/sphere_distance.h"

namespace dollop {

// volume of the body that the particles represent; the protruding parts of the spheres do not count [r^3]  (RES.10)
double body_volume(const ParticleCells& cells, const SphereDistance& distance);

// volume of the voids: cavities, cracks and gaps inside the material [r^3]                                 (RES.11)
double void_volume(const ParticleCells& cells, const SphereDistance& distance);

}  // namespace dollop
