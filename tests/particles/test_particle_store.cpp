#include "particles/particle_store.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <limits>

#include "store_checks.h"

namespace dollop {
namespace {

// Positions of a block are at most 5 cells: in float they are rounded to half a spacing of 2^-21 cells.
// Adding and one change of block round twice; 1e5 cells from the origin a plain float would keep only 1e-2
// cells.
template <class S>
constexpr double position_tolerance = std::is_same_v<S, float> ? 1e-6 : 4e-11;  // [cells]

constexpr double offsets[] = {0.5, 1};  // of the quadratic and the cubic kernel

template <class S>
class ParticleStoreTest : public testing::Test {
 public:
  static ParticleStore<S> make(double offset, BlockCoord period = {0, 0, 0}) {
    BlockSpace space;
    space.cell_size = 0.1;
    space.origin = {0.03, 0, -0.02};
    space.period = period;
    return {space, offset};
  }
  // appends marked particles and remembers where they belong, in cells
  void add(ParticleStore<S>& store, int group, const std::vector<Double3>& cloud) {
    std::uint64_t id = store.next_id();
    append_marked(store, group, cloud);
    for (const Double3& x : cloud) {
      Double3& cells = places[id++];
      for (std::size_t d = 0; d < 3; ++d) cells[d] = store.space().to_cells(x[d], d);
    }
  }
  // moves every particle by up to `reach` cells along each axis
  void displace(ParticleStore<S>& store, double reach, std::uint64_t seed) {
    places = places_of(store);
    for (auto& group : store.groups())
      for (std::size_t i = 0; i < group.size(); ++i)
        for (int d = 0; d < 3; ++d) {
          const S dx = S(reach * (2 * random_uniform(seed, std::uint64_t(d), group.ids()[i]) - 1));
          group.reals(d)[i] += dx;
          places[group.ids()[i]][std::size_t(d)] += double(dx);
        }
  }
  // displaced coordinates are rounded at the size they had before the sort; the sums in double, 1e5 cells
  // away, that they are compared with are rounded to 1e-11 cells
  static double moved_tolerance(double reach) {
    return (reach + 5) * 2 * std::numeric_limits<S>::epsilon() + 4e-11;
  }
  void expect_sort(ParticleStore<S>& store, double offset, double tolerance) {
    const auto before = order_of(store);
    ASSERT_FALSE(store.sort());
    expect_sorted(store, offset, before);
    expect_preserved(store, places, tolerance);
  }
  std::map<std::uint64_t, Double3> places;
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(ParticleStoreTest, Scalars);

TYPED_TEST(ParticleStoreTest, append_gives_ids_and_zeros) {
  auto store = this->make(1);
  store.add_group(7, affine_column(), strain_column);
  const Double3 two[] = {{1, 2, 3}, {4, 5, 6}};
  EXPECT_EQ(store.append(0, two, 2), 0u);
  EXPECT_EQ(store.append(0, two, 1), 2u);
  EXPECT_EQ(store.size(), 3u);
  EXPECT_EQ(store.next_id(), 3u);
  const auto& group = store.groups()[0];
  EXPECT_EQ(group.material(), 7);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(group.ids()[i], i);
    for (int k = 3; k < group.array_count(); ++k) EXPECT_EQ(group.reals(k)[i], 0);
  }
}

TYPED_TEST(ParticleStoreTest, random_clouds_are_sorted) {
  for (const double offset : offsets) {
    auto store = this->make(offset);
    this->places.clear();
    store.add_group(0, affine_column(), strain_column);
    store.add_group(1, {}, {});
    store.add_group(2, {}, strain_column);
    this->add(store, 0, clustered(cloud_size(20000), 1));
    this->add(store, 2, clustered(cloud_size(6000), 5));
    this->add(store, 1, scatter({{-2, -2, -2}, 1}, cloud_size(3000), 6));
    this->expect_sort(store, offset, position_tolerance<TypeParam>);
    EXPECT_EQ(store.size(), this->places.size());
  }
}

TYPED_TEST(ParticleStoreTest, displaced_particles_change_block) {
  for (const double offset : offsets) {
    auto store = this->make(offset);
    this->places.clear();
    store.add_group(0, affine_column(), strain_column);
    store.add_group(1, {}, strain_column);
    this->add(store, 0, clustered(cloud_size(8000), 1));
    this->add(store, 1, clustered(cloud_size(4000), 2));
    ASSERT_FALSE(store.sort());
    for (const double reach : {0.3, 2.0, 30.0, 1000.0}) {
      this->displace(store, reach, std::uint64_t(reach));
      this->expect_sort(store, offset, this->moved_tolerance(reach));
    }
  }
}

TYPED_TEST(ParticleStoreTest, sorting_twice_changes_nothing) {
  auto store = this->make(1);
  store.add_group(0, affine_column(), strain_column);
  store.add_group(1, {}, strain_column);
  this->add(store, 0, clustered(cloud_size(10000), 3));
  this->add(store, 1, clustered(cloud_size(5000), 4));
  ASSERT_FALSE(store.sort());
  const auto bytes = bytes_of(store);
  const auto layout = store.layout();
  ASSERT_FALSE(store.sort());
  EXPECT_TRUE(bytes_of(store) == bytes);
  EXPECT_EQ(store.layout(), layout);
}

// a coordinate so little below a block's border that it rounds up to the border when counted from the block
// below
TYPED_TEST(ParticleStoreTest, border_of_a_block_is_crossed_in_spite_of_rounding) {
  for (const double offset : offsets)
    for (int d = 0; d < 3; ++d) {
      auto store = this->make(offset);
      store.add_group(0, {}, {});
      const Double3 inside{0.33, 0.3, 0.28};
      store.append(0, &inside, 1);
      ASSERT_FALSE(store.sort());
      store.groups()[0].reals(d)[0] = std::nextafter(TypeParam(offset), TypeParam(0));
      ASSERT_FALSE(store.sort());
      EXPECT_GE(cell_of(store.groups()[0], 0, offset), 0) << "not in its block";
      const auto bytes = bytes_of(store);
      ASSERT_FALSE(store.sort());
      EXPECT_TRUE(bytes_of(store) == bytes) << "changes block for ever";
    }
}

TYPED_TEST(ParticleStoreTest, layout_is_raised_when_blocks_or_their_cells_change_only) {
  auto store = this->make(1);
  store.add_group(0, {}, {});
  const Double3 two[] = {{0.28, 0.25, 0.23},
                         {0.88, 0.25, 0.23}};  // at 2.5 cells, the second in the next block
  store.append(0, two, 2);
  ASSERT_FALSE(store.sort());
  const auto first = store.layout();
  EXPECT_EQ(store.blocks().size(), 2u);
  const auto order = store.order();
  store.groups()[0].reals(0)[0] += TypeParam(0.3);  // within its cell
  ASSERT_FALSE(store.sort());
  EXPECT_EQ(store.layout(), first);
  EXPECT_GT(store.order(), order);
  store.groups()[0].reals(0)[0] += TypeParam(0.5);  // within its block
  ASSERT_FALSE(store.sort());
  const auto second = store.layout();
  EXPECT_GT(second, first);
  store.groups()[0].reals(2)[0] -= 4;
  ASSERT_FALSE(store.sort());
  EXPECT_GT(store.layout(), second);
}

TYPED_TEST(ParticleStoreTest, blocks_of_few_particles_know_their_cells) {
  auto store = this->make(1);
  store.add_group(0, {}, {});
  store.add_group(1, {}, {});
  const Double3 some[] = {{0.28, 0.35, 0.43}, {0.3, 0.41, 0.13}};  // cells 1 2 3 and 1 3 0
  store.append(0, some, 2);
  const std::vector<Double3> six(6, {0.24, 0.35, 0.33}), nine(9, {0.68, 0.25, 0.23});
  store.append(1, six.data(), six.size());
  store.append(1, nine.data(), nine.size());
  ASSERT_FALSE(store.sort());
  ASSERT_EQ(store.blocks().size(), 2u);
  const OccupiedCells few{1, {1, 2, 0}, {1, 3, 3}};
  EXPECT_EQ(store.occupied_cells()[0], few);
  EXPECT_EQ(store.occupied_cells()[1], OccupiedCells{});
  const Double3 ninth{0.24, 0.35, 0.33};
  store.append(0, &ninth, 1);
  ASSERT_FALSE(store.sort());
  EXPECT_EQ(store.occupied_cells()[0], OccupiedCells{});
}

TYPED_TEST(ParticleStoreTest, particles_appended_later_are_sorted_in) {
  auto store = this->make(0.5);
  store.add_group(0, affine_column(), strain_column);
  this->add(store, 0, clustered(cloud_size(4000), 3));
  ASSERT_FALSE(store.sort());
  store.add_group(1, {}, {});
  for (std::uint64_t round = 0; round < 3; ++round) {
    this->places = places_of(store);
    this->add(store, 0, clustered(cloud_size(3000), 20 + round));
    this->add(store, 1, scatter({{0, 1, 0}, 2}, cloud_size(500), 30 + round));
    this->expect_sort(store, 0.5, position_tolerance<TypeParam>);
  }
}

TYPED_TEST(ParticleStoreTest, periodic_axes_wrap) {
  for (const BlockCoord period : {BlockCoord{0, 0, 1}, BlockCoord{1, 1, 1}, BlockCoord{3, 0, 2}}) {
    auto store = this->make(1, period);
    this->places.clear();
    store.add_group(0, affine_column(), strain_column);
    this->add(store, 0, scatter({{0.1, -0.2, 0.3}, 2}, cloud_size(4000), 3));
    this->expect_sort(store, 1, position_tolerance<TypeParam>);
    for (const double reach : {1.0, 40.0}) {
      this->displace(store, reach, 7);
      this->expect_sort(store, 1, this->moved_tolerance(reach));
    }
    for (const BlockKey key : store.blocks())
      for (std::size_t d = 0; d < 3; ++d)
        if (period[d]) {
          EXPECT_GE(coord_of(key)[d], 0);
          EXPECT_LT(coord_of(key)[d], period[d]);
        }
  }
}

TYPED_TEST(ParticleStoreTest, lost_particle_is_reported_and_nothing_changed) {
  using Limits = std::numeric_limits<TypeParam>;
  const TypeParam nowhere[] = {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), TypeParam(1e30),
                               TypeParam(-1e30),    TypeParam(5e6),     TypeParam(-5e6)};
  auto store = this->make(1);
  store.add_group(0, affine_column(), strain_column);
  store.add_group(1, {}, strain_column);
  this->add(store, 0, scatter({{0, 0, 0}, 1}, 500, 3));
  this->add(store, 1, scatter({{0, 1, 0}, 1}, 300, 4));
  ASSERT_FALSE(store.sort());
  this->displace(store, 3, 5);  // so that a sort would move something
  for (const TypeParam bad : nowhere)
    for (const int g : {0, 1})
      for (const int d : {0, 1, 2}) {
        auto& group = store.groups()[std::size_t(g)];
        const std::size_t victim = std::size_t(17 + 100 * g + d);
        const TypeParam good = std::exchange(group.reals(d)[victim], bad);
        const auto bytes = bytes_of(store);
        const auto generation = group.generation(), layout = store.layout();
        const auto lost = store.sort();
        ASSERT_TRUE(lost) << bad;
        EXPECT_EQ(lost->group, g);
        EXPECT_EQ(lost->id, group.ids()[victim]);
        EXPECT_TRUE(bytes_of(store) == bytes);
        EXPECT_EQ(group.generation(), generation);
        EXPECT_EQ(store.layout(), layout);
        group.reals(d)[victim] = good;
      }
  this->expect_sort(store, 1, this->moved_tolerance(3));  // all is well once it is back
}

TYPED_TEST(ParticleStoreTest, appended_where_the_grid_does_not_reach_is_lost) {
  const double far = 0.1 * 4 * block_limit, nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad :
       {nan, -nan, 1e300, -1e300, std::numeric_limits<double>::infinity(), far, -far, 2 * far}) {
    auto store = this->make(1);
    store.add_group(0, {}, {});
    const Double3 three[] = {{1, 2, 3}, {1, bad, 3}, {0, 0, 0}};
    store.append(0, three, 3);
    const auto lost = store.sort();
    ASSERT_TRUE(lost) << bad;
    EXPECT_EQ(lost->id, 1u);
    EXPECT_EQ(lost->group, 0);
  }
  auto store = this->make(1);
  store.add_group(0, {}, {});
  const Double3 last[] = {{0, far - 0.1 * 6, 0},
                          {0, -far + 0.1 * 7, 0}};  // the outermost blocks that may be used
  store.append(0, last, 2);
  EXPECT_FALSE(store.sort());
  EXPECT_EQ(coord_of(store.blocks()[1])[1], block_limit - 2);
  EXPECT_EQ(coord_of(store.blocks()[0])[1], -block_limit + 1);
}

