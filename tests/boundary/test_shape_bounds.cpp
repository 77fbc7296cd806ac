#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "boundary/rigid.h"
#include "boundary/sample_shapes.h"
#include "boundary/shape_distance.h"

namespace dollop {
namespace {

using namespace test;

TEST(shape_bounds, bounds_hold_the_shape_and_touch_it) {
  for (const auto& [name, shape] : all_shapes()) {
    const Bounds b = bounds(shape);
    Random random;
    Vec3<double> low{9, 9, 9}, high{-9, -9, -9};
    for (int i = 0; i < 100000; ++i) {
      const Vec3<double> x = random.in_cube(1.3);
      if (signed_distance(shape, to_array(x)) > 0) continue;
      for (int k = 0; k < 3; ++k) {
        low[k] = std::min(low[k], x[k]), high[k] = std::max(high[k], x[k]);
        ASSERT_TRUE(b.min[k] <= x[k] && x[k] <= b.max[k]) << name;
      }
    }
    const bool loose = name == "plane" || name == "placed" || name == "minus" || name == "intersect" ||
                       name == "nested" || name == "sheet" || name.find("stretched") == 0;
    for (int k = 0; !loose && k < 3; ++k) {
      EXPECT_NEAR(b.min[k], low[k], 0.05) << name;
      EXPECT_NEAR(b.max[k], high[k], 0.05) << name;
    }
  }
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(bounds(turned(Plane{})).min, (Double3{-inf, -inf, -inf}));
  EXPECT_EQ(bounds(place(Plane{}, identity_rotation, {1, 2, 3})).max, (Double3{inf, inf, inf}));
  EXPECT_EQ(bounds(Intersect{{Plane{}, Sphere{}}}).max, (Double3{1, 1, 1}));
}

TEST(shape_bounds, volume_is_the_share_of_random_points_inside) {
  for (const auto& [name, shape] : exact_shapes()) {
    if (name == "plane") continue;
    Random random;
    constexpr int count = 200000;
    int inside = 0;
    for (int i = 0; i < count; ++i) inside += signed_distance(shape, to_array(random.in_cube(1.3))) < 0;
    const double box = std::pow(2.6, 3), share = double(inside) / count;
    EXPECT_NEAR(volume(shape).value(), box * share, 5 * box * std::sqrt(share / count)) << name;
  }
  EXPECT_DOUBLE_EQ(volume(stretched(ball)).value(), 0.7 * 1.2 * 0.9 * volume(ball).value());
  EXPECT_DOUBLE_EQ(volume(sheet).value(), 0);
  EXPECT_FALSE(volume(MeshSequence{}));
  EXPECT_DOUBLE_EQ(volume(Box{.size = {2, 3, 4}}).value(), 24);
  EXPECT_DOUBLE_EQ(volume(Box{.size = {2, 2, 2}, .rounding = 1}).value(), 4 * pi / 3);
  EXPECT_FALSE(volume(Plane{}));
  EXPECT_FALSE(volume(turned(Plane{})));
  EXPECT_FALSE(volume(Minus{{Box{}, Sphere{}}}));
}

// a surface point in each direction of space, found without the bounds
TEST(shape_bounds, of_a_flat_disc_are_those_of_its_rim) {
  const Bounds b = bounds(sheet);
  const auto [u, w] = frame(unit(to_vec(sheet.normal)));
  Vec3<double> low{9, 9, 9}, high{-9, -9, -9};
  for (int i = 0; i < 10000; ++i) {
    const double angle = 2 * pi * i / 10000;
    const Vec3<double> p =
        to_vec(sheet.center) + (sheet.radius * std::cos(angle)) * u + (sheet.radius * std::sin(angle)) * w;
    for (int k = 0; k < 3; ++k) low[k] = std::min(low[k], p[k]), high[k] = std::max(high[k], p[k]);
  }
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(b.min[k], low[k], 1e-6);
    EXPECT_NEAR(b.max[k], high[k], 1e-6);
  }
}

}  // namespace
}  // namespace dollop
