// A sparse grid: blocks of 8 x 8 x 8 voxels that exist near particles only, and the particles sorted into them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "math/vec.h"
#include "particles/block_space.h"
#include "surface/surface_points.h"

namespace dollop {

inline constexpr int voxels_on_edge = 8;  // voxels along an edge of a block
inline constexpr int voxels_in_block = voxels_on_edge * voxels_on_edge * voxels_on_edge;

// A set of blocks and their adjacency.
struct BlockTable {
  std::vector<BlockKey> keys = {};  // ascending; the index of a block here is its slot
  std::vector<std::array<std::int32_t, neighbour_count>> neighbours =
      {};  // slots of the neighbours of each block; -1: not in the set

  std::size_t size() const { return keys.size(); }
  std::int32_t find(BlockKey key) const;  // the slot of the block, or -1
};

BlockTable make_blocks(std::vector<BlockKey> keys);  // keys: in any order, duplicates allowed

// Particles sorted by block, within it by voxel. A particle belongs to the node that is nearest to it.
struct SortedPoints {
  double voxel = 1;                       // [m]; node (i, j, k) lies at voxel * (i, j, k)
  std::vector<BlockKey> keys = {};        // of the blocks that hold particles, ascending
  std::vector<std::uint32_t> first = {};  // index of the first particle of each block, and the end
  std::vector<Vec3<float>> local =
      {};  // position in voxels from the first node of the block, in [-1/2, 15/2]
  std::vector<std::uint32_t> index = {};  // index of the particle in the SurfacePoints
  std::vector<std::uint16_t> node = {};   // nearest node, its index in the block

  std::size_t size() const { return local.size(); }
};

// Particles more than 2^23 voxels away, beyond the range of block keys, are left out.
SortedPoints sort_points(const SurfacePoints& points, double voxel);

// The blocks with a node within `reach` nodes of a node that a particle belongs to; reach is below voxels_on_edge.
BlockTable blocks_within_reach(const SortedPoints& points, int reach);

// Copies the nodes [low, high) of a block, along each axis, from a field [slot][node] to out; nodes in no block are 0.
// z runs fastest. The range reaches into neighbours, so -8 <= low and high <= 16.
void load_nodes(const BlockTable& blocks, const float* field, std::size_t slot, int low, int high,
                float* out);

}  // namespace dollop
