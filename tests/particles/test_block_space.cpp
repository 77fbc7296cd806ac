#include "particles/block_space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/random.h"

namespace dollop {
namespace {

std::int32_t random_coordinate(std::uint64_t stream, std::uint64_t n) {
  return std::int32_t(random_bits(5, stream, n) % std::uint64_t(2 * block_limit)) - block_limit;
}
BlockCoord random_block(std::uint64_t n) {
  return {random_coordinate(0, n), random_coordinate(1, n), random_coordinate(2, n)};
}

// the bits of the coordinates interleaved one by one, x highest
BlockKey interleaved(const BlockCoord& c) {
  BlockKey key = 0;
  for (int bit = 20; bit >= 0; --bit)
    for (const std::int32_t a : c) key = key << 1 | (std::uint64_t(a + block_limit) >> bit & 1);
  return key;
}

TEST(block_space, key_interleaves_the_bits) {
  for (std::uint64_t n = 0; n < 2000; ++n) EXPECT_EQ(key_of(random_block(n)), interleaved(random_block(n)));
}

TEST(block_space, key_and_coordinates_are_inverse) {
  std::vector<BlockCoord> blocks;
  const std::int32_t edges[] = {-block_limit,    -block_limit + 1, -2, -1, 0, 1, 2,
                                block_limit - 2, block_limit - 1};
  for (const auto x : edges)
    for (const auto y : edges)
      for (const auto z : edges) blocks.push_back({x, y, z});
  for (std::uint64_t n = 0; n < 2000; ++n) blocks.push_back(random_block(n));

  std::vector<BlockKey> keys;
  for (const BlockCoord& c : blocks) {
    EXPECT_EQ(coord_of(key_of(c)), c);
    EXPECT_LT(key_of(c), BlockKey(1) << 63);  // all ones marks an empty place of the grid's table
    keys.push_back(key_of(c));
  }
  std::sort(keys.begin(), keys.end());
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  EXPECT_EQ(std::size_t(std::unique(keys.begin(), keys.end()) - keys.begin()), blocks.size());
}

// the order is that of each coordinate while the others rest, across zero as well
TEST(block_space, keys_rise_with_each_coordinate) {
  for (std::uint64_t n = 0; n < 2000; ++n)
    for (std::size_t d = 0; d < 3; ++d) {
      BlockCoord low = random_block(n), high = low;
      high[d] = random_coordinate(3, n);
      if (low[d] == high[d]) continue;
      if (low[d] > high[d]) std::swap(low, high);
      EXPECT_LT(key_of(low), key_of(high));
    }
  EXPECT_LT(key_of({-1, 7, 7}), key_of({0, -7, -7}));  // the sign is the highest bit
}

TEST(block_space, blocks_of_a_cube_of_eight_are_neighbours_in_order) {
  for (std::uint64_t n = 0; n < 100; ++n) {
    BlockCoord c = random_block(n);
    for (auto& a : c) a = a / 2 * 2;
    for (std::uint64_t k = 0; k < 8; ++k)
      EXPECT_EQ(key_of({c[0] + int(k >> 2), c[1] + int(k >> 1 & 1), c[2] + int(k & 1)}), key_of(c) + k);
  }
}

TEST(block_space, range_leaves_room_for_neighbours) {
  EXPECT_TRUE(BlockSpace::in_range({0, 0, 0}));
  for (std::size_t d = 0; d < 3; ++d) {
    BlockCoord c{0, 0, 0};
    c[d] = block_limit - 2;
    EXPECT_TRUE(BlockSpace::in_range(c));
    c[d] = block_limit - 1;
    EXPECT_FALSE(BlockSpace::in_range(c));
    c[d] = -block_limit + 1;
    EXPECT_TRUE(BlockSpace::in_range(c));
    c[d] = -block_limit;
    EXPECT_FALSE(BlockSpace::in_range(c));
  }
}

TEST(block_space, periodic_axes_wrap) {
  BlockSpace space;
  space.period = {0, 1, 5};
  for (std::int32_t k = -23; k < 24; ++k) {
    const BlockCoord c = space.wrap({k, k, k});
    EXPECT_EQ(c[0], k);
    EXPECT_EQ(c[1], 0);
    EXPECT_GE(c[2], 0);
    EXPECT_LT(c[2], 5);
    EXPECT_EQ((c[2] - k) % 5, 0);
    EXPECT_EQ(space.wrap(c), c);
  }
}

TEST(block_space, world_and_cells_are_inverse) {
  BlockSpace space;
  space.cell_size = 0.25;
  space.origin = {1, -2, 3};
  EXPECT_EQ(space.to_world(0, 0, 1), -2);
  EXPECT_EQ(space.to_world(-3, 1.5, 0), 1 + 0.25 * (-12 + 1.5));
  EXPECT_EQ(space.to_cells(3 + 0.25 * 7, 2), 7);
  for (std::size_t d = 0; d < 3; ++d)
    EXPECT_NEAR(space.to_cells(space.to_world(-9, 2.7, d), d), -33.3, 1e-13);
}

}  // namespace
}  // namespace dollop
