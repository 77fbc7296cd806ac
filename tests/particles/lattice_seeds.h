// Particles on a lattice, as bodies of a scene are seeded unless they say otherwise.
#pragma once

#include "particles/seeding.h"

namespace dollop {

inline Seeds seed_lattice(const Shape& shape, const BlockSpace& space, double per_cell) {
  return seed(shape, space, per_cell, Seeding::lattice, 0, 0);
}

}  // namespace dollop