TYPED_TEST(ParticleStoreTest, nothing_and_one_particle) {
  ParticleStore<TypeParam> none;
  EXPECT_FALSE(none.sort());
  EXPECT_EQ(none.size(), 0u);

  auto store = this->make(1);
  store.add_group(0, affine_column(), strain_column);
  EXPECT_FALSE(store.sort());
  EXPECT_TRUE(store.blocks().empty());
  EXPECT_EQ(store.begin(0).back(), 0u);
  store.add_group(1, {}, strain_column);
  const Double3 place{-0.05, 12.34, -7};
  this->add(store, 1, {place});
  this->expect_sort(store, 1, position_tolerance<TypeParam>);
  EXPECT_EQ(store.blocks().size(), 1u);
  EXPECT_EQ(store.begin(0), (std::vector<std::uint32_t>{0, 0}));
  EXPECT_EQ(store.begin(1), (std::vector<std::uint32_t>{0, 1}));
  for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(store.position(1, 0, 0)[d], place[d], 1e-7);
}

TYPED_TEST(ParticleStoreTest, same_at_any_number_of_threads) {
  std::vector<unsigned char> first;
  for (const int threads : {1, 2, 3, 8}) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, std::size_t(threads));
    tbb::task_arena arena(threads);
    arena.execute([&] {
      auto store = this->make(1, {0, 0, 400});
      store.add_group(0, affine_column(), strain_column);
      store.add_group(1, {}, strain_column);
      append_marked(store, 0, clustered(cloud_size(40000), 3));
      append_marked(store, 1, clustered(cloud_size(10000), 4));
      ASSERT_FALSE(store.sort());
      for (const double reach : {1.0, 8.0}) {
        this->displace(store, reach, 11);
        ASSERT_FALSE(store.sort());
      }
      const auto bytes = bytes_of(store);
      if (threads == 1) first = bytes;
      EXPECT_TRUE(bytes == first) << threads << " threads";
    });
  }
  EXPECT_FALSE(first.empty());
}

TYPED_TEST(ParticleStoreTest, bytes_count_columns_and_sort_buffers) {
  auto store = this->make(1);
  store.add_group(0, affine_column(), strain_column);
  append_marked(store, 0, scatter({{0, 0, 0}, 1}, 1000, 3));
  ASSERT_FALSE(store.sort());
  const std::size_t columns = 1000 * (23 * sizeof(TypeParam) + 8);
  EXPECT_GE(store.bytes(), columns + 1000 * (sizeof(TypeParam) + 8 + 8));
  EXPECT_LE(store.bytes(), 2 * columns);
}

}  // namespace
}  // namespace dollop
