// The grid on which a scene is simulated.
#pragma once

#include <dollop/scene.h>

#include <cmath>

#include "particles/block_space.h"

namespace dollop {

inline BlockSpace space_of(const Scene& scene) {
  BlockSpace space;
  space.cell_size = scene.settings.cell_size;
  if (!scene.domain) return space;
  space.origin = scene.domain->min;
  for (std::size_t d = 0; d < 3; ++d)
    if (scene.domain->periodic[d])
      space.period[d] =
          std::int32_t(std::lround((scene.domain->max[d] - scene.domain->min[d]) / (4 * space.cell_size)));
  return space;
}

// Wraps the position of a particle into [min, max) of the domain on periodic axes. Positions are relative to blocks,
// which may extend across the border.
inline Double3 in_domain(const BlockSpace& space, Double3 x) {
  for (std::size_t d = 0; d < 3; ++d)
    if (const double length = 4 * space.cell_size * space.period[d]; length > 0) {
      x[d] -= length * std::floor((x[d] - space.origin[d]) / length);
      if (x[d] >= space.origin[d] + length) x[d] = space.origin[d];  // rounding just below the lower end
    }
  return x;
}

}  // namespace dollop
