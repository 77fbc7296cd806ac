#include "particles/particle_group.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "core/random.h"

namespace dollop {
namespace {

template <class S>
class ParticleGroupTest : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(ParticleGroupTest, Scalars);

const std::vector<Column> model_columns = {{"strain", 6, 0}, {"plastic_strain", 1, 6}};

// every number of particle i says which array and which particle it belongs to
template <class S>
S mark(int array, std::size_t i) {
  return S(1000 * array + int(i));
}
template <class S>
void fill(ParticleGroup<S>& group) {
  for (std::size_t i = 0; i < group.size(); ++i) {
    for (int k = 0; k < group.array_count(); ++k) group.reals(k)[i] = mark<S>(k, i);
    group.ids()[i] = 7 * i;
  }
}

TYPED_TEST(ParticleGroupTest, columns_are_listed_once_and_cover_every_array) {
  using TypedGroup = ParticleGroup<TypeParam>;
  for (const bool affine : {false, true}) {
    const TypedGroup group(4, affine ? affine_column() : std::vector<Column>{}, model_columns);
    EXPECT_EQ(group.material(), 4);
    std::set<std::string> names;
    int next = 0;
    for (const Column& column : group.columns()) {
      EXPECT_TRUE(names.insert(column.name).second) << column.name;
      EXPECT_EQ(column.first, next) << column.name;
      next += column.components;
    }
    EXPECT_EQ(group.array_count(), next);
    EXPECT_EQ(next, 8 + (affine ? 9 : 0) + 7);
    EXPECT_EQ(group.columns().size(), affine ? 7u : 6u);
    // common, of the method, of the material: side by side, and nothing else
    EXPECT_EQ(group.method_arrays().begin, TypedGroup::common_arrays);
    EXPECT_EQ(group.method_arrays().size(), affine ? 9 : 0);
    EXPECT_EQ(group.state_arrays().begin, group.method_arrays().end);
    EXPECT_EQ(group.state_arrays().end, group.array_count());
  }
}

TYPED_TEST(ParticleGroupTest, columns_are_found_by_name) {
  const ParticleGroup<TypeParam> group(0, affine_column(), model_columns);
  using Group = ParticleGroup<TypeParam>;
  EXPECT_EQ(group.find("position")->first, Group::position);
  EXPECT_EQ(group.find("velocity")->first, Group::velocity);
  EXPECT_EQ(group.find("mass")->first, Group::mass);
  EXPECT_EQ(group.find("volume")->first, Group::volume);
  EXPECT_EQ(group.find("affine")->first, group.affine_array());
  EXPECT_EQ(group.find("affine")->components, 9);
  EXPECT_EQ(group.find("strain")->first, group.state_arrays().begin);
  EXPECT_EQ(group.find("plastic_strain")->first, group.state_arrays().begin + 6);
  EXPECT_EQ(group.find("nothing"), nullptr);
  EXPECT_EQ((ParticleGroup<TypeParam>(0, {}, model_columns).affine_array()), -1);
}

TYPED_TEST(ParticleGroupTest, reorder_permutes_every_column_and_the_ids_together) {
  for (const std::size_t n : {std::size_t(0), std::size_t(1), std::size_t(97), std::size_t(40000)}) {
    ParticleGroup<TypeParam> group(0, affine_column(), model_columns);
    group.resize(n);
    fill(group);
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    for (std::size_t i = 1; i < n; ++i) std::swap(order[i], order[random_bits(1, 2, i) % (i + 1)]);
    AlignedArray<TypeParam> scratch;
    AlignedArray<std::uint64_t> id_scratch;
    group.reorder(order.data(), scratch, id_scratch);
    ASSERT_EQ(group.size(), n);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i) {
      wrong += group.ids()[i] != 7 * order[i];
      for (int k = 0; k < group.array_count(); ++k)
        wrong += group.reals(k)[i] != mark<TypeParam>(k, order[i]);
    }
    EXPECT_EQ(wrong, 0u) << n << " particles";
  }
}

// one pair of scratch arrays serves groups of different size
TYPED_TEST(ParticleGroupTest, reorder_shares_scratch_between_groups) {
  AlignedArray<TypeParam> scratch;
  AlignedArray<std::uint64_t> id_scratch;
  for (const std::size_t n : {std::size_t(50), std::size_t(3), std::size_t(200)}) {
    ParticleGroup<TypeParam> group(0, {}, model_columns);
    group.resize(n);
    fill(group);
    std::vector<std::uint32_t> order(n);
    for (std::size_t i = 0; i < n; ++i) order[i] = std::uint32_t(n - 1 - i);
    group.reorder(order.data(), scratch, id_scratch);
    for (int k = 0; k < group.array_count(); ++k) {
      for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(group.reals(k)[i], mark<TypeParam>(k, n - 1 - i));
      for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(group.reals(k)[n + i], TypeParam(0)) << "padding";
    }
  }
}

TYPED_TEST(ParticleGroupTest, generation_rises_with_every_change_that_may_move_particles) {
  ParticleGroup<TypeParam> group(0, affine_column(), model_columns);
  const auto changes = [&](auto&& action) {
    const auto before = group.generation();
    action();
    return group.generation() > before;
  };
  EXPECT_TRUE(changes([&] { group.resize(10); }));
  EXPECT_TRUE(changes([&] { group.reserve(1000); }));
  AlignedArray<TypeParam> scratch;
  AlignedArray<std::uint64_t> id_scratch;
  std::vector<std::uint32_t> order(10);
  std::iota(order.begin(), order.end(), 0u);
  EXPECT_TRUE(changes([&] { group.reorder(order.data(), scratch, id_scratch); }));
  EXPECT_FALSE(changes([&] { group.reals(0)[3] = 1; }));
  EXPECT_FALSE(changes([&] { group.state_pointers(); }));
}

TYPED_TEST(ParticleGroupTest, growing_keeps_values_and_new_particles_are_zero) {
  ParticleGroup<TypeParam> group(0, affine_column(), model_columns);
  group.resize(20);
  fill(group);
  group.reserve(5000);
  const auto* before = group.reals(5);
  group.resize(4000);
  EXPECT_EQ(group.reals(5), before);  // there was room
  for (int k = 0; k < group.array_count(); ++k) {
    for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(group.reals(k)[i], mark<TypeParam>(k, i));
    EXPECT_TRUE(std::all_of(group.reals(k) + 20, group.reals(k) + 4000, [](auto x) { return x == 0; }));
  }
  EXPECT_GE(group.bytes(), 5000 * (group.array_count() * sizeof(TypeParam) + 8));
}

TYPED_TEST(ParticleGroupTest, state_pointers_are_the_arrays_of_the_model) {
  ParticleGroup<TypeParam> group(0, affine_column(), model_columns);
  group.resize(20);
  auto* const* pointers = group.state_pointers();
  for (int k = 0; k < 7; ++k) EXPECT_EQ(pointers[k], group.reals(group.state_arrays().begin + k));
}

}  // namespace
}  // namespace dollop
