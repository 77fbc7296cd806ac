#include "grid/islands.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/parallel.h"
#include "grid/key_table.h"

namespace dollop {
namespace {

constexpr int near = 2;                // blocks farther apart share no nodes
constexpr std::size_t most_tiles = 8;  // of an island
constexpr int most_cells = 3;          // along each axis

// The occupied blocks, as bits of groups of 4 x 4 x 4 blocks. The last six bits of a block's key are its place in the
// group.
class BlockBits {
 public:
  explicit BlockBits(const std::vector<BlockKey>& occupied) : groups_(occupied.size()) {
    for (const BlockKey key : occupied) groups_[key >> 6] |= std::uint64_t(1) << (key & 63);
  }
  // calls visit(coordinates) for each occupied block within `near` blocks of c
  template <class Visit>
  void each_near(const BlockCoord& c, Visit&& visit) const {
    BlockCoord first, last;  // groups
    for (std::size_t d = 0; d < 3; ++d) first[d] = (c[d] - near) >> 2, last[d] = (c[d] + near) >> 2;
    for (std::int32_t x = first[0]; x <= last[0]; ++x)
      for (std::int32_t y = first[1]; y <= last[1]; ++y)
        for (std::int32_t z = first[2]; z <= last[2]; ++z) {
          const BlockCoord corner{4 * x, 4 * y, 4 * z};
          std::uint64_t bits = groups_.find(key_of(corner) >> 6, 0);
          for (std::size_t d = 0; d < 3 && bits; ++d)
            bits &= range(d, c[d] - near - corner[d], c[d] + near - corner[d]);
          for (; bits; bits &= bits - 1)
            visit(coord_of((key_of(corner) & ~BlockKey(63)) | BlockKey(std::countr_zero(bits))));
        }
  }

 private:
  // the bits of the blocks of a group whose place along an axis is from `low` to `high`
  static std::uint64_t range(std::size_t axis, int low, int high) {
    static constexpr auto masks = [] {
      std::array<std::array<std::uint64_t, 4>, 3> all{};
      for (std::uint64_t bit = 0; bit < 64; ++bit)
        for (std::uint64_t d = 0; d < 3; ++d) {
          const std::uint64_t place = (bit >> (2 - d) & 1) | (bit >> (5 - d) & 1) << 1;
          all[d][place] |= std::uint64_t(1) << bit;
        }
      return all;
    }();
    std::uint64_t bits = 0;
    for (int place = std::max(low, 0); place <= std::min(high, 3); ++place)
      bits |= masks[axis][std::size_t(place)];
    return bits;
  }
  KeyTable<std::uint64_t> groups_;
};

// the nodes that the particles of a tile can reach, or the cells that they are in
struct Reach {
  std::array<std::int32_t, 3> first, last;
  bool touches(const Reach& other) const {
    for (std::size_t d = 0; d < 3; ++d)
      if (last[d] < other.first[d] || other.last[d] < first[d]) return false;
    return true;
  }
  void add(const Reach& other) {
    for (std::size_t d = 0; d < 3; ++d)
      first[d] = std::min(first[d], other.first[d]), last[d] = std::max(last[d], other.last[d]);
  }
};
Reach cells_of(const BlockCoord& c, const OccupiedCells& cells) {
  Reach r;
  for (std::size_t d = 0; d < 3; ++d)
    r.first[d] = block_edge * c[d] + cells.low[d], r.last[d] = block_edge * c[d] + cells.high[d];
  return r;
}
Reach nodes_of(const BlockCoord& c, const OccupiedCells& cells, int stencil) {
  Reach r = cells_of(c, cells);
  for (std::size_t d = 0; d < 3; ++d) --r.first[d], r.last[d] += stencil;
  return r;
}

}  // namespace

Islands find_islands(const std::vector<BlockKey>& occupied, const std::vector<OccupiedCells>& cells,
                     int stencil) {
  const std::size_t n = occupied.size();
  if (std::none_of(cells.begin(), cells.end(), [](const OccupiedCells& c) { return c.sparse; })) return {};
  const BlockBits bits(occupied);
  const auto index_of = [&](const BlockCoord& c) {
    return std::size_t(std::lower_bound(occupied.begin(), occupied.end(), key_of(c)) - occupied.begin());
  };
  // the tiles that share nodes with each sparse tile
  std::vector<std::vector<std::int32_t>> met(n);
  parallel_for(n, 64, [&](std::size_t t) {
    if (!cells[t].sparse) return;
    const BlockCoord c = coord_of(occupied[t]);
    const Reach own = nodes_of(c, cells[t], stencil);
    bits.each_near(c, [&](const BlockCoord& other) {
      if (other == c) return;
      const std::size_t k = index_of(other);
      if (own.touches(nodes_of(other, cells[k], stencil))) met[t].push_back(std::int32_t(k));
    });
  });

  // connected tiles, by search from the first of each
  Islands islands;
  std::vector<char> seen(n, 0);
  std::vector<std::int32_t> found;
  for (std::size_t t = 0; t < n; ++t) {
    if (seen[t] || !cells[t].sparse) continue;
    found = {std::int32_t(t)};
    Reach all = cells_of(coord_of(occupied[t]), cells[t]);
    bool fits = true;
    seen[t] = 1;
    for (std::size_t k = 0; k < found.size(); ++k)
      for (const std::int32_t other : met[std::size_t(found[k])]) {
        const auto o = std::size_t(other);
        if (!cells[o].sparse) {
          fits = false;
        } else if (!seen[o]) {
          seen[o] = 1;
          found.push_back(other);
          all.add(cells_of(coord_of(occupied[o]), cells[o]));
        }
      }
    for (std::size_t d = 0; d < 3; ++d) fits = fits && all.last[d] - all.first[d] < most_cells;
    if (!fits || found.size() > most_tiles) continue;
    std::sort(found.begin(), found.end());
    islands.tiles.insert(islands.tiles.end(), found.begin(), found.end());
    islands.begin.push_back(std::uint32_t(islands.tiles.size()));
  }
  return islands;
}

}  // namespace dollop
