#include "boundary/triangle_mesh.h"

#include <gtest/gtest.h>

#include <cmath>

#include "boundary/mesh_samples.h"

namespace dollop {
namespace {

using namespace test;

TEST(triangle_mesh, volume_and_area_of_a_cube) {
  const TriangleMesh cube = cube_mesh({1, 2, 3}, {2, 4, 6});
  EXPECT_DOUBLE_EQ(signed_volume(cube), 6);
  EXPECT_DOUBLE_EQ(area(cube), 22);
  EXPECT_DOUBLE_EQ(signed_volume(inside_out(cube)), -6);
  const TriangleMesh far_away = cube_mesh({1e6, 1e6, 1e6}, {1e6 + 1, 1e6 + 1, 1e6 + 1});
  EXPECT_DOUBLE_EQ(signed_volume(far_away), 1);
}

// 4 pi / 3 less what the flat triangles cut off, which falls with the square of their size
TEST(triangle_mesh, volume_of_a_sphere_converges) {
  const double exact = 4 * std::numbers::pi / 3;
  const double coarse = exact - signed_volume(sphere_mesh({5, 0, 0}, 1, 3));
  const double fine = exact - signed_volume(sphere_mesh({5, 0, 0}, 1, 4));
  EXPECT_GT(fine, 0);
  EXPECT_NEAR(coarse / fine, 4, 0.1);
}

TEST(triangle_mesh, merges_points_of_one_place) {
  TriangleMesh soup;  // each triangle with corners of its own, as in an STL file
  const TriangleMesh cube = cube_mesh({0, 0, 0}, {1, 1, 1});
  for (const auto& t : cube.triangles) {
    const int first = int(soup.points.size());
    for (const int corner : t) soup.points.push_back(cube.points[corner]);
    soup.triangles.push_back({first, first + 1, first + 2});
  }
  soup.points.push_back({-0.0, 0, 0});
  soup.triangles.push_back({0, int(soup.points.size()) - 1, 0});  // no triangle at all
  const TriangleMesh merged = merge_equal_points(soup);
  EXPECT_EQ(merged.points.size(), 8u);
  EXPECT_EQ(merged.triangles.size(), 12u);
  EXPECT_DOUBLE_EQ(signed_volume(merged), 1);
  EXPECT_EQ(closed_fault(merged), "");
  EXPECT_NE(closed_fault(soup), "");
}

TEST(triangle_mesh, tells_open_and_unoriented_meshes) {
  TriangleMesh open = cube_mesh({0, 0, 0}, {1, 1, 1});
  open.triangles.pop_back();
  EXPECT_EQ(
      closed_fault(open),
      "is not closed: 3 edges belong to one triangle only; fill its holes and merge its double vertices");
  TriangleMesh turned = cube_mesh({0, 0, 0}, {1, 1, 1});
  std::swap(turned.triangles[4][0], turned.triangles[4][1]);
  EXPECT_EQ(
      closed_fault(turned),
      "is not oriented: at 3 edges the triangles do not agree on which side is outside; recalculate its "
      "normals so that all point outward");
  EXPECT_EQ(closed_fault(torus_mesh(1, 0.3, 12, 8)), "");
  EXPECT_EQ(closed_fault(inside_out(torus_mesh(1, 0.3, 12, 8))), "");
}

// two cubes that share an edge: four triangles meet there
TEST(triangle_mesh, more_than_two_triangles_may_meet_at_an_edge) {
  const TriangleMesh two =
      merge_equal_points(together(cube_mesh({0, 0, 0}, {1, 1, 1}), cube_mesh({1, 1, 0}, {2, 2, 1})));
  EXPECT_EQ(two.points.size(), 14u);
  EXPECT_EQ(closed_fault(two), "");
  EXPECT_DOUBLE_EQ(signed_volume(two), 2);
}

}  // namespace
}  // namespace dollop
