#include "boundary/level_set.h"

#include <dollop/scene.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "boundary/mesh_samples.h"
#include "boundary/sample_shapes.h"
#include "boundary/shape_distance.h"
#include "core/parallel.h"
#include "worse_of.h"

namespace dollop {
namespace {

using namespace test;

Mesh mesh_of(const TriangleMesh& triangles, double voxel_size) {
  return {"test", voxel_size, make_level_set(merge_equal_points(triangles), voxel_size, "mesh 'test'")};
}

// the error within three voxels of the surface, in voxels; further away it must keep to its bound (BC.13)
double largest_error(const Mesh& mesh, const Shape& exact, double half_size) {
  Random random;
  double error = 0;
  const double h = mesh.voxel_size, reach = mesh.level_set->reach();
  for (int i = 0; i < 20000; ++i) {
    const Double3 x = to_array(random.in_cube(half_size));
    const double d = signed_distance(mesh, x), truth = signed_distance(exact, x);
    EXPECT_TRUE(std::abs(truth) <= h || (d < 0) == (truth < 0));
    if (std::abs(truth) < 3 * h) {
      error = tests::worse_of(error, std::abs(d - truth) / h);
    } else if (std::abs(truth) < reach - 2 * h) {
      EXPECT_LE(std::abs(d - truth), 0.87 * h);
    } else {
      EXPECT_LE(std::abs(d), std::abs(truth) + 0.87 * h);
      EXPECT_GE(std::abs(d), reach - 3 * h);
    }
  }
  return error;
}

const Double3 low{-0.41, -0.3, -0.52}, high{0.37, 0.33, 0.45};
const Box box{.center = {-0.02, 0.015, -0.035}, .size = {0.78, 0.63, 0.97}};

TEST(level_set, of_a_box_is_its_distance) {
  EXPECT_LT(largest_error(mesh_of(cube_mesh(low, high), 0.03), box, 1), 0.3);
  const Mesh mesh = mesh_of(cube_mesh(low, high), 0.03);
  // flat faces are exact
  for (const double d : {-0.1, -0.02, 0.0, 0.05, 0.15})
    EXPECT_NEAR(signed_distance(mesh, {high[0] + d, 0.01, 0.02}), d, 1e-7);
}

TEST(level_set, of_a_sphere_is_its_distance) {
  const Sphere sphere{.center = {0.1, -0.05, 0.02}, .radius = 0.6};
  const TriangleMesh triangles = sphere_mesh(sphere.center, 0.6, 5);
  EXPECT_LT(largest_error(mesh_of(triangles, 0.04), sphere, 1), 0.05);
}

TEST(level_set, of_a_torus_is_its_distance) {
  const Torus torus{.radius = 0.6, .tube_radius = 0.25};
  EXPECT_LT(largest_error(mesh_of(torus_mesh(0.6, 0.25, 100, 60), 0.04), torus, 1), 0.06);
}

TEST(level_set, does_not_care_which_way_the_triangles_face) {
  const Mesh a = mesh_of(cube_mesh(low, high), 0.05), b = mesh_of(inside_out(cube_mesh(low, high)), 0.05);
  Random random;
  for (int i = 0; i < 2000; ++i) {
    const Double3 x = to_array(random.in_cube(0.8));
    EXPECT_EQ(signed_distance(a, x), signed_distance(b, x));
  }
  EXPECT_EQ(volume(a), volume(b));
}

TEST(level_set, keeps_cavities_and_joins_overlapping_parts) {
  const TriangleMesh outer = sphere_mesh({0, 0, 0}, 0.8, 4), inner = sphere_mesh({0, 0, 0}, 0.4, 4);
  const Mesh shell = mesh_of(together(outer, inside_out(inner)), 0.03);
  const Shape exact = Minus{{Sphere{.radius = 0.8}, Sphere{.radius = 0.4}}};
  EXPECT_LT(largest_error(shell, exact, 1), 0.2);
  EXPECT_NEAR(volume(shell).value(), 4 * pi / 3 * (0.512 - 0.064), 0.02);

  const Mesh pair = mesh_of(together(outer, sphere_mesh({0.5, 0, 0}, 0.8, 4)), 0.05);
  EXPECT_LT(signed_distance(pair, {0.25, 0, 0}), 0);
  EXPECT_LT(signed_distance(pair, {1.2, 0, 0}), 0);
  EXPECT_GT(signed_distance(pair, {0, 0.9, 0}), 0);
  const double lens_height = 0.8 - 0.25;  // of each of the two caps that they share
  const double shared = 2 * pi * lens_height * lens_height * (3 * 0.8 - lens_height) / 3;
  EXPECT_NEAR(volume(pair).value(), 2 * 4 * pi / 3 * 0.512 - shared, 0.03);
}

TEST(level_set, gradient_is_that_of_the_value) {
  const Mesh mesh = mesh_of(torus_mesh(0.6, 0.25, 60, 40), 0.05);
  constexpr double h = 1e-7;
  Random random;
  int compared = 0;
  for (int i = 0; i < 2000; ++i) {
    const Vec3<double> x = random.in_cube(1);
    const LevelSet::Sample s = mesh.level_set->sample(to_array(x));
    Vec3<double> g{0, 0, 0}, bend{0, 0, 0};
    for (int k = 0; k < 3; ++k) {
      Double3 below = to_array(x), above = below;
      below[k] -= h, above[k] += h;
      const double d0 = mesh.level_set->sample(below).distance, d1 = mesh.level_set->sample(above).distance;
      g[k] = (d1 - d0) / (2 * h), bend[k] = (d1 - 2 * s.distance + d0) / h;
    }
    const Vec3<double> n = to_vec(normal(mesh, to_array(x)));
    EXPECT_NEAR(norm(n), 1, 1e-14);
    EXPECT_LE(norm(g), std::sqrt(3.0) + 1e-6);
    if (norm(bend) > 1e-4 || norm(g) < 0.1) continue;  // across cells, or beyond the reach
    ++compared;
    EXPECT_LT(norm(g - to_vec(s.gradient)), 1e-5);
    EXPECT_LT(norm(unit(g) - n), 1e-4);
  }
  EXPECT_GT(compared, 1000);
}

TEST(level_set, a_ball_smaller_than_the_clearance_is_free) {
  const Mesh mesh =
      mesh_of(together(cube_mesh({-0.5, -0.5, -0.5}, {0.5, 0, 0.5}), sphere_mesh({0, 0.4, 0}, 0.2, 2)), 0.06);
  Random random;
  for (int i = 0; i < 20000; ++i) {
    const Vec3<double> x = random.in_cube(1.5);
    const double r = clearance(mesh, to_array(x)), d = signed_distance(mesh, to_array(x));
    EXPECT_LE(r, d);
    EXPECT_EQ(r < 0, d < 0);
    if (r <= 0) continue;
    EXPECT_GT(signed_distance(mesh, to_array(x + (0.9999 * r) * random.direction())), 0);
  }
  EXPECT_NEAR(clearance(mesh, {0, 9, 0}), 9 - 0.6, 2 * 0.06);
}

TEST(level_set, far_away_is_the_distance_to_its_box) {
  const Mesh mesh = mesh_of(cube_mesh(low, high), 0.05);
  EXPECT_NEAR(signed_distance(mesh, {0, 100, 0}), 100 - high[1], 1e-6);
  EXPECT_EQ(normal(mesh, {0, 100, 0}), (Double3{0, 1, 0}));
  for (const double x : {-1e100, -1.0, 0.0, 1e-300, 1.0, 1e100})
    for (const double y : {-1e100, 0.0, 0.3, 1e100}) {
      EXPECT_NEAR(norm(to_vec(normal(mesh, {x, y, x}))), 1, 1e-12);
      EXPECT_FALSE(std::isnan(signed_distance(mesh, {x, y, x})));
    }
  const LevelSet::Sample nowhere = mesh.level_set->sample({NAN, 0, 0});
  EXPECT_EQ(nowhere.distance, mesh.level_set->reach());
}

TEST(level_set, of_a_mesh_far_from_the_origin_loses_no_digits) {
  const Mesh mesh = mesh_of(cube_mesh({1e5, 1e5, 1e5}, {1e5 + 1, 1e5 + 1, 1e5 + 1}), 0.05);
  EXPECT_NEAR(signed_distance(mesh, {1e5 + 0.5, 1e5 + 1.1, 1e5 + 0.5}), 0.1, 1e-6);
  EXPECT_NEAR(volume(mesh).value(), 1, 1e-12);
}

TEST(level_set, bounds_hold_the_inside_and_the_volume_is_that_of_the_triangles) {
  const TriangleMesh triangles = torus_mesh(0.6, 0.25, 30, 20);
  const Mesh mesh = mesh_of(triangles, 0.04);
  const Bounds b = bounds(mesh);
  Random random;
  int inside = 0;
  constexpr int count = 200000;
  for (int i = 0; i < count; ++i) {
    const Vec3<double> x = random.in_cube(1);
    if (signed_distance(mesh, to_array(x)) > 0) continue;
    ++inside;
    for (int k = 0; k < 3; ++k) ASSERT_TRUE(b.min[k] <= x[k] && x[k] <= b.max[k]);
  }
  EXPECT_NEAR(b.max[0], 0.85, 1e-6);
  EXPECT_DOUBLE_EQ(volume(mesh).value(), signed_volume(triangles));
  EXPECT_NEAR(8.0 * inside / count, signed_volume(triangles), 0.03);
}

TEST(level_set, is_the_same_from_all_threads) {
  const Mesh mesh = mesh_of(torus_mesh(0.6, 0.25, 60, 40), 0.03);
  Random random;
  std::vector<Double3> points(20000);
  for (Double3& p : points) p = to_array(random.in_cube(1));
  std::vector<double> alone;
  for (const Double3& p : points) alone.push_back(signed_distance(mesh, p));
  std::atomic<int> wrong = 0;
  parallel_for(8 * points.size(), 64, [&](std::size_t i) {
    const std::size_t p = i * 7919 % points.size();
    wrong += signed_distance(mesh, points[p]) != alone[p];
  });
  EXPECT_EQ(wrong, 0);
}

TEST(level_set, refuses_what_does_not_fit) {
  const auto message = [](const TriangleMesh& mesh, double voxel_size) -> std::string {
    try {
      mesh_of(mesh, voxel_size);
    } catch (const SceneError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(
      message(cube_mesh({0, 0, 0}, {1, 0.01, 1}), 0.02),
      "mesh 'test' is 0.01 m across in y, less than two voxels of 0.02 m; make voxel_size 0.0025 or less");
  EXPECT_EQ(message(cube_mesh({0, 0, 0}, {1, 1, 1}), 1e-5),
            "mesh 'test' would need 9.6e+11 voxels, more than 2e+08; make voxel_size 0.0007 or more, or "
            "scale the mesh "
            "if its units are not metres");
  EXPECT_NE(
      message(together(cube_mesh({0, 0, 0}, {1, 1, 1}), cube_mesh({9e3, 9e3, 9e3}, {9001, 9001, 9001})), 0.2)
          .find("blocks of voxels"),
      std::string::npos);
}

}  // namespace
}  // namespace dollop
