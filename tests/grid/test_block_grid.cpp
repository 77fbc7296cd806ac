#include "grid/block_grid.h"

#include <gtest/gtest.h>

#include <set>

#include "transfer_case.h"

namespace dollop {
namespace {

template <class S>
class BlockGridTest : public testing::Test {
 public:
  static constexpr Method flip{{Kernel::cubic, Transfer::flip, ForceForm::mls, false}};
  static TransferCase<S> make(BlockCoord period = {0, 0, 0}) {
    return TransferCase<S>(best_instruction_set(), flip, cell_space(0.1, period));
  }
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(BlockGridTest, Scalars);

int wrap(int a, int period) { return period ? ((a % period) + period) % period : a; }

BlockCoord neighbour_of(const BlockCoord& c, int o, const BlockCoord& period) {
  return {wrap(c[0] + o / 9 - 1, period[0]), wrap(c[1] + o / 3 % 3 - 1, period[1]),
          wrap(c[2] + o % 3 - 1, period[2])};
}

// the active blocks are those with particles and the 26 around each; all tables agree with that
template <class S>
void expect_layout(const TransferCase<S>& c) {
  const BlockCoord period = c.grid.space.period;
  std::set<BlockCoord> active;
  for (const BlockKey key : c.store.blocks())
    for (int o = 0; o < 27; ++o) active.insert(neighbour_of(coord_of(key), o, period));
  const auto& slots = c.grid.slots;
  ASSERT_EQ(slots.size(), active.size());
  for (std::size_t s = 0; s < slots.size(); ++s) {
    EXPECT_TRUE(active.count(coord_of(slots[s])));
    EXPECT_TRUE(s == 0 || slots[s - 1] < slots[s]);
  }
  ASSERT_EQ(c.grid.neighbours.size(), 27 * slots.size());
  for (std::size_t s = 0; s < slots.size(); ++s)
    for (int o = 0; o < 27; ++o) {
      const BlockCoord there = neighbour_of(coord_of(slots[s]), o, period);
      const auto n = std::size_t(c.grid.neighbours[27 * s + std::size_t(o)]);
      if (active.count(there)) {
        ASSERT_LT(n, slots.size());
        EXPECT_EQ(coord_of(slots[n]), there);
      } else {
        EXPECT_EQ(n, slots.size());
      }
    }
  ASSERT_EQ(c.grid.slot_of_tile.size(), c.store.blocks().size());
  ASSERT_EQ(c.grid.tile_of_slot.size(), slots.size());
  std::size_t tiles = 0;
  for (std::size_t s = 0; s < slots.size(); ++s) {
    const int tile = c.grid.tile_of_slot[s];
    if (tile < 0) continue;
    ++tiles;
    EXPECT_EQ(c.store.blocks()[std::size_t(tile)], slots[s]);
    EXPECT_EQ(c.grid.slot_of_tile[std::size_t(tile)], int(s));
  }
  EXPECT_EQ(tiles, c.store.blocks().size());
}

// arrays are large enough, and the block that stands for missing neighbours is zero
template <class S>
void expect_arrays(const TransferCase<S>& c) {
  const std::size_t slots = c.grid.slots.size(), tiles = c.store.blocks().size();
  EXPECT_GE(c.grid.velocity.size(), 256 * (slots + 1));
  EXPECT_GE(c.grid.old_velocity.size(), 256 * (slots + 1));
  EXPECT_GE(c.grid.bounds.size(), 8 * slots);
  EXPECT_GE(c.grid.tiles.size(), tiles * std::size_t(c.grid.kernels->tile_reals));
  EXPECT_EQ(c.grid.reports.size(), tiles);
  for (std::size_t i = 256 * slots; i < 256 * (slots + 1); ++i) {
    EXPECT_EQ(c.grid.velocity[i], 0);
    EXPECT_EQ(c.grid.old_velocity[i], 0);
  }
}

TYPED_TEST(BlockGridTest, one_particle_has_27_blocks) {
  auto c = this->make();
  c.add_random(0, {{0.25, 0.25, 0.25}});
  c.sort();
  EXPECT_EQ(c.grid.slots.size(), 27u);
  expect_layout(c);
  expect_arrays(c);
}

TYPED_TEST(BlockGridTest, active_blocks_are_those_around_particles) {
  for (const BlockCoord& period : {BlockCoord{0, 0, 0}, BlockCoord{0, 0, 1}, BlockCoord{1, 1, 1},
                                   BlockCoord{2, 0, 3}, BlockCoord{0, 4, 0}}) {
    SCOPED_TRACE(testing::PrintToString(period));
    auto c = this->make(period);
    c.add_random(0, cube_of_places({0, 0, 0}, 3, 60, 1));
    c.add_random(1, cube_of_places({-1, 100, 2}, 1, 40, 2));
    c.sort();
    expect_layout(c);
    expect_arrays(c);
  }
}

TYPED_TEST(BlockGridTest, period_of_one_block_is_its_own_neighbour) {
  auto c = this->make({1, 1, 1});
  c.add_random(0, cube_of_places({0, 0, 0}, 3, 10, 1));
  c.sort();
  EXPECT_EQ(c.grid.slots.size(), 1u);
  for (const auto n : c.grid.neighbours) EXPECT_EQ(n, 0);
}

TYPED_TEST(BlockGridTest, outermost_blocks_have_all_their_neighbours) {
  auto c = this->make();
  const double far = 0.1 * 4 * (block_limit - 1.5);
  c.add_random(0, {{far, -far + 0.1, far}, {-far + 0.1, far, 0.2}});
  c.sort();
  EXPECT_EQ(c.grid.slots.size(), 54u);
  expect_layout(c);
}

TYPED_TEST(BlockGridTest, nothing_is_rebuilt_while_the_layout_stays) {
  auto c = this->make();
  c.add_random(0, cube_of_places({0, 0, 0}, 0.5, 100, 1));
  c.sort();
  const auto* velocity = c.grid.velocity.data();
  const auto mark = std::exchange(c.grid.neighbours[5], -77);
  auto& g = c.store.groups()[0];
  std::swap(g.reals(0)[0], g.reals(0)[1]);  // neighbours in a block: the same blocks, another order
  const auto layout = c.store.layout();
  c.sort();
  ASSERT_EQ(c.store.layout(), layout);
  EXPECT_EQ(c.grid.neighbours[5], -77);
  EXPECT_EQ(c.grid.velocity.data(), velocity);
  g.reals(0)[0] += 40;
  c.sort();
  ASSERT_NE(c.store.layout(), layout);
  EXPECT_EQ(mark >= 0, c.grid.neighbours[5] >= 0);
  expect_layout(c);
}

TYPED_TEST(BlockGridTest, moving_cloud_leaves_nothing_behind) {
  auto c = this->make();
  c.add_random(0, cube_of_places({0, 0, 0}, 0.35, 300, 1));
  c.sort();
  std::size_t most_slots = 0, most_bytes = 0;
  for (int step = 0; step < 150; ++step) {
    // stale numbers everywhere, as a step leaves them
    std::fill_n(c.grid.velocity.data(), c.grid.velocity.size(), TypeParam(1e30));
    std::fill_n(c.grid.old_velocity.data(), c.grid.old_velocity.size(), TypeParam(1e30));
    auto& g = c.store.groups()[0];
    const double move[] = {1.3, -0.9, 0.4};
    for (int d = 0; d < 3; ++d)
      for (std::size_t i = 0; i < g.size(); ++i) g.reals(d)[i] += TypeParam(move[d]);
    const auto layout = c.grid.layout;
    c.sort();
    expect_layout(c);
    if (c.grid.layout != layout) expect_arrays(c);
    most_slots = std::max(most_slots, c.grid.slots.size());
    most_bytes = std::max(most_bytes, c.grid.bytes());
  }
  EXPECT_LE(most_slots, 125u);  // 7.3 cells wide: at most 3 blocks along each axis, and one on either side
  const std::size_t needed = 126 * 2 * 256 + 125 * 8 + 27 * std::size_t(c.grid.kernels->tile_reals);
  EXPECT_LE(most_bytes, 2 * needed * sizeof(TypeParam));
}

TYPED_TEST(BlockGridTest, no_particles_no_blocks) {
  auto c = this->make();
  c.sort();
  EXPECT_TRUE(c.grid.slots.empty());
  EXPECT_EQ(c.grid.bytes(), 0u);
  c.to_grid();  // nothing to do, and nothing done
  c.to_particles();
}

}  // namespace
}  // namespace dollop
