// A cell list of all particles of a sorted store, whatever their material. Cells are cubes of half a grid cell, so that
// an undisturbed lattice of eight particles per grid cell has one in each. Theory: docs/theory/resampling.md.
//
// The unit of length here is r, half a grid cell. Cell (i, j, k) has its low corner at origin + r (i, j, k). Cells come
// in bricks of 8 x 8 x 8, a brick for each block of the grid. Only bricks that hold particles, and the 26 around each,
// exist; on a periodic axis bricks have the coordinates of wrapped blocks. Positions are relative to the low corner of
// a brick, in float.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "particles/particle_store.h"

namespace dollop {

inline constexpr int brick_width = 8;           // cells
inline constexpr std::size_t brick_size = 512;  // cells, z fastest

using CellCoord = std::array<std::int32_t, 3>;
using Float3 = std::array<float, 3>;

inline std::size_t cell_index(int i, int j, int k) { return std::size_t((i * 8 + j) * 8 + k); }

// A sparse set of bricks and the neighbours of each.
class BrickMap {
 public:
  static constexpr std::int32_t none = -1;

  BrickMap() = default;
  BrickMap(std::vector<BlockKey> keys, const BlockSpace& space);  // keys in any order, duplicates are dropped

  std::size_t size() const { return keys_.size(); }
  BlockCoord coord(std::size_t brick) const { return coord_of(keys_[brick]); }
  const std::vector<BlockKey>& keys() const { return keys_; }  // in ascending order
  std::int32_t find(BlockCoord block) const;  // of the wrapped block; `none` if it is missing
  // a brick and those around it, as in neighbour_offset. With short periods one may appear several times.
  const std::int32_t* around(std::size_t brick) const { return around_.data() + neighbour_count * brick; }
  static std::size_t neighbour(int dx, int dy, int dz) { return std::size_t(neighbour_at(dx, dy, dz)); }
  const BlockSpace& space() const { return space_; }

 private:
  BlockSpace space_;
  std::vector<BlockKey> keys_;
  std::vector<std::int32_t> around_;
};

// A point: its brick, and its position relative to the low corner of the brick, in [0, 8) [r].
struct BrickPoint {
  BlockCoord brick;
  Float3 x;
};
BrickPoint to_brick(const BlockSpace& space, const Double3& place);  // place in [m]
Double3 to_place(const BlockSpace& space, const BlockCoord& brick, const Float3& x);

class ParticleCells {
 public:
  // needs a sorted store; particles may have drifted out of their blocks since
  template <class S>
  explicit ParticleCells(const ParticleStore<S>& store);

  double radius() const { return map_.space().cell_size / 2; }  // r [m]
  const BlockSpace& space() const { return map_.space(); }
  const BrickMap& bricks() const { return map_; }
  std::size_t size() const { return index_.size(); }

  // particles [begin(b)[c], begin(b)[c + 1]) are in cell c of brick b, in the order of their ids
  const std::uint32_t* begin(std::size_t brick) const {
    return begin_.data() + (brick_size + 1) * std::size_t(row_[brick]);
  }
  bool is_empty(std::size_t brick) const { return row_[brick] == 0; }
  // bricks that hold particles, in ascending order
  const std::vector<std::uint32_t>& occupied() const { return occupied_; }
  // positions of all particles in their bricks [r]
  const float* x(int axis) const { return x_[std::size_t(axis)].data(); }
  Float3 place(std::size_t n) const { return {x_[0][n], x_[1][n], x_[2][n]}; }
  int group(std::size_t n) const { return group_[n]; }
  std::uint32_t index(std::size_t n) const { return index_[n]; }  // in its group

  // Calls visit(n, d, square) for the particles nearer than `radius` [r] to x, a position relative to the low corner
  // of `brick` that may be outside it: d = particle - x, square = |d|^2 [r, r^2]. The order is always the same: by
  // cell, x slowest, then by id. The radius is at most 8.
  template <class Visit>
  void each_near(std::size_t brick, const Float3& x, float radius, Visit&& visit) const;

  // Calls visit(begin, end, shift) for the runs of particles in the cells [low, high] relative to `brick`, at most
  // a brick away from it; x of these particles plus shift is relative to `brick`.
  template <class Visit>
  void each_run(std::size_t brick, const CellCoord& low, const CellCoord& high, Visit&& visit) const;

 private:
  template <class S, class Members>
  void fill(const ParticleStore<S>& store, const Members& members, std::uint32_t first, std::uint32_t* begin);

  BrickMap map_;
  std::vector<std::uint32_t> occupied_,
      row_;  // row_: the row of begin_ of each brick; empty bricks share row 0
  std::vector<std::uint32_t> begin_;
  std::array<std::vector<float>, 3> x_;
  std::vector<std::uint32_t> index_;
  std::vector<std::uint16_t> group_;
};

template <class Visit>
void ParticleCells::each_run(std::size_t brick, const CellCoord& low, const CellCoord& high,
                             Visit&& visit) const {
  const std::int32_t* around = map_.around(brick);
  for (int i = low[0]; i <= high[0]; ++i)
    for (int j = low[1]; j <= high[1]; ++j)
      for (int dz = low[2] >> 3; dz <= high[2] >> 3; ++dz) {
        const std::int32_t other = around[BrickMap::neighbour(i >> 3, j >> 3, dz)];
        if (other == BrickMap::none) continue;
        const int first = dz == low[2] >> 3 ? low[2] & 7 : 0, last = dz == high[2] >> 3 ? high[2] & 7 : 7;
        const std::uint32_t* cell = begin(std::size_t(other)) + cell_index(i & 7, j & 7, 0);
        if (cell[first] != cell[last + 1])
          visit(cell[first], cell[last + 1], Float3{float(8 * (i >> 3)), float(8 * (j >> 3)), float(8 * dz)});
      }
}

template <class Visit>
void ParticleCells::each_near(std::size_t brick, const Float3& x, float radius, Visit&& visit) const {
  CellCoord low, high;
  for (std::size_t d = 0; d < 3; ++d) {
    low[d] = std::int32_t(std::floor(x[d] - radius));
    high[d] = std::int32_t(std::floor(x[d] + radius));
  }
  each_run(brick, low, high, [&](std::uint32_t begin, std::uint32_t end, const Float3& shift) {
    // the shift is a whole number, so this difference is rounded once at most
    const Float3 from{x[0] - shift[0], x[1] - shift[1], x[2] - shift[2]};
    for (std::uint32_t n = begin; n < end; ++n) {
      const Float3 d{x_[0][n] - from[0], x_[1][n] - from[1], x_[2][n] - from[2]};
      const float square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
      if (square < radius * radius) visit(n, d, square);
    }
  });
}

}  // namespace dollop
