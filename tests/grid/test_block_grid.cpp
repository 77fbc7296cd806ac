#include "grid/block_grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "transfer_case.h"

namespace dollop {
namespace {

template <class S>
class BlockGridTest : public testing::Test {
 public:
  static constexpr Method flip{{Kernel::cubic, Transfer::flip, ForceForm::mls, false}};
  static TransferCase<S> make(BlockCoord period = {0, 0, 0}) {
    TransferCase<S> c(best_instruction_set(), flip, cell_space(0.1, period));
    c.grid.no_islands = false;
    return c;
  }
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(BlockGridTest, Scalars);

int wrap(int a, int period) { return period ? ((a % period) + period) % period : a; }

BlockCoord neighbour_of(const BlockCoord& c, int o, const BlockCoord& period) {
  return {wrap(c[0] + o / 9 - 1, period[0]), wrap(c[1] + o / 3 % 3 - 1, period[1]),
          wrap(c[2] + o % 3 - 1, period[2])};
}

// whether the cubic stencil of a particle in these cells of a block, or a cell away from them, reaches the block o
bool reaches(const OccupiedCells& cells, int o) {
  const int offset[3] = {o / 9 - 1, o / 3 % 3 - 1, o % 3 - 1};
  for (std::size_t d = 0; d < 3; ++d) {
    const int first = cells.low[d] - 1, last = cells.high[d] + 1 + 3;  // nodes
    if (last < 4 * offset[d] || first > 4 * offset[d] + 3) return false;
  }
  return true;
}

template <class S>
bool on_island(const TransferCase<S>& c, std::size_t block) {
  const auto& tiles = c.grid.islands.tiles;
  return std::find(tiles.begin(), tiles.end(), std::int32_t(block)) != tiles.end();
}

// the active blocks are those that particles can reach within a cell, but for islands; all tables agree with that
template <class S>
void expect_layout(const TransferCase<S>& c) {
  const BlockCoord period = c.grid.space.period;
  std::set<BlockCoord> active;
  for (std::size_t b = 0; b < c.store.blocks().size(); ++b)
    for (int o = 0; o < 27 && !on_island(c, b); ++o)
      if (reaches(c.store.occupied_cells()[b], o))
        active.insert(neighbour_of(coord_of(c.store.blocks()[b]), o, period));
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
  EXPECT_EQ(tiles + c.grid.islands.tiles.size(), c.store.blocks().size());
}

// arrays are large enough, and the block that stands for missing neighbours is zero
template <class S>
void expect_arrays(const TransferCase<S>& c) {
  const std::size_t slots = c.grid.slots.size(), tiles = c.store.blocks().size();
  EXPECT_GE(c.grid.velocity.size(), 256 * (slots + 1));
  EXPECT_GE(c.grid.old_velocity.size(), 256 * (slots + 1));
  EXPECT_GE(c.grid.bounds.size(), 8 * slots);
  std::size_t dense = 0;
  for (std::size_t t = 0; t < tiles; ++t) {
    std::size_t count = 0;
    for (int g = 0; g < int(c.store.groups().size()); ++g)
      count += c.store.begin(g)[t + 1] - c.store.begin(g)[t];
    EXPECT_EQ(c.grid.cells[t].sparse, count <= 8);
    EXPECT_EQ(c.grid.box_of_tile[t].box >= 0, count <= 8);
    dense += count > 8;
  }
  EXPECT_GE(c.grid.tiles.size(), dense * std::size_t(c.grid.kernels->tile_reals));
  std::size_t lone = 0;
  for (std::size_t i = 0; i < c.grid.island_count(); ++i) {
    const std::uint32_t first = c.grid.islands.begin[i], tile = std::uint32_t(c.grid.islands.tiles[first]);
    std::size_t count = 0;
    for (int g = 0; g < int(c.store.groups().size()); ++g)
      count += c.store.begin(g)[tile + 1] - c.store.begin(g)[tile];
    const bool alone = c.grid.islands.begin[i + 1] == first + 1 && count == 1;
    EXPECT_EQ(bool(c.grid.lone[i]), alone && !c.islands_are_touched);
    lone += std::size_t(c.grid.lone[i]);
  }
  EXPECT_EQ(lone + c.grid.stored_islands.size(), c.grid.island_count());
  EXPECT_EQ(c.grid.reports.size(), c.grid.runs.size() * std::size_t(c.grid.parts));
  // the runs hold every tile once, and sparse tiles alone are joined
  std::set<std::int32_t> seen;
  std::int32_t next = 0;
  for (const TileRun& run : c.grid.runs) {
    EXPECT_EQ(run.begin, next);
    EXPECT_TRUE(run.kind != RunKind::dense || run.end == run.begin + 1);
    EXPECT_EQ(run.kind == RunKind::lone, std::size_t(&run - c.grid.runs.data()) >= c.grid.first_lone_run);
    for (next = run.begin; next < run.end; ++next) {
      const std::int32_t t = c.grid.run_tiles[std::size_t(next)];
      EXPECT_TRUE(seen.insert(t).second);
      EXPECT_EQ(bool(c.grid.cells[std::size_t(t)].sparse), run.kind != RunKind::dense);
      EXPECT_EQ(c.grid.is_lone(std::size_t(t)), run.kind == RunKind::lone);
    }
  }
  EXPECT_EQ(seen.size(), tiles);
  for (std::size_t i = 256 * slots; i < 256 * (slots + 1); ++i) {
    EXPECT_EQ(c.grid.velocity[i], 0);
    EXPECT_EQ(c.grid.old_velocity[i], 0);
  }
}

TYPED_TEST(BlockGridTest, sparse_blocks_have_the_blocks_that_their_stencils_can_reach) {
  for (const auto& [place, blocks] : {std::pair{0.25, 8u}, std::pair{0.15, 27u}, std::pair{0.45, 8u}}) {
    auto c = this->make();
    c.grid.no_islands = true;
    c.add_random(0, {{place, place, place}});  // cells 1, 0 and 3 of the block
    c.sort();
    EXPECT_EQ(c.grid.slots.size(), blocks) << place;
    expect_layout(c);
    expect_arrays(c);
  }
}

TYPED_TEST(BlockGridTest, one_particle_is_an_island) {
  auto c = this->make();
  c.add_random(0, {{0.25, 0.25, 0.25}});
  c.sort();
  EXPECT_EQ(c.grid.slots.size(), 0u);
  EXPECT_EQ(c.grid.island_count(), 1u);
  c.to_grid();
  EXPECT_EQ(c.grid.box_nodes.size(), 0u);
  expect_layout(c);
  expect_arrays(c);
  c.islands_are_touched = true;
  c.sort();
  c.to_grid();
  EXPECT_GE(c.grid.box_nodes.size(), 4 * 2 * 64u);
  expect_layout(c);
  expect_arrays(c);
}

// boxes lie one after the other, each with room for the nodes that its particles touch and hardly more
TYPED_TEST(BlockGridTest, boxes_have_room_for_the_nodes_that_are_touched) {
  auto c = this->make();
  for (std::uint64_t k = 0; k < 60; ++k) {
    const auto at = cube_of_places({0, 0, 0}, 4, 1, k)[0];
    c.add_random(int(k % 2), cube_of_places(at, 0.06, 1 + k % 8, k));
  }
  c.islands_are_touched = true;
  c.sort();
  c.to_grid();
  std::size_t end = 0;
  for (const NodeBox& box : c.grid.boxes) {
    EXPECT_EQ(box.storage, end);
    end += box.nodes;
    std::array<int, 3> low{99, 99, 99}, high{-99, -99, -99};  // the first nodes of stencils
    for (std::size_t t = 0; t < c.store.blocks().size(); ++t) {
      if (&c.grid.boxes[std::size_t(c.grid.box_of_tile[t].box)] != &box) continue;
      const BlockCoord block = coord_of(c.store.blocks()[t]),
                       from = coord_of(c.store.blocks()[std::size_t(box.tile)]);
      for (std::size_t g = 0; g < 2; ++g)
        for (std::size_t i = c.store.begin(int(g))[t]; i < c.store.begin(int(g))[t + 1]; ++i)
          for (std::size_t d = 0; d < 3; ++d) {
            const double x = double(c.store.groups()[g].reals(int(d))[i]) - 1;
            const int cell = int(std::floor(x)) + 4 * (block[d] - from[d]);
            low[d] = std::min(low[d], cell), high[d] = std::max(high[d], cell);
          }
    }
    std::size_t nodes = 1;
    for (std::size_t d = 0; d < 3; ++d) {
      EXPECT_EQ(box.first[d], low[d]);
      EXPECT_EQ(box.count[d], high[d] - low[d] + 4);
      nodes *= std::size_t(box.count[d]);
    }
    EXPECT_GT(box.nodes, nodes);
    EXPECT_LE(box.nodes, nodes + 4);
  }
  EXPECT_GE(c.grid.box_nodes.size(), 4 * 2 * end);
}

// particles far from each other need hardly more memory than their own
TYPED_TEST(BlockGridTest, lone_particles_have_no_nodes) {
  auto c = this->make();
  std::vector<Double3> places;
  for (int n = 0; n < 1000; ++n) places.push_back({1.3 * (n / 100), 1.3 * (n / 10 % 10), 1.3 * (n % 10)});
  c.add_random(0, places);
  c.sort();
  EXPECT_EQ(c.grid.slots.size(), 0u);
  EXPECT_EQ(c.grid.runs.size(), 32u);  // of 32 particles
  EXPECT_EQ(c.grid.first_lone_run, 0u);
  EXPECT_LE(c.grid.bytes(), 1000 * (100 + 8 * sizeof(TypeParam)));
  expect_arrays(c);
}

// the islands that plain comparison of all pairs of tiles finds
template <class S>
std::set<std::set<std::int32_t>> islands_by_pairs(const ParticleStore<S>& store, int stencil) {
  const auto n = std::int32_t(store.blocks().size());
  const auto cells = [&](std::int32_t t, std::size_t d) {
    const int corner = 4 * coord_of(store.blocks()[std::size_t(t)])[d];
    const OccupiedCells& own = store.occupied_cells()[std::size_t(t)];
    return std::pair{corner + own.low[d], corner + own.high[d]};
  };
  const auto meet = [&](std::int32_t a, std::int32_t b) {
    for (std::size_t d = 0; d < 3; ++d) {
      const auto [a0, a1] = cells(a, d);
      const auto [b0, b1] = cells(b, d);
      if (a1 + stencil < b0 - 1 || b1 + stencil < a0 - 1) return false;
    }
    return true;
  };
  std::set<std::set<std::int32_t>> found;
  std::set<std::int32_t> seen;
  for (std::int32_t t = 0; t < n; ++t) {
    if (!seen.insert(t).second) continue;
    std::set<std::int32_t> members{t};
    std::vector<std::int32_t> open{t};
    while (!open.empty()) {
      const std::int32_t a = open.back();
      open.pop_back();
      for (std::int32_t b = 0; b < n; ++b)
        if (meet(a, b) && seen.insert(b).second) members.insert(b), open.push_back(b);
    }
    bool fits = members.size() <= 8;
    for (std::size_t d = 0; d < 3; ++d) {
      int low = 1 << 30, high = -low;
      for (const std::int32_t m : members) {
        low = std::min(low, cells(m, d).first), high = std::max(high, cells(m, d).second);
        fits = fits && store.occupied_cells()[std::size_t(m)].sparse;
      }
      fits = fits && high - low < 3;
    }
    if (fits) found.insert(members);
  }
  return found;
}

TYPED_TEST(BlockGridTest, islands_are_sparse_blocks_that_meet_no_others) {
  std::size_t joined = 0, all = 0;
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    auto c = this->make();
    for (std::uint64_t k = 0; k < 60;
         ++k) {  // crumbs of one to eight particles in a cell or so, some of them near others
      const auto at = cube_of_places({0, 0, 0}, 4, 1, 100 * seed + k)[0];
      c.add_random(int(k % 2), cube_of_places(at, 0.06, 1 + k % 8, k));
    }
    c.islands_are_touched = seed == 5;
    c.add_random(0, cube_of_places({1, 1, 1}, 0.3, 100, 7));
    c.sort();
    std::set<std::set<std::int32_t>> found;
    for (std::size_t i = 0; i + 1 < c.grid.islands.begin.size(); ++i) {
      const auto tiles = c.grid.islands.tiles.begin();
      found.insert({tiles + c.grid.islands.begin[i], tiles + c.grid.islands.begin[i + 1]});
    }
    const auto expected = islands_by_pairs(c.store, 4);
    EXPECT_EQ(found, expected);
    for (const auto& island : expected) joined += island.size() > 1, ++all;
    expect_layout(c);
    expect_arrays(c);
  }
  EXPECT_GT(joined, 20u);
  EXPECT_GT(all, 100u);
}

TYPED_TEST(BlockGridTest, nine_particles_fill_a_block) {
  auto c = this->make();
  c.add_random(0, std::vector<Double3>(9, {0.25, 0.25, 0.25}));
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
  c.add_random(0, std::vector<Double3>(9, {far, -far + 0.1, far}));
  c.add_random(0, std::vector<Double3>(9, {-far + 0.1, far, 0.2}));
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
