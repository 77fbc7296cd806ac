#include "boundary/shape_distance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "boundary/rigid.h"
#include "boundary/sample_shapes.h"

namespace dollop {
namespace {

using namespace test;

// --- random points on the surface, independent of the distance ------------------------------------------

Vec3<double> on_surface(const Sphere& s, Random& random) {
  return to_vec(s.center) + s.radius * random.direction();
}

// a face, an edge or a corner of the inner box, and the rounding beyond it
Vec3<double> on_surface(const Box& box, Random& random) {
  Vec3<double> at{0, 0, 0}, out{0, 0, 0};
  while (norm(out) == 0)
    for (int i = 0; i < 3; ++i) {
      const double half = 0.5 * box.size[i] - box.rounding, side = std::floor(random.in(-1, 2));
      at[i] = side == 0 ? random.in(-half, half) : side * half;
      out[i] = side * random.in(0, 1);
    }
  return to_vec(box.center) + at + box.rounding * unit(out);
}

Vec3<double> on_surface(const Cylinder& c, Random& random) {
  const Vec3<double> axis = unit(to_vec(c.axis));
  const auto [u, w] = frame(axis);
  const double angle = random.in(0, 2 * pi);
  const bool cap = random.in(0, 1) < 0.5;
  const double r = cap ? c.radius * std::sqrt(random.in(0, 1)) : c.radius;
  const double h = cap ? std::copysign(0.5 * c.height, random.in(-1, 1)) : random.in(-0.5, 0.5) * c.height;
  return to_vec(c.center) + h * axis + (r * std::cos(angle)) * u + (r * std::sin(angle)) * w;
}

Vec3<double> on_surface(const Capsule& c, Random& random) {
  const Vec3<double> from = to_vec(c.from), segment = to_vec(c.to) - from, axis = unit(segment);
  if (random.in(0, 1) < 0.5) {
    const Vec3<double> d = random.direction();
    return from + (dot(d, axis) > 0 ? 1.0 : 0.0) * segment + c.radius * d;
  }
  const auto [u, w] = frame(axis);
  const double angle = random.in(0, 2 * pi);
  return from + random.in(0, 1) * segment + (c.radius * std::cos(angle)) * u +
         (c.radius * std::sin(angle)) * w;
}

Vec3<double> on_surface(const Ellipsoid& e, Random& random) {
  const Vec3<double> d = random.direction();
  return to_vec(e.center) + Vec3<double>{e.radii[0] * d.x, e.radii[1] * d.y, e.radii[2] * d.z};
}

Vec3<double> on_surface(const Cone& c, Random& random) {
  const Vec3<double> axis = unit(to_vec(c.axis));
  const auto [u, w] = frame(axis);
  const double angle = random.in(0, 2 * pi), part = random.in(0, 3);
  double h = random.in(0, 1);
  if (part > 1) h = part > 2 ? 1 : 0;
  double r = c.radius + h * (c.top_radius - c.radius);
  if (part > 1) r *= std::sqrt(random.in(0, 1));
  return to_vec(c.center) + (h * c.height) * axis + (r * std::cos(angle)) * u + (r * std::sin(angle)) * w;
}

Vec3<double> on_surface(const Torus& t, Random& random) {
  const Vec3<double> axis = unit(to_vec(t.axis));
  const auto [u, w] = frame(axis);
  const double angle = random.in(0, 2 * pi), around = random.in(0, 2 * pi);
  const double r = t.radius + t.tube_radius * std::cos(around);
  return to_vec(t.center) + (t.tube_radius * std::sin(around)) * axis + (r * std::cos(angle)) * u +
         (r * std::sin(angle)) * w;
}

Vec3<double> on_surface(const Disc& d, Random& random) {
  if (d.thickness > 0)
    return on_surface(
        Cylinder{.center = d.center, .axis = d.normal, .radius = d.radius, .height = d.thickness}, random);
  const auto [u, w] = frame(unit(to_vec(d.normal)));
  const double angle = random.in(0, 2 * pi), r = d.radius * std::sqrt(random.in(0, 1));
  return to_vec(d.center) + (r * std::cos(angle)) * u + (r * std::sin(angle)) * w;
}

template <class T>
void expect_distance_to_dense_samples(const T& shape) {
  Random random;
  std::vector<Vec3<double>> points;
  for (int i = 0; i < 40000; ++i) points.push_back(on_surface(shape, random));
  for (const auto& p : points) ASSERT_NEAR(signed_distance(shape, to_array(p)), 0, 1e-12);
  for (int k = 0; k < 200; ++k) {
    const Vec3<double> x = random.in_cube(1.2);
    double closest = 1e9;
    for (const auto& p : points) closest = std::min(closest, norm(x - p));
    const double d = std::abs(signed_distance(shape, to_array(x)));
    EXPECT_GE(closest, d - 1e-12);
    EXPECT_LE(closest, d + 0.04);  // spacing of the samples
  }
}

TEST(shape_distance, is_the_distance_to_the_closest_surface_point) {
  expect_distance_to_dense_samples(ball);
  expect_distance_to_dense_samples(plain_box);
  expect_distance_to_dense_samples(rounded_box);
  expect_distance_to_dense_samples(drum);
  expect_distance_to_dense_samples(pill);
  expect_distance_to_dense_samples(egg);
  expect_distance_to_dense_samples(lens);
  expect_distance_to_dense_samples(hat);
  expect_distance_to_dense_samples(cup);
  expect_distance_to_dense_samples(ring);
  expect_distance_to_dense_samples(plate);
  expect_distance_to_dense_samples(sheet);
}

// --- closed forms -----------------------------------------------------------------------------------------

TEST(shape_distance, of_plane) {
  const Plane p{.point = {0, 1, 0}, .normal = {0, 2, 0}};
  EXPECT_DOUBLE_EQ(signed_distance(p, {5, 3, -4}), 2);
  EXPECT_DOUBLE_EQ(signed_distance(p, {5, -3, -4}), -4);
  EXPECT_EQ(normal(p, {1, 1, 1}), (Double3{0, 1, 0}));
}

TEST(shape_distance, of_sphere) {
  const Sphere s{.center = {1, 0, 0}, .radius = 2};
  EXPECT_DOUBLE_EQ(signed_distance(s, {1, 0, 0}), -2);
  EXPECT_DOUBLE_EQ(signed_distance(s, {1, 2, 0}), 0);
  EXPECT_DOUBLE_EQ(signed_distance(s, {4, 4, 0}), 3);
}

TEST(shape_distance, of_box_faces_edges_corners_and_inside) {
  const Box b{.center = {0, 0, 0}, .size = {2, 4, 6}};
  EXPECT_DOUBLE_EQ(signed_distance(b, {1, 0, 0}), 0);
  EXPECT_DOUBLE_EQ(signed_distance(b, {3, 1, 1}), 2);   // beyond a face
  EXPECT_DOUBLE_EQ(signed_distance(b, {4, -6, 1}), 5);  // beyond an edge
  EXPECT_DOUBLE_EQ(signed_distance(b, {2, 4, -5}), 3);  // beyond a corner
  EXPECT_DOUBLE_EQ(signed_distance(b, {0, 0, 0}), -1);  // the nearest face is in x
  EXPECT_DOUBLE_EQ(signed_distance(b, {0, -1.9, 0}), -(2 - 1.9));
  EXPECT_EQ(normal(b, {0.5, 0, 0}), (Double3{1, 0, 0}));
  EXPECT_EQ(normal(b, {0, -1.9, 0}), (Double3{0, -1, 0}));
  EXPECT_EQ(normal(b, {0, 0, -9}), (Double3{0, 0, -1}));
}

TEST(shape_distance, of_rounded_box) {
  const Box b{.center = {0, 0, 0}, .size = {2, 4, 6}, .rounding = 0.5};
  EXPECT_DOUBLE_EQ(signed_distance(b, {3, 0, 0}), 2);
  EXPECT_DOUBLE_EQ(signed_distance(b, {3.5, -5.5, 0}), 4.5);  // 3-4-5 from the inner edge
  EXPECT_DOUBLE_EQ(signed_distance(b, {1, 2, 0}), std::sqrt(0.5) - 0.5);
  EXPECT_DOUBLE_EQ(signed_distance(b, {0, 0, 0}), -1);
}

TEST(shape_distance, of_cylinder) {
  const Cylinder c{.center = {0, 0, 0}, .axis = {0, 3, 0}, .radius = 1, .height = 4};
  EXPECT_DOUBLE_EQ(signed_distance(c, {3, 1, 0}), 2);
  EXPECT_DOUBLE_EQ(signed_distance(c, {0.5, -5, 0}), 3);
  EXPECT_DOUBLE_EQ(signed_distance(c, {0, 6, 4}), 5);  // beyond the rim
  EXPECT_DOUBLE_EQ(signed_distance(c, {0, 0, 0}), -1);
  EXPECT_DOUBLE_EQ(signed_distance(c, {0, 1.75, 0}), -0.25);
}

TEST(shape_distance, of_capsule) {
  const Capsule c{.from = {0, 0, 0}, .to = {0, 2, 0}, .radius = 0.5};
  EXPECT_DOUBLE_EQ(signed_distance(c, {2, 1, 0}), 1.5);
  EXPECT_DOUBLE_EQ(signed_distance(c, {3, 6, 0}), 4.5);
  EXPECT_DOUBLE_EQ(signed_distance(c, {0, -1, 0}), 0.5);
  EXPECT_DOUBLE_EQ(signed_distance(c, {0, 1, 0}), -0.5);
  const Capsule point{.from = {1, 1, 1}, .to = {1, 1, 1}, .radius = 0.5};
  EXPECT_DOUBLE_EQ(signed_distance(point, {1, 1, 3}), 1.5);
}

TEST(shape_distance, of_ellipsoid) {
  const Ellipsoid e{.center = {0, 0, 0}, .radii = {3, 2, 1}};
  EXPECT_DOUBLE_EQ(signed_distance(e, {5, 0, 0}), 2);
  EXPECT_DOUBLE_EQ(signed_distance(e, {0, -5, 0}), 3);
  EXPECT_DOUBLE_EQ(signed_distance(e, {0, 0, 0}), -1);
  EXPECT_DOUBLE_EQ(signed_distance(e, {0, 0, 0.25}), -0.75);
  // in the plane of the long axes the closest point is above: (x - p)^2 + 1 - p^2 / 9 with p = 9 x / 8
  EXPECT_DOUBLE_EQ(signed_distance(e, {2, 0, 0}), -std::sqrt(0.0625 + 1 - 2.25 * 2.25 / 9));
  EXPECT_NEAR(signed_distance(e, {3, 0, 0}), 0, 1e-15);
  EXPECT_LT(norm(to_vec(normal(e, {5, 0, 0})) - Vec3<double>{1, 0, 0}), 1e-15);
  const Ellipsoid round{.center = {1, 2, 3}, .radii = {0.5, 0.5, 0.5}};
  Random random;
  for (int i = 0; i < 500; ++i) {
    const Double3 x = to_array(random.in_cube(4));
    EXPECT_NEAR(signed_distance(round, x), signed_distance(Sphere{{1, 2, 3}, 0.5}, x), 1e-14);
  }
}

// at p + d n, with n the normal at p, the distance is d until the closest point changes
TEST(shape_distance, of_very_flat_and_very_long_ellipsoids) {
  Random random;
  for (const Double3& radii : {Double3{1, 1e-4, 1}, Double3{1e-3, 1e-3, 1}, Double3{1, 0.5, 1e-6}})
    for (int i = 0; i < 500; ++i) {
      const Vec3<double> u = random.direction();
      Vec3<double> p, n;
      for (int k = 0; k < 3; ++k) p[k] = radii[k] * u[k], n[k] = u[k] / radii[k];
      n = unit(n);
      const double d = std::pow(10, random.in(-6, 1));
      EXPECT_NEAR(signed_distance(Ellipsoid{{0, 0, 0}, radii}, to_array(p + d * n)), d, 1e-13);
      EXPECT_LT(norm(to_vec(normal(Ellipsoid{{0, 0, 0}, radii}, to_array(p + d * n))) - n), 1e-9 / d);
    }
}

TEST(shape_distance, of_cone) {
  const Cone c{.center = {0, 0, 0}, .axis = {0, 2, 0}, .radius = 3, .height = 4};
  EXPECT_DOUBLE_EQ(signed_distance(c, {0, 6, 0}), 2);   // above the tip
  EXPECT_DOUBLE_EQ(signed_distance(c, {1, -2, 1}), 2);  // below the base
  EXPECT_DOUBLE_EQ(signed_distance(c, {7, 3, 0}), 5);   // 4-3-5 beyond the side at (3, 0)
  EXPECT_DOUBLE_EQ(signed_distance(c, {1.5 + 0.8, 2.6, 0}),
                   1);  // along the normal (0.8, 0.6) from its middle
  EXPECT_DOUBLE_EQ(signed_distance(c, {3, -4, -4}), std::hypot(2, 4));  // beyond the rim
  EXPECT_DOUBLE_EQ(signed_distance(c, {0, 1.5, 0}), -1.5);              // the base and the side are as near
  EXPECT_NEAR(signed_distance(c, {0, 4, 0}), 0, 1e-15);
  EXPECT_EQ(normal(c, {0, 6, 0}), (Double3{0, 1, 0}));
  EXPECT_EQ(normal(c, {0.1, 0.2, 0}), (Double3{0, -1, 0}));
}

TEST(shape_distance, of_torus) {
  const Torus t{.center = {0, 0, 0}, .axis = {0, 1, 0}, .radius = 2, .tube_radius = 0.5};
  EXPECT_DOUBLE_EQ(signed_distance(t, {0, 0, 0}), 1.5);
  EXPECT_DOUBLE_EQ(signed_distance(t, {0, 0, 2}), -0.5);
  EXPECT_DOUBLE_EQ(signed_distance(t, {5, 4, 0}), 4.5);
  EXPECT_EQ(normal(t, {0, 3, 2}), (Double3{0, 1, 0}));
}

TEST(shape_distance, of_disc) {
  const Disc flat{.center = {0, 0, 0}, .normal = {0, 3, 0}, .radius = 1};
  EXPECT_DOUBLE_EQ(signed_distance(flat, {0.5, 2, 0}), 2);
  EXPECT_DOUBLE_EQ(signed_distance(flat, {0.5, -2, 0}), 2);  // no inside
  EXPECT_DOUBLE_EQ(signed_distance(flat, {4, -4, 0}), 5);
  EXPECT_DOUBLE_EQ(signed_distance(flat, {0.5, 0, 0}), 0);
  EXPECT_EQ(normal(flat, {0.5, 0, 0}), (Double3{0, 1, 0}));
  EXPECT_EQ(normal(flat, {0.5, -2, 0}), (Double3{0, -1, 0}));
  const Disc thick{.center = {0, 0, 0}, .normal = {0, 3, 0}, .radius = 1, .thickness = 0.5};
  EXPECT_DOUBLE_EQ(signed_distance(thick, {0.5, 2, 0}), 1.75);
  EXPECT_DOUBLE_EQ(signed_distance(thick, {0, 0, 0}), -0.25);
}

// a stretched sphere is an ellipsoid: the same inside, the same normal at the surface, and no larger distances
TEST(shape_distance, of_a_shape_scaled_along_its_axes) {
  const Rotation r = to_array(rotation_by({0.3, -0.7, 0.2}));
  const Shape by_scale =
      Placed{std::make_shared<const Shape>(Sphere{.radius = 0.5}), r, {0.1, 0, 0.2}, {1, 2, 3}};
  const Shape same = place(Ellipsoid{.radii = {0.5, 1, 1.5}}, r, {0.1, 0, 0.2});
  Random random;
  for (int i = 0; i < 3000; ++i) {
    const Double3 x = to_array(random.in_cube(2));
    const double d = signed_distance(by_scale, x), exact = signed_distance(same, x);
    EXPECT_EQ(d < 0, exact < 0);
    EXPECT_LE(std::abs(d), std::abs(exact) + 1e-14);
    EXPECT_GE(std::abs(d), std::abs(exact) / 3 - 1e-14);  // no smaller than the ratio of the scales says
    const Vec3<double> n = to_vec(normal(same, x)), on = to_vec(x) - exact * n;
    EXPECT_LT(norm(to_vec(normal(by_scale, to_array(on))) - to_vec(normal(same, to_array(on)))), 1e-9);
  }
}

TEST(shape_distance, of_placed_is_that_of_the_shape_written_out) {
  const Rotation quarter_about_z{{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}};
  const Shape placed = place(Box{.center = {1, 0, 0}, .size = {2, 1, 1}}, quarter_about_z, {3, 0, 0}, 2);
  const Box same{.center = {3, 2, 0}, .size = {2, 4, 2}};
  Random random;
  for (int i = 0; i < 200; ++i) {
    const Double3 x = to_array(random.in_cube(6));
    EXPECT_NEAR(signed_distance(placed, x), signed_distance(same, x), 1e-12);
    EXPECT_NEAR(norm(to_vec(normal(placed, x)) - to_vec(normal(same, x))), 0, 1e-12);
  }
}

TEST(shape_distance, signs_of_combinations_are_those_of_sets) {
  const Shape a = plain_box, b = ball, c = drum;
  Random random;
  for (int i = 0; i < 2000; ++i) {
    const Double3 x = to_array(random.in_cube(1.2));
    const bool in_a = signed_distance(a, x) < 0, in_b = signed_distance(b, x) < 0,
               in_c = signed_distance(c, x) < 0;
    EXPECT_EQ(signed_distance(Union{{a, b, c}}, x) < 0, in_a || in_b || in_c);
    EXPECT_EQ(signed_distance(Intersect{{a, b, c}}, x) < 0, in_a && in_b && in_c);
    EXPECT_EQ(signed_distance(Minus{{a, b, c}}, x) < 0, in_a && !in_b && !in_c);
  }
}

TEST(shape_distance, normal_of_a_hole_points_into_the_hole) {
  const Shape shell = Minus{{Sphere{.radius = 2}, Sphere{.radius = 1}}};
  EXPECT_DOUBLE_EQ(signed_distance(shell, {1.25, 0, 0}), -0.25);
  EXPECT_EQ(normal(shell, {1.25, 0, 0}), (Double3{-1, 0, 0}));
  EXPECT_EQ(normal(shell, {1.75, 0, 0}), (Double3{1, 0, 0}));
}

// --- properties of all shapes -----------------------------------------------------------------------------

TEST(shape_distance, changes_by_no_more_than_the_way_travelled) {
  for (const auto& [name, shape] : all_shapes()) {
    Random random;
    for (int i = 0; i < 3000; ++i) {
      const Vec3<double> x = random.in_cube(1.5);
      const Vec3<double> y = i % 2 ? random.in_cube(1.5) : x + random.in_cube(1e-3);
      const double change = signed_distance(shape, to_array(x)) - signed_distance(shape, to_array(y));
      EXPECT_LE(std::abs(change), norm(x - y) * (1 + 1e-12) + 1e-14) << name;
    }
  }
}

TEST(shape_distance, normal_is_its_gradient) {
  constexpr double h = 1e-6;
  for (const auto& [name, shape] : all_shapes()) {
    Random random;
    int smooth = 0;
    for (int i = 0; i < 1000; ++i) {
      const Vec3<double> x = random.in_cube(1.2);
      const SurfaceSample s = sample_surface(shape, to_array(x));
      EXPECT_EQ(s.distance, signed_distance(shape, to_array(x)));
      EXPECT_EQ(s.normal, normal(shape, to_array(x)));
      EXPECT_NEAR(norm(to_vec(s.normal)), 1, 1e-14);
      Vec3<double> g, bend;
      for (int k = 0; k < 3; ++k) {
        Double3 below = to_array(x), above = below;
        below[k] -= h, above[k] += h;
        const double d0 = signed_distance(shape, below), d1 = signed_distance(shape, above);
        g[k] = (d1 - d0) / (2 * h), bend[k] = (d1 - 2 * s.distance + d0) / h;
      }
      if (norm(bend) > 1e-3) continue;  // a kink within the step
      ++smooth;
      EXPECT_LT(norm(unit(g) - to_vec(s.normal)), 1e-4) << name;
      const bool exact_length = name.find("stretched") == std::string::npos;
      EXPECT_NEAR(norm(g), 1, exact_length ? 1e-5 : 1) << name;
    }
    EXPECT_GT(smooth, 990) << name;
  }
}

TEST(shape_distance, normal_is_unit_at_centres_edges_corners_and_far_away) {
  const std::vector<Shape> shapes{Plane{},
                                  Box{},
                                  Box{.size = {1, 1, 1}, .rounding = 0.5},
                                  Sphere{},
                                  Cylinder{},
                                  Capsule{},
                                  Capsule{.from = {0, 0, 0}, .to = {0, 0, 0}},
                                  Union{{Sphere{}, Box{}}},
                                  Minus{{Box{}, Sphere{.radius = 0.5}}},
                                  Intersect{{Sphere{}, Plane{}}},
                                  Union{},
                                  Minus{},
                                  Intersect{},
                                  turned(Cylinder{}),
                                  Ellipsoid{},
                                  Ellipsoid{.radii = {1, 0.5, 2}},
                                  Cone{},
                                  Cone{.radius = 0, .top_radius = 1},
                                  Torus{},
                                  Disc{},
                                  Disc{.thickness = 1},
                                  Mesh{},
                                  MeshSequence{},
                                  stretched(Cone{})};
  const double coordinates[] = {-1e100, -1, -0.5, -0.0, 0, 1e-300, 1e-160, 0.5, 1, 1e100};
  for (const Shape& shape : shapes)
    for (const double x : coordinates)
      for (const double y : coordinates)
        for (const double z : coordinates) {
          const Double3 n = normal(shape, {x, y, z});
          EXPECT_FALSE(std::isnan(signed_distance(shape, {x, y, z}))) << shape.form.index();
          EXPECT_NEAR(norm(to_vec(n)), 1, 1e-12) << shape.form.index() << " " << x << " " << y << " " << z;
        }
}

// for all of these the distance is its own lower bound
TEST(shape_distance, clearance_of_analytic_shapes_is_the_distance) {
  for (const auto& [name, shape] : all_shapes()) {
    Random random;
    for (int i = 0; i < 100; ++i) {
      const Double3 x = to_array(random.in_cube(1.5));
      EXPECT_EQ(clearance(shape, x), signed_distance(shape, x)) << name;
    }
  }
}

}  // namespace
}  // namespace dollop
