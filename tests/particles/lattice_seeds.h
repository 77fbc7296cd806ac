// Particles on a lattice, the default seeding of bodies.
#pragma once

#include "particles/seeding.h"

namespace dollop {

inline Seeds seed_lattice(const Shape& shape, const BlockSpace& space, double per_cell) {
  return seed(shape, space, per_cell, Seeding::lattice, 0, 0);
}

}  // namespace dollop
