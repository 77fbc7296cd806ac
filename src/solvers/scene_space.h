// The lattice of nodes that a scene is simulated on.
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

}  // namespace dollop
