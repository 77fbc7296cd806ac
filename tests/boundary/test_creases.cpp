#include "boundary/creases.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "boundary/level_set.h"
#include "boundary/mesh_file.h"
#include "boundary/mesh_samples.h"

namespace dollop {
namespace {

using namespace test;

TEST(creases, edges_of_a_cube_stay_sharp) {
  const TriangleShape cube = with_creases(cube_mesh({0, 0, 0}, {1, 2, 3}));
  EXPECT_EQ(cube.triangles.size(), 12u);
  EXPECT_EQ(cube.positions.size(), 24u);  // each corner has a vertex for each of its three faces
  for (std::size_t i = 0; i < cube.normals.size(); ++i) {
    const auto& n = cube.normals[i];
    EXPECT_NEAR(std::max({std::abs(n.x), std::abs(n.y), std::abs(n.z)}), 1, 1e-12);
    const Vec3<double> middle{0.5, 1, 1.5};
    EXPECT_GT(dot(n, cube.positions[i] - middle), 0);
  }
}

TEST(creases, what_bends_gently_is_smooth) {
  const TriangleMesh mesh = sphere_mesh({1, 2, 3}, 0.5, 3);
  const TriangleShape ball = with_creases(mesh);
  EXPECT_EQ(ball.positions.size(), mesh.points.size());
  for (std::size_t i = 0; i < ball.normals.size(); ++i) {
    const Vec3<double> radial = 2.0 * (ball.positions[i] - Vec3<double>{1, 2, 3});
    EXPECT_GT(dot(ball.normals[i], radial), 0.999);
  }
}

TEST(creases, the_rim_of_a_prism_is_sharp_and_its_side_is_round) {
  TriangleMesh prism;  // of twelve sides
  constexpr int n = 12;
  for (int k = 0; k < 2 * n; ++k) {
    const double a = 2 * std::numbers::pi * (k % n) / n;
    prism.points.push_back({std::cos(a), k < n ? 0.0 : 1.0, -std::sin(a)});
  }
  for (int k = 0; k < n; ++k) {
    const int next = (k + 1) % n;
    prism.triangles.push_back({k, next, n + k});
    prism.triangles.push_back({next, n + next, n + k});
    if (k > 0 && next > 0) prism.triangles.push_back({n, n + k, n + next});
  }
  const TriangleShape shape = with_creases(prism);
  EXPECT_EQ(shape.positions.size(), 3u * n);  // at the top two vertices at each point, below one
  for (std::size_t i = 0; i < shape.normals.size(); ++i) {
    const auto &x = shape.positions[i], &normal = shape.normals[i];
    const double up = std::abs(normal.y), out = normal.x * x.x + normal.z * x.z;
    EXPECT_GT(std::max(up, out), 0.999);
  }
}

TEST(creases, triangles_without_area_do_no_harm) {
  TriangleMesh mesh = cube_mesh({0, 0, 0}, {1, 1, 1});
  mesh.points.push_back({0.5, 0, 0});
  mesh.triangles.push_back({0, 8, 1});
  for (const Vec3<double>& n : with_creases(mesh).normals) EXPECT_NEAR(norm(n), 1, 1e-12);
}

TEST(mesh_surface, has_the_triangles_of_the_file) {
  const MeshFolder folder("surface");
  std::string text;
  const TriangleMesh cube = inside_out(cube_mesh({0, 0, 0}, {1, 1, 1}));
  for (const auto& p : cube.points)
    text += "v " + std::to_string(p[0]) + " " + std::to_string(p[1]) + " " + std::to_string(p[2]) + "\n";
  for (const auto& t : cube.triangles)
    text += "f " + std::to_string(t[0] + 1) + " " + std::to_string(t[1] + 1) + " " +
            std::to_string(t[2] + 1) + "\n";
  const Shape shape = place(load_mesh(folder.file("cube.obj", text), 0.2), identity_rotation, {5, 0, 0}, 2);
  ASSERT_TRUE(can_tessellate(shape));
  EXPECT_TRUE(has_mesh(shape));
  EXPECT_FALSE(has_mesh_sequence(shape));
  const TriangleShape drawn = tessellate(shape);
  ASSERT_EQ(drawn.triangles.size(), 12u);
  double volume = 0;  // positive: the faces were turned outward
  for (const auto& [a, b, c] : drawn.triangles)
    volume += dot(drawn.positions[a], cross(drawn.positions[b], drawn.positions[c])) / 6;
  EXPECT_NEAR(volume, 8, 1e-6);
  for (const auto& x : drawn.positions) EXPECT_TRUE(std::abs(x.x - 5) < 1e-6 || std::abs(x.x - 7) < 1e-6);
}

TEST(mesh_surface, of_a_sequence_moves_between_its_frames) {
  const auto frame = [](double radius) {
    return Mesh{"ball", 0.05, make_level_set(sphere_mesh({0, 0, 0}, radius, 3), 0.05, "ball")};
  };
  const Shape shape = MeshSequence{.frames = {frame(0.5), frame(0.6)}, .frame_rate = 10, .start = 1};
  ASSERT_TRUE(can_tessellate(shape));
  EXPECT_TRUE(has_mesh_sequence(shape));
  for (const auto& [time, radius] : {std::pair{0.0, 0.5}, {1.025, 0.525}, {1.1, 0.6}, {9.0, 0.6}})
    for (const Vec3<double>& x : tessellate(shape, time).positions) ASSERT_NEAR(norm(x), radius, 1e-12);
}

TEST(merge_in_order, keeps_the_order_of_the_file) {
  const TriangleMesh mesh{{{1, 0, 0}, {0, 0, 0}, {0, 1, 0}, {0, 0, 0}, {1, 0, 0}, {0, 0, 1}},
                          {{0, 2, 1}, {3, 5, 4}, {0, 4, 5}}};
  const TriangleMesh merged = merge_in_order(mesh);
  EXPECT_EQ(merged.points, (std::vector<Double3>{{1, 0, 0}, {0, 0, 0}, {0, 1, 0}, {0, 0, 1}}));
  EXPECT_EQ(merged.triangles, (std::vector<std::array<int, 3>>{{0, 2, 1}, {1, 3, 0}}));
}

}  // namespace
}  // namespace dollop
