#include "boundary/triangle_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "boundary/mesh_samples.h"
#include "boundary/sample_shapes.h"

namespace dollop {
namespace {

using namespace test;

TEST(triangle_tree, distance_to_a_triangle) {
  const std::array<Double3, 3> t{{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}};
  EXPECT_DOUBLE_EQ(squared_distance({1, 1, 3}, t), 9);       // above it
  EXPECT_DOUBLE_EQ(squared_distance({1, -2, 0}, t), 4);      // beyond an edge
  EXPECT_DOUBLE_EQ(squared_distance({3, 3, 0}, t), 2);       // beyond the slanted edge
  EXPECT_DOUBLE_EQ(squared_distance({-3, -4, 12}, t), 169);  // beyond a corner
  EXPECT_DOUBLE_EQ(squared_distance({1, 1, 0}, t), 0);
  EXPECT_DOUBLE_EQ(squared_distance({1, 2, 0}, {{{0, 0, 0}, {1, 0, 0}, {3, 0, 0}}}), 4);  // in one line
  EXPECT_DOUBLE_EQ(squared_distance({1, 2, 2}, {{{1, 0, 2}, {1, 0, 2}, {1, 0, 2}}}), 4);  // in one place
}

// no closest point of random ones is closer
TEST(triangle_tree, distance_to_a_triangle_is_a_minimum) {
  Random random;
  for (int n = 0; n < 200; ++n) {
    const std::array<Vec3<double>, 3> c{random.in_cube(1), random.in_cube(1), random.in_cube(1)};
    const std::array<Double3, 3> t{to_array(c[0]), to_array(c[1]), to_array(c[2])};
    const Vec3<double> x = random.in_cube(2);
    double closest = 1e9;
    for (int i = 0; i <= 60; ++i)
      for (int j = 0; i + j <= 60; ++j) {
        const Vec3<double> p = c[0] + (i / 60.0) * (c[1] - c[0]) + (j / 60.0) * (c[2] - c[0]);
        closest = std::min(closest, norm(x - p));
      }
    const double d = std::sqrt(squared_distance(to_array(x), t));
    EXPECT_LE(d, closest + 1e-12);
    EXPECT_GE(d, closest - 0.05);  // spacing of the points
  }
}

TEST(triangle_tree, finds_the_closest_of_all_triangles) {
  const TriangleMesh mesh = torus_mesh(0.6, 0.25, 30, 17);
  const TriangleTree tree(mesh);
  Random random;
  int hint = -1;
  for (int n = 0; n < 500; ++n) {
    const Double3 x = to_array(random.in_cube(1.5));
    double closest = 1e9;
    for (const auto& [a, b, c] : mesh.triangles)
      closest = std::min(closest, squared_distance(x, {mesh.points[a], mesh.points[b], mesh.points[c]}));
    int none = -1;
    EXPECT_DOUBLE_EQ(tree.distance(x, 10, none), std::sqrt(closest));
    EXPECT_EQ(tree.distance(x, 10, hint), tree.distance(x, 10, none));
    EXPECT_EQ(tree.distance(x, 0.5 * std::sqrt(closest), none), 0.5 * std::sqrt(closest));
  }
}

}  // namespace
}  // namespace dollop
