// Dropping marked particles of a sorted group.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "store_checks.h"

namespace dollop {
namespace {

constexpr double offset = 1;

template <class S>
struct RemoveTest : testing::Test {
  ParticleStore<S> store = make();
  std::map<std::uint64_t, Double3> places;  // where the particles that are left belong, in cells

  static ParticleStore<S> make() {
    BlockSpace space;
    space.cell_size = 0.1;
    ParticleStore<S> empty(space, offset);
    empty.add_group(0, affine_column(), strain_column);
    empty.add_group(1, {}, {});
    return empty;
  }
  void SetUp() override {
    append_marked(store, 0, clustered(cloud_size(6000), 3));
    append_marked(store, 1, scatter({{0, 0, 0}, 0.7}, cloud_size(2000), 4));
    ASSERT_FALSE(store.sort());
    places = places_of(store);
  }
  std::vector<char> random_marks(int group, double chance) const {
    std::vector<char> gone(store.groups()[std::size_t(group)].size());
    for (std::size_t i = 0; i < gone.size(); ++i) gone[i] = random_uniform(5, 1, i) < chance;
    return gone;
  }
  void remove(int group, const std::vector<char>& gone) {
    for (std::size_t i = 0; i < gone.size(); ++i)
      if (gone[i]) places.erase(store.groups()[std::size_t(group)].ids()[i]);
    store.remove(group, gone);
  }
  // where every particle is is checked bit for bit: no number was computed
  void expect_consistent() { expect_preserved(store, places, 0); }
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(RemoveTest, Scalars);

TYPED_TEST(RemoveTest, others_keep_order_ids_columns_and_blocks) {
  for (const int group : {0, 1}) {
    const auto gone = this->random_marks(group, 0.4);
    auto order = order_of(this->store);
    const auto generation = this->store.groups()[std::size_t(group)].generation();
    const auto blocks = this->store.blocks();
    const auto layout = this->store.layout(), next_id = this->store.next_id();
    this->remove(group, gone);
    std::vector<std::uint64_t> left;
    for (std::size_t i = 0; i < gone.size(); ++i)
      if (!gone[i]) left.push_back(order[std::size_t(group)][i]);
    ASSERT_LT(left.size(), gone.size());
    order[std::size_t(group)] = left;
    EXPECT_EQ(order_of(this->store), order);
    EXPECT_GT(this->store.groups()[std::size_t(group)].generation(), generation);
    EXPECT_EQ(this->store.blocks(), blocks);
    EXPECT_EQ(this->store.layout(), layout);
    EXPECT_EQ(this->store.next_id(), next_id);
    this->expect_consistent();
  }
}

TYPED_TEST(RemoveTest, no_marks_change_nothing) {
  const auto bytes = bytes_of(this->store);
  const auto generation = this->store.groups()[0].generation();
  this->remove(0, this->random_marks(0, 0));
  EXPECT_TRUE(bytes_of(this->store) == bytes);
  EXPECT_EQ(this->store.groups()[0].generation(), generation);
}

TYPED_TEST(RemoveTest, sort_drops_empty_blocks_and_sorts_the_rest) {
  // a whole corner of space goes, of both groups, and some here and there
  for (const int g : {0, 1}) {
    auto gone = this->random_marks(g, 0.1);
    this->store.each(g, [&](std::size_t b, std::size_t i) {
      gone[i] = gone[i] || this->store.position(g, b, i)[0] > 0.2;
    });
    this->remove(g, gone);
  }
  const std::size_t blocks = this->store.blocks().size();
  const auto layout = this->store.layout(), generation = this->store.groups()[0].generation();
  const auto order = order_of(this->store);
  ASSERT_FALSE(this->store.sort());
  expect_sorted(this->store, offset, order);
  this->expect_consistent();
  EXPECT_LT(this->store.blocks().size(), blocks);
  EXPECT_GT(this->store.layout(), layout);
  EXPECT_GT(this->store.groups()[0].generation(), generation);
}

TYPED_TEST(RemoveTest, all_may_go_and_others_may_come) {
  this->remove(0, this->random_marks(0, 2));
  EXPECT_EQ(this->store.groups()[0].size(), 0u);
  this->expect_consistent();
  this->remove(1, this->random_marks(1, 2));
  EXPECT_EQ(this->store.size(), 0u);
  for (const int g : {0, 1})
    EXPECT_TRUE(std::all_of(this->store.begin(g).begin(), this->store.begin(g).end(),
                            [](std::uint32_t first) { return first == 0; }));
  ASSERT_FALSE(this->store.sort());
  EXPECT_TRUE(this->store.blocks().empty());

  const std::uint64_t first = this->store.next_id();
  append_marked(this->store, 0, scatter({{0, 0, 0}, 1}, 100, 8));
  const auto order = order_of(this->store);
  ASSERT_FALSE(this->store.sort());
  expect_sorted(this->store, offset, order);
  const auto& group = this->store.groups()[0];
  EXPECT_EQ(*std::min_element(group.ids(), group.ids() + 100), first);
}

TYPED_TEST(RemoveTest, newcomers_of_another_group_stay_newcomers) {
  append_marked(this->store, 1, scatter({{3, 0, 0}, 1}, 100, 8));
  const std::size_t size = this->store.groups()[1].size();
  this->remove(0, this->random_marks(0, 0.5));
  EXPECT_EQ(this->store.groups()[1].size(), size);
  EXPECT_EQ(this->store.begin(1).back(), size - 100);
  const auto order = order_of(this->store);
  ASSERT_FALSE(this->store.sort());
  expect_sorted(this->store, offset, order);
}

TYPED_TEST(RemoveTest, saved_and_restored_with_empty_blocks) {
  auto gone = this->random_marks(0, 0.3);
  this->store.each(
      0, [&](std::size_t b, std::size_t i) { gone[i] = gone[i] || this->store.position(0, b, i)[1] < 0; });
  this->remove(0, gone);
  std::stringstream file;
  BinaryWriter out(file);
  this->store.save(out);
  auto again = this->make();
  BinaryReader in(file);
  again.restore(in);
  EXPECT_TRUE(bytes_of(again) == bytes_of(this->store));

  // a restored store has no buffers yet
  const auto marks = this->random_marks(0, 0.2);
  this->remove(0, marks);
  again.remove(0, marks);
  ASSERT_FALSE(this->store.sort());
  ASSERT_FALSE(again.sort());
  EXPECT_TRUE(bytes_of(again) == bytes_of(this->store));
  this->expect_consistent();
}

}  // namespace
}  // namespace dollop
