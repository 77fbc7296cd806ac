#include "surface/nearby_points.h"

#include "core/parallel.h"

namespace dollop {

NearbyPoints::NearbyPoints(const SortedPoints& points) : points_(points), blocks_(make_blocks(points.keys)) {
  starts_.resize(points.keys.size() * voxels_in_block + 1);
  parallel_for(points.keys.size(), 8, [&](std::size_t b) {
    std::uint32_t i = points.first[b];
    for (std::size_t node = 0; node < voxels_in_block; ++node) {
      starts_[b * voxels_in_block + node] = i;
      while (i < points.first[b + 1] && points.node[i] == node) ++i;
    }
  });
  starts_.back() = std::uint32_t(points.size());
}

}  // namespace dollop
