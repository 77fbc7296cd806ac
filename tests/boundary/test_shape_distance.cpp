#include "boundary/shape_distance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>

#include "boundary/rigid.h"

namespace dollop {
namespace {

constexpr double pi = std::numbers::pi;

struct Random {
  std::mt19937_64 bits{7};
  double in(double a, double b) { return std::uniform_real_distribution<double>(a, b)(bits); }
  Vec3<double> in_cube(double h) { return {in(-h, h), in(-h, h), in(-h, h)}; }
  Vec3<double> direction() {
    for (;;) {
      const Vec3<double> v = in_cube(1);
      if (norm(v) > 0.1 && norm(v) < 1) return (1 / norm(v)) * v;
    }
  }
};

struct Named {
  std::string name;
  Shape shape;
};

const Box plain_box{.center = {0.1, -0.2, 0.3}, .size = {1.0, 0.6, 1.4}};
const Box rounded_box{.center = {0.1, -0.2, 0.3}, .size = {1.0, 0.6, 1.4}, .rounding = 0.2};
const Sphere ball{.center = {0.2, 0.1, -0.3}, .radius = 0.7};
const Cylinder drum{.center = {0.1, 0.2, 0}, .axis = {1, 2, -0.5}, .radius = 0.5, .height = 0.8};
const Capsule pill{.from = {-0.3, 0, 0.2}, .to = {0.5, 0.4, -0.1}, .radius = 0.3};
const Plane floor_plane{.point = {0, -0.1, 0}, .normal = {0.5, 2, 0.3}};

Shape turned(const Shape& shape) {
  return place(shape, to_array(rotation_by({0.4, -1.1, 0.7})), {0.2, -0.1, 0.15}, 0.8);
}

std::vector<Named> exact_shapes() {
  return {{"plane", floor_plane}, {"box", plain_box}, {"rounded", rounded_box}, {"sphere", ball},
          {"cylinder", drum},     {"capsule", pill},  {"placed", turned(drum)}};
}

std::vector<Named> all_shapes() {
  std::vector<Named> shapes = exact_shapes();
  shapes.push_back({"union", Union{{plain_box, ball, pill}}});
  shapes.push_back({"intersect", Intersect{{rounded_box, ball}}});
  shapes.push_back({"minus", Minus{{plain_box, pill, drum}}});
  shapes.push_back({"nested", turned(Minus{{Union{{ball, pill}}, turned(plain_box)}})});
  return shapes;
}

Vec3<double> unit(const Vec3<double>& v) { return (1 / norm(v)) * v; }

// two unit vectors at right angles to a unit vector and to each other
std::pair<Vec3<double>, Vec3<double>> frame(const Vec3<double>& a) {
  const Vec3<double> u = unit(cross(a, std::abs(a.x) < 0.9 ? Vec3<double>{1, 0, 0} : Vec3<double>{0, 1, 0}));
  return {u, cross(a, u)};
}

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
      Vec3<double> g;
      for (int k = 0; k < 3; ++k) {
        Double3 a = to_array(x), b = a;
        a[k] -= h, b[k] += h;
        g[k] = (signed_distance(shape, b) - signed_distance(shape, a)) / (2 * h);
      }
      if (std::abs(norm(g) - 1) > 1e-5) continue;  // a kink within the step
      ++smooth;
      EXPECT_LT(norm(g - to_vec(s.normal)), 1e-4) << name;
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
                                  turned(Cylinder{})};
  const double coordinates[] = {-1e100, -1, -0.5, -0.0, 0, 1e-300, 1e-160, 0.5, 1, 1e100};
  for (const Shape& shape : shapes)
    for (const double x : coordinates)
      for (const double y : coordinates)
        for (const double z : coordinates) {
          const Double3 n = normal(shape, {x, y, z});
          EXPECT_NEAR(norm(to_vec(n)), 1, 1e-12) << shape.form.index() << " " << x << " " << y << " " << z;
        }
}

TEST(shape_distance, bounds_hold_the_shape_and_touch_it) {
  for (const auto& [name, shape] : all_shapes()) {
    const Bounds b = bounds(shape);
    Random random;
    Vec3<double> low{9, 9, 9}, high{-9, -9, -9};
    for (int i = 0; i < 200000; ++i) {
      const Vec3<double> x = random.in_cube(1.3);
      if (signed_distance(shape, to_array(x)) > 0) continue;
      for (int k = 0; k < 3; ++k) {
        low[k] = std::min(low[k], x[k]), high[k] = std::max(high[k], x[k]);
        ASSERT_TRUE(b.min[k] <= x[k] && x[k] <= b.max[k]) << name;
      }
    }
    const bool tight = name == "box" || name == "sphere" || name == "capsule" || name == "cylinder" ||
                       name == "rounded" || name == "union";
    for (int k = 0; tight && k < 3; ++k) {
      EXPECT_NEAR(b.min[k], low[k], 0.05) << name;
      EXPECT_NEAR(b.max[k], high[k], 0.05) << name;
    }
  }
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(bounds(turned(Plane{})).min, (Double3{-inf, -inf, -inf}));
  EXPECT_EQ(bounds(place(Plane{}, identity_rotation, {1, 2, 3})).max, (Double3{inf, inf, inf}));
  EXPECT_EQ(bounds(Intersect{{Plane{}, Sphere{}}}).max, (Double3{1, 1, 1}));
}

TEST(shape_distance, volume_is_the_share_of_random_points_inside) {
  for (const auto& [name, shape] : exact_shapes()) {
    if (name == "plane") continue;
    Random random;
    constexpr int count = 400000;
    int inside = 0;
    for (int i = 0; i < count; ++i) inside += signed_distance(shape, to_array(random.in_cube(1.3))) < 0;
    const double box = std::pow(2.6, 3), share = double(inside) / count;
    EXPECT_NEAR(volume(shape).value(), box * share, 5 * box * std::sqrt(share / count)) << name;
  }
  EXPECT_DOUBLE_EQ(volume(Box{.size = {2, 3, 4}}).value(), 24);
  EXPECT_DOUBLE_EQ(volume(Box{.size = {2, 2, 2}, .rounding = 1}).value(), 4 * pi / 3);
  EXPECT_FALSE(volume(Plane{}));
  EXPECT_FALSE(volume(turned(Plane{})));
  EXPECT_FALSE(volume(Minus{{Box{}, Sphere{}}}));
}

}  // namespace
}  // namespace dollop
