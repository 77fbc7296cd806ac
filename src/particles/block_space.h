// Blocks of 4 x 4 x 4 grid nodes and the particles' place among them.
//
// A particle is at node 4 block + x, with x in cells relative to the first node of its block. So precision is
// the same everywhere in an unbounded space, also in float, and a periodic axis only wraps block numbers.
#pragma once

#include <dollop/shapes.h>

#include <array>
#include <cmath>
#include <cstdint>

#include "core/assert.h"
#include "particles/block_layout.h"

namespace dollop {

using BlockCoord = std::array<std::int32_t, 3>;

// which of the neighbours of a block lies at this offset, each part of which is -1, 0 or 1
constexpr int neighbour_at(int dx, int dy, int dz) { return 9 * dx + 3 * dy + dz + neighbour_self; }

// the block at one of the places around another, or itself
inline BlockCoord neighbour_of(const BlockCoord& c, int neighbour) {
  const auto [x, y, z] = neighbour_offset(neighbour);
  return {c[0] + x, c[1] + y, c[2] + z};
}

// Interleaved bits of the three coordinates: neighbours in space are mostly neighbours in this order.
using BlockKey = std::uint64_t;

inline constexpr std::int32_t block_limit = 1 << 20;  // coordinates are in [-limit, limit)

inline std::uint64_t spread_bits(std::uint64_t x) {  // 21 bits, two zeros between each
  x &= 0x1fffff;
  x = (x | x << 32) & 0x1f00000000ffff;
  x = (x | x << 16) & 0x1f0000ff0000ff;
  x = (x | x << 8) & 0x100f00f00f00f00f;
  x = (x | x << 4) & 0x10c30c30c30c30c3;
  return (x | x << 2) & 0x1249249249249249;
}
inline std::int32_t gather_bits(std::uint64_t x) {
  x &= 0x1249249249249249;
  x = (x | x >> 2) & 0x10c30c30c30c30c3;
  x = (x | x >> 4) & 0x100f00f00f00f00f;
  x = (x | x >> 8) & 0x1f0000ff0000ff;
  x = (x | x >> 16) & 0x1f00000000ffff;
  return std::int32_t((x | x >> 32) & 0x1fffff);
}
inline BlockKey key_of(const BlockCoord& c) {
  const auto biased = [](std::int32_t a) { return std::uint64_t(a + block_limit); };
  return spread_bits(biased(c[0])) << 2 | spread_bits(biased(c[1])) << 1 | spread_bits(biased(c[2]));
}
inline BlockCoord coord_of(BlockKey k) {
  return {gather_bits(k >> 2) - block_limit, gather_bits(k >> 1) - block_limit, gather_bits(k) - block_limit};
}

// The lattice of nodes: where it lies, how wide a cell is, which axes are periodic.
struct BlockSpace {
  double cell_size = 1;        // [m]
  Double3 origin{0, 0, 0};     // of node 0 [m]
  BlockCoord period{0, 0, 0};  // blocks after which an axis repeats; 0: it does not

  static bool in_range(const BlockCoord& c) {
    for (auto a : c)
      if (a < -block_limit + 1 || a >= block_limit - 1) return false;
    return true;
  }
  BlockCoord wrap(BlockCoord c) const {
    for (std::size_t d = 0; d < 3; ++d)
      if (period[d]) c[d] = ((c[d] % period[d]) + period[d]) % period[d];
    return c;
  }
  double to_cells(double x, std::size_t axis) const { return (x - origin[axis]) / cell_size; }
  double to_world(std::int32_t block, double x, std::size_t axis) const {
    return origin[axis] + cell_size * (double(block_edge) * block + x);
  }
};

}  // namespace dollop
