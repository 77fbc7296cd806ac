#include "surface/shape_mesh.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "boundary/level_set.h"
#include "boundary/mesh_samples.h"
#include "worse_of.h"

namespace dollop {
namespace {

const Bounds around{{-2, -2, -2}, {2, 2, 2}};

double volume_of(const SurfaceMesh& mesh) {
  double sum = 0;
  for (const auto& t : mesh.triangles)
    sum += dot(mesh.positions[t[0]], cross(mesh.positions[t[1]], mesh.positions[t[2]])) / 6;
  return sum;
}

// edges that do not run once each way, with points of one place taken together
int open_edges(const SurfaceMesh& mesh) {
  std::map<std::array<long, 3>, int> places;
  std::vector<int> place;
  for (const auto& x : mesh.positions)
    place.push_back(
        places
            .try_emplace({std::lround(x.x * 1e5f), std::lround(x.y * 1e5f), std::lround(x.z * 1e5f)},
                         int(places.size()))
            .first->second);
  std::map<std::pair<int, int>, int> edges;
  for (const auto& t : mesh.triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      const int a = place[t[k]], b = place[t[(k + 1) % 3]];
      if (a != b) a < b ? ++edges[{a, b}] : --edges[{b, a}];
    }
  int open = 0;
  for (const auto& [edge, balance] : edges) open += balance != 0;
  return open;
}

double farthest(const SurfaceMesh& mesh, const Shape& shape) {
  double most = 0;
  for (const auto& x : mesh.positions)
    most = tests::worse_of(most, std::abs(signed_distance(shape, {x.x, x.y, x.z})));
  return most;
}

TEST(ShapeMesh, simple_solids_are_closed_and_have_their_volume) {
  const std::vector<Shape> shapes{
      Box{{0.1, 0.2, 0.3}, {0.4, 0.6, 0.8}},
      Box{{0, 0, 0}, {0.4, 0.6, 0.8}, 0.1},
      Sphere{{0.5, 0, 0}, 0.7},
      Cylinder{{0, 0.3, 0}, {1, 1, 0}, 0.3, 0.9},
      Capsule{{0, 0, 0}, {0.3, 0.4, 0}, 0.2},
      Ellipsoid{{0, 0, 0.2}, {0.3, 0.5, 0.7}},
      Cone{{0, 0, 0}, {0, 0, 1}, 0.5, 0.8, 0.2},
      Cone{{0, 0, 0}, {0, 1, 0}, 0.5, 0.8, 0},
      Torus{{0, 0, 0}, {0, 1, 0}, 0.6, 0.2},
      Disc{{0, 0, 0}, {1, 0, 0}, 0.5, 0.1},
      place(Box{{0, 0, 0}, {0.4, 0.6, 0.8}}, rotation_of_angles({0.3, 0.4, 0.5}), {0.2, 0.1, 0}, 1.5),
  };
  for (const Shape& shape : shapes) {
    const SurfaceMesh mesh = shape_mesh(shape, around);
    ASSERT_EQ(mesh.normals.size(), mesh.positions.size());
    EXPECT_EQ(open_edges(mesh), 0) << shape.form.index();
    EXPECT_NEAR(volume_of(mesh) / *volume(shape), 1, 0.01) << shape.form.index();
    EXPECT_LT(farthest(mesh, shape), 1e-5) << shape.form.index();
  }
}

TEST(ShapeMesh, unions_show_their_parts) {
  const Shape both = Union{{Sphere{{-0.6, 0, 0}, 0.3}, Box{{0.6, 0, 0}, {0.4, 0.4, 0.4}}}};
  const SurfaceMesh mesh = shape_mesh(both, around);
  EXPECT_NEAR(volume_of(mesh), 4.18879 * 0.027 + 0.064, 0.002);
}

TEST(ShapeMesh, meshes_have_the_triangles_of_their_files) {
  const Shape box = Mesh{"box", 0.2, make_level_set(test::cube_mesh({0, 0, 0}, {1, 1, 1}), 0.2, "box")};
  const SurfaceMesh mesh = shape_mesh(place(box, identity_rotation, {1, 0, 0}, 2), around);
  EXPECT_EQ(mesh.triangles.size(), 12u);
  EXPECT_NEAR(volume_of(mesh), 8, 1e-5);
}

TEST(ShapeMesh, what_is_cut_is_closed_and_keeps_its_edges) {
  const Shape cup =
      Minus{{Cylinder{{0, 0, 0}, {0, 1, 0}, 0.5, 0.6}, Cylinder{{0, 0.1, 0}, {0, 1, 0}, 0.4, 0.6}}};
  const SurfaceMesh mesh = shape_mesh(cup, around);
  EXPECT_EQ(open_edges(mesh), 0);
  EXPECT_NEAR(volume_of(mesh), M_PI * (0.25 * 0.6 - 0.16 * 0.5), 0.004);
  EXPECT_LT(farthest(mesh, cup), 0.0015);  // of a cell of 0.01
  // the rim is sharp: at its outer edge normals point up and out, and none between
  int up = 0, out = 0, between = 0;
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    const auto& x = mesh.positions[i];
    const float r = std::hypot(x.x, x.z);
    if (std::abs(x.y - 0.3f) > 0.004f || std::abs(r - 0.5f) > 0.004f) continue;
    const float y = mesh.normals[i].y;
    ++(y > 0.9f ? up : y < 0.1f ? out : between);
  }
  EXPECT_GT(up, 100);
  EXPECT_GT(out, 100);
  EXPECT_LT(between, 10);
}

TEST(ShapeMesh, shows_the_part_of_an_unbounded_shape_that_is_asked_for) {
  const Shape half = Intersect{{Plane{{0, 0, 0}, {0, 1, 0}}, Cylinder{{0, 0, 0}, {0, 1, 0}, 0.5, 10}}};
  EXPECT_GT(shape_mesh(half, around).triangles.size(), 100u);
  EXPECT_EQ(shape_mesh(Plane{{0, 0, 0}, {0, 1, 0}}, around).triangles.size(), 2u);
  EXPECT_TRUE(
      shape_mesh(Intersect{{Sphere{{-1, 0, 0}, 0.3}, Sphere{{1, 0, 0}, 0.3}}}, around).triangles.empty());
}

TEST(ShapeMesh, finds_planes_that_were_placed) {
  const auto plane =
      as_plane(place(Plane{{0, 1, 0}, {0, 2, 0}}, rotation_of_angles({0, 0, M_PI / 2}), {5, 0, 0}, 2));
  ASSERT_TRUE(plane);
  EXPECT_NEAR(plane->point[0], 3, 1e-12);
  EXPECT_NEAR(plane->normal[0], -1, 1e-12);
  EXPECT_FALSE(as_plane(Sphere{}));
}

}  // namespace
}  // namespace dollop
