#include "grid/islands.h"

#include <algorithm>
#include <array>

#include "core/parallel.h"
#include "grid/block_set.h"

namespace dollop {
namespace {

constexpr int near = 2;                // blocks farther apart share no nodes
constexpr std::size_t most_tiles = 8;  // of an island
constexpr int most_cells = 3;          // along each axis

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
  BlockSet blocks(count_groups(occupied));
  for (const BlockKey key : occupied) blocks.add(key);
  blocks.number();
  // the tiles that share nodes with each sparse tile; one more than an island may have are enough
  std::vector<std::array<std::int32_t, most_tiles>> met(n);
  std::vector<std::uint8_t> met_count(n, 0);
  parallel_for(n, 64, [&](std::size_t t) {
    if (!cells[t].sparse) return;
    const BlockCoord c = coord_of(occupied[t]);
    const Reach own = nodes_of(c, cells[t], stencil);
    blocks.each_near(c, near, [&](const BlockCoord& other, std::int32_t k) {
      if (k != std::int32_t(t) && own.touches(nodes_of(other, cells[std::size_t(k)], stencil)))
        met[t][met_count[t]++] = k;
      return met_count[t] < most_tiles;
    });
  });

  // Connected tiles, by search from the first of each. A search ends when the tiles are too many or too far apart; those
  // that it has not reached meet some that it has.
  Islands islands;
  std::vector<std::int32_t> first_of(n, -1);  // the tile from which a tile was found
  std::vector<std::int32_t> found;
  for (std::size_t t = 0; t < n; ++t) {
    if (first_of[t] >= 0 || !cells[t].sparse) continue;
    const auto first = std::int32_t(t);
    found = {first};
    first_of[t] = first;
    Reach all = cells_of(coord_of(occupied[t]), cells[t]);
    bool fits = true;
    for (std::size_t k = 0; k < found.size() && fits; ++k) {
      const auto from = std::size_t(found[k]);
      fits = met_count[from] < most_tiles;
      for (std::size_t m = 0; m < met_count[from] && fits; ++m) {
        const auto o = std::size_t(met[from][m]);
        if (first_of[o] == first) continue;
        fits = cells[o].sparse && first_of[o] < 0 && found.size() < most_tiles;
        if (!fits) break;
        first_of[o] = first;
        found.push_back(std::int32_t(o));
        all.add(cells_of(coord_of(occupied[o]), cells[o]));
      }
      for (std::size_t d = 0; d < 3; ++d) fits = fits && all.last[d] - all.first[d] < most_cells;
    }
    if (!fits) continue;
    std::sort(found.begin(), found.end());
    islands.tiles.insert(islands.tiles.end(), found.begin(), found.end());
    islands.begin.push_back(std::uint32_t(islands.tiles.size()));
  }
  return islands;
}

}  // namespace dollop
