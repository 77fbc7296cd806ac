// Fixed-radius neighbour search among sorted particles.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "surface/blocks.h"

namespace dollop {

class NearbyPoints {
 public:
  explicit NearbyPoints(const SortedPoints& points);  // points must outlive this

  // Calls body(i, offset from x in voxels) for the sorted particles whose nodes lie within `reach` nodes of that of x.
  template <class Body>
  void visit(const Vec3<float>& x, int reach, Body&& body) const {
    Vec3<double> g;
    int node[3];
    for (int a = 0; a < 3; ++a) {
      g[a] = double(x[a]) / points_.voxel;
      node[a] = int(std::floor(g[a] + 0.5));
    }
    const auto block = [](int n) { return n >> 3; };
    for (int bx = block(node[0] - reach); bx <= block(node[0] + reach); ++bx)
      for (int by = block(node[1] - reach); by <= block(node[1] + reach); ++by)
        for (int bz = block(node[2] - reach); bz <= block(node[2] + reach); ++bz) {
          const std::int32_t b = blocks_.find(key_of({bx, by, bz}));
          if (b < 0) continue;
          const int corner[3]{bx * voxels_on_edge, by * voxels_on_edge, bz * voxels_on_edge};
          const Vec3<float> local{float(g.x - corner[0]), float(g.y - corner[1]), float(g.z - corner[2])};
          visit_block(std::size_t(b), node, corner, reach, local, body);
        }
  }

 private:
  template <class Body>
  void visit_block(std::size_t b, const int* node, const int* corner, int reach, const Vec3<float>& local,
                   Body&& body) const {
    int low[3], high[3];
    for (int a = 0; a < 3; ++a) {
      low[a] = std::max(node[a] - reach - corner[a], 0);
      high[a] = std::min(node[a] + reach - corner[a], voxels_on_edge - 1);
    }
    for (int i = low[0]; i <= high[0]; ++i)
      for (int j = low[1]; j <= high[1]; ++j) {
        // particles are sorted by node, so those of a row of nodes are contiguous
        const std::size_t row = b * voxels_in_block + std::size_t((i * voxels_on_edge + j) * voxels_on_edge);
        const std::uint32_t end = starts_[row + std::size_t(high[2]) + 1];
        for (std::uint32_t p = starts_[row + std::size_t(low[2])]; p < end; ++p) {
          body(p, points_.local[p] - local);
        }
      }
  }

  const SortedPoints& points_;
  BlockTable blocks_;                  // the blocks of the points, in the same order
  std::vector<std::uint32_t> starts_;  // first particle of each node, [block][node]
};

}  // namespace dollop
