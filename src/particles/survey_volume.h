// Volumes of the material and of the empty space in it. The unit of length is r, half a grid cell.
#pragma once

#include "particles/sphere_distance.h"

namespace dollop {

// of the body that the particles stand for, without what the spheres stand out of it [r^3]            (RES.10)
double body_volume(const ParticleCells& cells, const SphereDistance& distance);

// of pockets, cracks and gaps inside the material [r^3]                                               (RES.11)
double void_volume(const ParticleCells& cells, const SphereDistance& distance);

}  // namespace dollop
