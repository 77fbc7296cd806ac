// Meshes that bodies carry: merged points, vertices at creases and seams, divided edges, normals.
#include <dollop/scene.h>
#include <gtest/gtest.h>

#include <set>

#include "boundary/embedded_mesh.h"
#include "boundary/mesh_samples.h"
#include "boundary/rigid.h"
#include "boundary/shape_distance.h"

namespace dollop {
namespace {

using test::cube_mesh;

// the triangles of a mesh with the points that its vertices lie at
TriangleMesh triangles_of(const EmbeddedMesh& mesh) {
  TriangleMesh plain{mesh.points, {}};
  for (const auto& t : mesh.triangles)
    plain.triangles.push_back({int(mesh.point_of[t[0]]), int(mesh.point_of[t[1]]), int(mesh.point_of[t[2]])});
  return plain;
}

double longest_edge(const EmbeddedMesh& mesh) {
  double longest = 0;
  for (std::uint32_t p = 0; p < mesh.points.size(); ++p)
    for (std::uint32_t n = mesh.first_neighbour[p]; n < mesh.first_neighbour[p + 1]; ++n)
      longest = std::max(longest, norm(to_vec(mesh.points[p]) - to_vec(mesh.points[mesh.neighbours[n]])));
  return longest;
}

TEST(EmbeddedMesh, PointsOnCreasesHaveSeveralVertices) {
  const EmbeddedMesh mesh = make_embedded_mesh({cube_mesh({0, 0, 0}, {1, 2, 3}), {}}, 0);
  EXPECT_EQ(mesh.points.size(), 8u);
  EXPECT_EQ(mesh.point_of.size(), 24u);  // a corner of a box has one for each face
  EXPECT_EQ(mesh.normals, 24u);
  EXPECT_EQ(mesh.triangles.size(), 12u);
  EXPECT_TRUE(mesh.uv.empty());
  const auto normals = normals_of(mesh, mesh.points);
  for (const auto& t : mesh.triangles) {
    const auto x = [&](std::size_t k) { return to_vec(mesh.points[mesh.point_of[t[k]]]); };
    const Vec3<double> flat = unit_or_zero(cross(x(1) - x(0), x(2) - x(0)));
    for (const std::uint32_t v : t) EXPECT_NEAR(dot(normals[mesh.normal_of[v]], flat), 1, 1e-12);
  }
}

TEST(EmbeddedMesh, SeamsKeepTheirTextureCoordinatesAndShareTheNormal) {
  // two triangles of one plane whose common edge is a seam: the file has its points twice
  TexturedMesh parts;
  parts.mesh.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  parts.mesh.triangles = {{0, 1, 2}, {3, 4, 5}};
  parts.uv = {{0, 0}, {1, 0}, {0, 1}, {0.25, 0.5}, {0.5, 0.5}, {0.25, 0.75}};
  const EmbeddedMesh mesh = make_embedded_mesh(parts, 0);
  EXPECT_EQ(mesh.points.size(), 4u);
  ASSERT_EQ(mesh.point_of.size(), 6u);
  for (std::size_t t = 0; t < 2; ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t v = mesh.triangles[t][k];
      EXPECT_EQ(mesh.points[mesh.point_of[v]], parts.mesh.points[3 * t + k]);
      EXPECT_EQ(mesh.uv[v][0], float(parts.uv[3 * t + k][0]));
      EXPECT_EQ(mesh.uv[v][1], float(parts.uv[3 * t + k][1]));
    }
  EXPECT_EQ(mesh.normals, 4u);
}

TEST(EmbeddedMesh, LongEdgesAreDividedAlikeOnBothSides) {
  TexturedMesh parts{cube_mesh({0, 0, 0}, {1, 1, 1}), {}};
  for (const Double3& p : parts.mesh.points) parts.uv.push_back({p[0] + 10 * p[2], p[1]});
  for (const double longest : {0.9, 0.4, 0.13}) {
    const EmbeddedMesh mesh = make_embedded_mesh(parts, longest);
    EXPECT_LE(longest_edge(mesh), longest);
    EXPECT_EQ(closed_fault(triangles_of(mesh)), "");
    EXPECT_NEAR(signed_volume(triangles_of(mesh)), 1, 1e-12);
    EXPECT_NEAR(area(triangles_of(mesh)), 6, 1e-12);
    for (std::size_t v = 0; v < mesh.point_of.size();
         ++v) {  // the coordinates are an affine function of the place
      const Double3& p = mesh.points[mesh.point_of[v]];
      EXPECT_NEAR(mesh.uv[v][0], p[0] + 10 * p[2], 1e-6);
      EXPECT_NEAR(mesh.uv[v][1], p[1], 1e-6);
    }
  }
}

TEST(EmbeddedMesh, ClosedMeshesThatAreInsideOutAreTurned) {
  TriangleMesh cube = cube_mesh({0, 0, 0}, {1, 1, 1});
  for (auto& t : cube.triangles) std::swap(t[0], t[1]);
  EXPECT_NEAR(signed_volume(triangles_of(make_embedded_mesh({cube, {}}, 0))), 1, 1e-12);
}

TEST(EmbeddedMesh, WithoutAreaIsRefused) {
  EXPECT_THROW(make_embedded_mesh({{{{0, 0, 0}, {1, 0, 0}, {0, 0, 0}}, {{0, 1, 2}}}, {}}, 0), SceneError);
}

TEST(EmbeddedMesh, SurfacesOfShapesAreClosedAndLieOnThem) {
  const Shape box = Box{{0.1, 0, 0}, {0.4, 0.3, 0.2}, 0.03}, ball = Sphere{{0, 0.1, 0}, 0.2};
  const Shape shapes[] = {box,
                          Box{{0, 0, 0}, {0.4, 0.3, 0.2}},
                          ball,
                          Cylinder{{0, 0, 0}, {1, 2, 3}, 0.1, 0.4},
                          Capsule{{0, 0, 0}, {0.1, 0.2, 0.3}, 0.05},
                          Ellipsoid{{0, 0, 0}, {0.1, 0.2, 0.3}},
                          Cone{{0, 0, 0}, {0, 1, 0}, 0.1, 0.3, 0.02},
                          Torus{{0, 0, 0}, {0, 1, 0}, 0.2, 0.05},
                          Union{{box, ball}},
                          Minus{{box, ball}},
                          place(box, rotation_of_angles({0.3, 0.2, 0.1}), {1, 2, 3}, 2)};
  constexpr double h = 0.02;
  for (const Shape& shape : shapes) {
    const EmbeddedMesh mesh = make_embedded_mesh(textured_surface(shape, 0.5 * h), h);
    EXPECT_EQ(closed_fault(triangles_of(mesh)), "") << shape.form.index();
    EXPECT_LE(longest_edge(mesh), h);
    EXPECT_GT(signed_volume(triangles_of(mesh)), 0);
    for (const Double3& x : mesh.points)
      EXPECT_NEAR(signed_distance(shape, x), 0, 0.1 * h) << shape.form.index();
  }
}

TEST(EmbeddedMesh, FilesArePlacedAsTheShapeIs) {
  const Shape inner = place(Sphere{{0, 0, 0}, 1}, identity_rotation, {1, 0, 0});
  const Shape shape = Placed{std::make_shared<const Shape>(inner),
                             rotation_of_angles({0, 0, std::numbers::pi / 2}),
                             {0, 0, 5},
                             {2, 1, 1}};
  std::vector<Double3> points{{0, 0, 0}, {1, 0, 0}};
  place_as(shape, points);
  EXPECT_NEAR(points[0][1], 2, 1e-12);  // moved by 1 along x, doubled, turned to y
  EXPECT_NEAR(points[1][1], 4, 1e-12);
  EXPECT_NEAR(points[0][2], 5, 1e-12);
  EXPECT_NEAR(signed_distance(shape, points[1]), 0, 1e-6);
}

}  // namespace
}  // namespace dollop
