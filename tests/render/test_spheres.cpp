#include "render/spheres.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace dollop {
namespace {

const Camera camera = look_at({0, 0, 4}, {0, 0, 0}, 2 * std::atan(0.25f), 1);

TEST(spheres, nearest_wins_whatever_the_order) {
  std::vector<Ball> balls{{{0, 0, 0}, 0.3f, 7}, {{0, 0, 1}, 0.2f, 8}, {{0, 0, -1}, 0.3f, 9}};
  const SphereBuffer a = draw_spheres(camera, 65, 65, balls);
  EXPECT_EQ(index_of(a.at(32, 32)), 8u);
  EXPECT_NEAR(depth_of(a.at(32, 32)), 2.8, 1e-4);
  EXPECT_EQ(a.at(1, 1), SphereBuffer::nothing);
  std::reverse(balls.begin(), balls.end());
  EXPECT_EQ(draw_spheres(camera, 65, 65, balls).nearest, a.nearest);
}

TEST(spheres, equally_near_shows_the_lower_index) {
  const SphereBuffer buffer =
      draw_spheres(camera, 33, 33, {{{0, 0, 0}, 0.3f, 5}, {{0, 0, 0}, 0.3f, 3}, {{0, 0, 0}, 0.3f, 4}});
  EXPECT_EQ(index_of(buffer.at(16, 16)), 3u);
}

TEST(spheres, out_of_sight_draws_nothing) {
  const float nan = std::nanf("");
  const SphereBuffer buffer = draw_spheres(camera, 33, 33,
                                           {{{0, 0, 9}, 0.3f, 1},
                                            {{50, 0, 0}, 0.3f, 2},
                                            {{0, -1e30f, 0}, 0.3f, 3},
                                            {{nan, 0, 0}, 0.3f, 4},
                                            {{0, 0, 4}, 0.3f, 5}});
  for (const std::uint64_t entry : buffer.nearest) EXPECT_EQ(entry, SphereBuffer::nothing);
}

TEST(spheres, depth_ranges_hold_every_sphere) {
  const std::vector<Ball> balls{{{0, 0, 0}, 0.3f, 0}, {{0.1f, 0, -2}, 0.3f, 1}};
  const SphereBuffer buffer = draw_spheres(camera, 64, 64, balls);
  const DepthRange range = draw_ranges(camera, 64, 64, balls);
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x) {
      if (buffer.at(x, y) == SphereBuffer::nothing) continue;
      ASSERT_TRUE(range.any(x / 4, y / 4));
      EXPECT_LE(range.first(x / 4, y / 4), depth_of(buffer.at(x, y)));
      EXPECT_GE(range.last(x / 4, y / 4), depth_of(buffer.at(x, y)));
    }
  EXPECT_NEAR(range.last(8, 8), 6.3, 1e-3);
  EXPECT_FALSE(range.any(0, 0));
}

}  // namespace
}  // namespace dollop
