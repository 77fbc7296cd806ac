#include "surface/blocks.h"

#include <tbb/parallel_sort.h>

#include <algorithm>
#include <cmath>

#include "core/parallel.h"

namespace dollop {
namespace {

BlockCoord shifted(const BlockCoord& block, int dx, int dy, int dz) {
  return {block[0] + dx, block[1] + dy, block[2] + dz};
}

// sorts particles by block, then by node, then by index
struct SortKey {
  BlockKey block;
  std::uint32_t node, index;
  bool operator<(const SortKey& other) const {
    if (block != other.block) return block < other.block;
    return node != other.node ? node < other.node : index < other.index;
  }
};

std::uint32_t constexpr out_of_range = ~std::uint32_t(0);

SortKey sort_key_of(const Vec3<float>& x, double inverse, std::uint32_t index) {
  BlockCoord block;
  std::uint32_t node = 0;
  for (int a = 0; a < 3; ++a) {
    const double nearest = std::floor(double(x[a]) * inverse + 0.5);
    if (std::abs(nearest) > double(voxels_on_edge) * (block_limit - 2)) return {0, out_of_range, index};
    const std::int32_t number = std::int32_t(nearest);
    block[std::size_t(a)] = number >> 3;
    node = node * voxels_on_edge + std::uint32_t(number & 7);
  }
  return {key_of(block), node, index};
}

}  // namespace

std::int32_t BlockTable::find(BlockKey key) const {
  const auto it = std::lower_bound(keys.begin(), keys.end(), key);
  return it != keys.end() && *it == key ? std::int32_t(it - keys.begin()) : -1;
}

BlockTable make_blocks(std::vector<BlockKey> keys) {
  BlockTable table;
  tbb::parallel_sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  table.keys = std::move(keys);
  table.neighbours.resize(table.size());
  parallel_for(table.size(), 64, [&](std::size_t slot) {
    const BlockCoord block = coord_of(table.keys[slot]);
    for (int dx = -1; dx <= 1; ++dx)
      for (int dy = -1; dy <= 1; ++dy)
        for (int dz = -1; dz <= 1; ++dz)
          table.neighbours[slot][std::size_t(neighbour_at(dx, dy, dz))] =
              table.find(key_of(shifted(block, dx, dy, dz)));
  });
  return table;
}

SortedPoints sort_points(const SurfacePoints& points, double voxel) {
  SortedPoints sorted;
  sorted.voxel = voxel;
  const double inverse = 1 / voxel;
  std::vector<SortKey> sort_keys(points.size());
  parallel_for(points.size(), 8192,
               [&](std::size_t i) { sort_keys[i] = sort_key_of(points.x[i], inverse, std::uint32_t(i)); });
  std::erase_if(sort_keys, [](const SortKey& p) { return p.node == out_of_range; });
  tbb::parallel_sort(sort_keys.begin(), sort_keys.end());

  sorted.local.resize(sort_keys.size());
  sorted.index.resize(sort_keys.size());
  sorted.node.resize(sort_keys.size());
  parallel_for(sort_keys.size(), 8192, [&](std::size_t i) {
    const BlockCoord block = coord_of(sort_keys[i].block);
    for (int a = 0; a < 3; ++a)
      sorted.local[i][a] = float(double(points.x[sort_keys[i].index][a]) * inverse -
                                 double(voxels_on_edge) * block[std::size_t(a)]);
    sorted.index[i] = sort_keys[i].index;
    sorted.node[i] = std::uint16_t(sort_keys[i].node);
  });
  for (std::size_t i = 0; i < sort_keys.size(); ++i)
    if (i == 0 || sort_keys[i].block != sort_keys[i - 1].block) {
      sorted.keys.push_back(sort_keys[i].block);
      sorted.first.push_back(std::uint32_t(i));
    }
  sorted.first.push_back(std::uint32_t(sort_keys.size()));
  return sorted;
}

BlockTable blocks_within_reach(const SortedPoints& points, int reach) {
  std::vector<BlockKey> keys;
  for (std::size_t b = 0; b < points.keys.size(); ++b) {
    // the box of nodes that the particles of this block belong to
    int low[3]{voxels_on_edge, voxels_on_edge, voxels_on_edge}, high[3]{0, 0, 0};
    for (std::uint32_t i = points.first[b]; i < points.first[b + 1]; ++i) {
      const int node[3]{points.node[i] >> 6, points.node[i] >> 3 & 7, points.node[i] & 7};
      for (int a = 0; a < 3; ++a) {
        low[a] = std::min(low[a], node[a]);
        high[a] = std::max(high[a], node[a]);
      }
    }
    const auto within_reach = [&](int a, int offset) {
      return offset == 0 || (offset < 0 ? low[a] - reach < 0 : high[a] + reach >= voxels_on_edge);
    };
    const BlockCoord block = coord_of(points.keys[b]);
    for (int dx = -1; dx <= 1; ++dx)
      for (int dy = -1; dy <= 1; ++dy)
        for (int dz = -1; dz <= 1; ++dz)
          if (within_reach(0, dx) && within_reach(1, dy) && within_reach(2, dz))
            keys.push_back(key_of(shifted(block, dx, dy, dz)));
  }
  return make_blocks(std::move(keys));
}

void load_nodes(const BlockTable& blocks, const float* field, std::size_t slot, int low, int high,
                float* out) {
  const int n = high - low;
  for (int dx = -1; dx <= 1; ++dx)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dz = -1; dz <= 1; ++dz) {
        // nodes of the neighbour that lie in the range, counted from the first node of the block in the middle
        const auto begin = [&](int d) { return std::max(low, voxels_on_edge * d); };
        const auto end = [&](int d) { return std::min(high, voxels_on_edge * (d + 1)); };
        if (begin(dx) >= end(dx) || begin(dy) >= end(dy) || begin(dz) >= end(dz)) continue;
        const std::int32_t from = blocks.neighbours[slot][std::size_t(neighbour_at(dx, dy, dz))];
        for (int i = begin(dx); i < end(dx); ++i)
          for (int j = begin(dy); j < end(dy); ++j) {
            float* to = out + ((i - low) * n + j - low) * n + begin(dz) - low;
            const int count = end(dz) - begin(dz);
            if (from < 0) {
              std::fill_n(to, count, 0.0f);
              continue;
            }
            const float* row =
                field + std::size_t(from) * voxels_in_block +
                ((i - voxels_on_edge * dx) * voxels_on_edge + j - voxels_on_edge * dy) * voxels_on_edge;
            std::copy_n(row + begin(dz) - voxels_on_edge * dz, count, to);
          }
      }
}

}  // namespace dollop
