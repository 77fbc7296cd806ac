#include "particles/seeding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

#include "particles/lattice_seeds.h"

namespace dollop {
namespace {

BlockSpace make_space(double cell_size, const Double3& origin = {0, 0, 0}) {
  BlockSpace space;
  space.cell_size = cell_size;
  space.origin = origin;
  return space;
}

TEST(seeding, box_of_whole_cells_has_exactly_its_count) {
  const BlockSpace space = make_space(0.25, {1, -3, 0.5});
  // 3 x 5 x 2 cells from cell (-1, 2, 40) on
  const Double3 size{0.75, 1.25, 0.5};
  Double3 center;
  const double first[3] = {-1, 2, 40};
  for (std::size_t d = 0; d < 3; ++d) center[d] = space.origin[d] + 0.25 * first[d] + size[d] / 2;
  for (const int edge : {1, 2, 3, 4}) {
    const int per_cell = edge * edge * edge;
    const Seeds seeds = seed_lattice(Box{center, size}, space, per_cell);
    EXPECT_EQ(seeds.places.size(), std::size_t(30 * per_cell)) << per_cell;
    EXPECT_NEAR(seeds.volume * double(seeds.places.size()), 0.75 * 1.25 * 0.5, 1e-13);
  }
}

TEST(seeding, eight_per_cell_lie_at_a_quarter_and_three_quarters) {
  const BlockSpace space = make_space(0.1, {0.03, -0.02, 5});
  const Seeds seeds = seed_lattice(Box{{0.03 + 0.2, -0.02 + 0.1, 5 - 0.3}, {0.4, 0.2, 0.6}}, space, 8);
  ASSERT_EQ(seeds.places.size(), 48u * 8);
  std::set<std::array<long, 3>> seen;
  for (const Double3& x : seeds.places) {
    std::array<long, 3> quarter;
    for (std::size_t d = 0; d < 3; ++d) {
      const double q = space.to_cells(x[d], d) * 4;  // an odd number of quarters of a cell
      quarter[d] = std::lround(q);
      EXPECT_NEAR(q, double(quarter[d]), 1e-9);
      EXPECT_EQ(quarter[d] & 1, 1);
    }
    EXPECT_TRUE(seen.insert(quarter).second) << "twice";
  }
}

TEST(seeding, order_is_x_then_y_then_z) {
  const Seeds seeds = seed_lattice(Box{{0, 0, 0}, {1, 1, 1}}, make_space(0.25), 8);
  EXPECT_EQ(seeds.places.size(), 512u);
  for (std::size_t i = 1; i < seeds.places.size(); ++i) EXPECT_LT(seeds.places[i - 1], seeds.places[i]);
}

// the number of lattice points in a sphere deviates from its volume by the order of R^1.5 spacings at most;
// for a sphere of this size the bound is 0.5 %
TEST(seeding, sphere_volume_is_within_sampling_error) {
  const double radius = 1.03;
  const Double3 center{0.377, -0.123, 0.911};
  const Seeds seeds = seed_lattice(Sphere{center, radius}, make_space(0.1), 8);
  const double exact = 4.0 / 3 * std::numbers::pi * radius * radius * radius;
  EXPECT_NEAR(seeds.volume * double(seeds.places.size()), exact, 5e-3 * exact);
  Double3 mean{};
  for (const Double3& x : seeds.places) {
    EXPECT_LT(std::hypot(x[0] - center[0], x[1] - center[1], x[2] - center[2]), radius);
    for (std::size_t d = 0; d < 3; ++d) mean[d] += x[d] / double(seeds.places.size());
  }
  for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(mean[d], center[d], 2e-3);
}

// no point inside is missed: every lattice point of the surroundings is either outside or among the seeds
TEST(seeding, every_lattice_point_inside_is_taken) {
  const BlockSpace space = make_space(0.2);
  const Sphere ball{{-0.71, 0.33, 0.05}, 0.83};
  const Seeds seeds = seed_lattice(ball, space, 8);
  const std::set<Double3> taken(seeds.places.begin(), seeds.places.end());
  EXPECT_EQ(taken.size(), seeds.places.size());
  std::size_t inside = 0;
  for (int i = -20; i < 20; ++i)
    for (int j = -20; j < 20; ++j)
      for (int k = -20; k < 20; ++k) {
        const double x = 0.1 * (i + 0.5), y = 0.1 * (j + 0.5), z = 0.1 * (k + 0.5);
        inside += std::hypot(x - ball.center[0], y - ball.center[1], z - ball.center[2]) < ball.radius;
      }
  EXPECT_EQ(seeds.places.size(), inside);
}

TEST(seeding, per_cell_need_not_be_a_cube) {
  const Seeds seeds = seed_lattice(Box{{0.3, 0.2, 0.1}, {2, 2, 2}}, make_space(0.25), 5);
  EXPECT_DOUBLE_EQ(seeds.volume, 0.25 * 0.25 * 0.25 / 5);
  EXPECT_NEAR(seeds.volume * double(seeds.places.size()), 8,
              8 * 0.1);  // whole layers of a lattice that does not fit
}

TEST(seeding, shape_between_the_points_holds_none) {
  const Seeds seeds = seed_lattice(Sphere{{0.5, 0.5, 0.5}, 0.1}, make_space(1), 8);
  EXPECT_TRUE(seeds.places.empty());
  EXPECT_DOUBLE_EQ(seeds.volume, 0.125);
}

}  // namespace
}  // namespace dollop
