// Signed distance to the surface of the union of spheres of radius r around all particles, negative inside, on nodes of
// spacing r. Theory: docs/theory/resampling.md.
//
// The unit of length is r, half a grid cell. Node (i, j, k) is the low corner of cell (i, j, k) of particle_cells.h.
// Nodes come in bricks like cells. The distance is that to the nearest intersection of the surface with an edge between
// two nodes. It is valid in a narrow band, within `distance_band` of the surface, and +-distance_band beyond.
#pragma once

#include <cstdint>
#include <vector>

#include "particles/particle_cells.h"

namespace dollop {

inline constexpr float distance_band = 4;  // [r]
inline constexpr float fill_depth = 2.2f;  // [r] below the surface, where new particles are allowed (RES.5)

// Where a distance has to be valid.
enum class DistanceUse {
  everything,  // everywhere
  depth        // where it is below -fill_depth; elsewhere it is only known not to be below. Takes less time.
};

class SphereDistance {
 public:
  // keeps a reference to the cells
  SphereDistance(const ParticleCells& cells, DistanceUse use);

  // nodes have the bricks of the cells; all other nodes are at +distance_band
  const BrickMap& bricks() const { return map_; }

  // the distance at node (i, j, k) of a brick, each in [0, 8) [r]
  float value(std::size_t brick, int i, int j, int k) const {
    const Brick& b = bricks_[brick];
    return b.first == uniform ? b.constant : values_[b.first + cell_index(i, j, k)];
  }
  float value(const CellCoord& node) const;  // at a node counted from the origin [r]
  float sample(const Double3& place) const;  // interpolated trilinearly; place in [m], result in r
  // bits of a brick: node (i, j, k) is inside a sphere if bit 8 j + k of inside(brick)[i] is set; for either use
  const std::array<std::uint64_t, 8>& inside(std::size_t brick) const { return bricks_[brick].inside; }
  // true if all nodes of a brick have the same value, which is then value(brick, 0, 0, 0)
  bool is_uniform(std::size_t brick) const { return bricks_[brick].first == uniform; }
  // the distances at all corners of the cells of a brick: nodes[i][j][k]
  void load(std::size_t brick, float (&nodes)[9][9][9]) const;

 private:
  static constexpr std::size_t uniform = ~std::size_t(0);
  struct Brick {
    std::array<std::uint64_t, 8> inside{};
    float constant = distance_band;
    std::size_t first = uniform;  // index of its first value
  };
  class Builder;

  const BrickMap& map_;
  std::vector<Brick> bricks_;
  std::vector<float> values_;
};

}  // namespace dollop
