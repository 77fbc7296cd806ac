#include "boundary/shape_depth.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "boundary/level_set.h"
#include "boundary/mesh_samples.h"
#include "boundary/sample_shapes.h"
#include "boundary/shape_distance.h"
#include "core/parallel.h"

namespace dollop::test {
namespace {

using V3 = Vec3<double>;

Shape scaled(const Shape& shape, const Double3& scale) {
  return Placed{std::make_shared<const Shape>(shape), identity_rotation, {0, 0, 0}, scale};
}

Mesh cube(const Double3& low, const Double3& high, double voxel_size) {
  return {"cube", voxel_size, make_level_set(cube_mesh(low, high), voxel_size, "cube")};
}

std::vector<V3> points_in(const Shape& shape, int count) {
  const Bounds b = bounds(shape);
  Random random;
  std::vector<V3> points;
  while (int(points.size()) < count) {
    const V3 x{random.in(b.min[0], b.max[0]), random.in(b.min[1], b.max[1]), random.in(b.min[2], b.max[2])};
    if (signed_distance(shape, to_array(x)) < 0) points.push_back(x);
  }
  return points;
}

// A shape of which the depth is known: every answer is right, but within `error` of the limit. Tells how many points
// are deeper than the signed distance says.
int expect_depths(const Shape& shape, const std::function<double(const V3&)>& known, double depth,
                  double error = 0.002) {
  const ShapeDepth below(shape);
  int deeper = 0, wrong = 0;
  for (const V3& x : points_in(shape, 4000)) {
    const double truth = known(x);
    const bool answer = below.deeper_than(to_array(x), depth);
    wrong += std::abs(truth - depth) > error * depth && answer != (truth > depth);
    deeper += answer && -signed_distance(shape, to_array(x)) < depth;
  }
  EXPECT_EQ(wrong, 0);
  return deeper;
}

int expect_same_depths(const Shape& shape, const Shape& exact, double depth, double error = 0.002) {
  return expect_depths(
      shape, [&](const V3& x) { return -signed_distance(exact, to_array(x)); }, depth, error);
}

TEST(shape_depth, is_the_distance_where_that_is_exact) {
  std::vector<Named> shapes = exact_shapes();
  shapes.push_back({"intersect", Intersect{{rounded_box, ball}}});
  shapes.push_back({"minus", Minus{{plain_box, pill, drum}}});
  Random random;
  for (const auto& [name, shape] : shapes) {
    const ShapeDepth below(shape);
    for (int n = 0; n < 300; ++n) {
      const Double3 x = to_array(random.in_cube(1));
      const double depth = -signed_distance(shape, x);
      if (!(depth > 0)) continue;
      EXPECT_TRUE(below.deeper_than(x, depth)) << name;
      EXPECT_FALSE(below.deeper_than(x, std::nextafter(depth, 9))) << name;
    }
  }
}

TEST(shape_depth, boxes_that_touch_are_one_box) {
  const Union row{{Box{{-0.5, 0, 0}, {1, 1, 1}}, Box{{0.5, 0, 0}, {1, 1, 1}}}};
  for (const double depth : {0.1, 0.2, 0.3}) {
    EXPECT_GT(expect_same_depths(row, Box{{0, 0, 0}, {2, 1, 1}}, depth), 10);
    EXPECT_GT(expect_same_depths(turned(row), turned(Box{{0, 0, 0}, {2, 1, 1}}), depth), 10);
  }
  Union block;  // eight cubes
  for (int k = 0; k < 8; ++k)
    block.shapes.push_back(Box{{k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, k & 4 ? 0.5 : -0.5}, {1, 1, 1}});
  for (const double depth : {0.3, 0.7})
    EXPECT_GT(expect_same_depths(block, Box{{0, 0, 0}, {2, 2, 2}}, depth), 50);
}

TEST(shape_depth, counts_the_inner_edge_of_an_angle) {
  const Union angle{{Box{{1, 0.5, 0}, {2, 1, 4}}, Box{{0.5, 1.5, 0}, {1, 1, 4}}}};
  const auto known = [](const V3& x) {
    const double to_edge = std::hypot(std::max(0.0, 1 - x.x), std::max(0.0, 1 - x.y));
    return std::min({x.x, x.y, 2 - x.x, 2 - x.y, 2 - std::abs(x.z), to_edge});
  };
  for (const double depth : {0.1, 0.4}) EXPECT_GT(expect_depths(angle, known, depth), 10);
}

TEST(shape_depth, counts_the_groove_between_two_balls) {
  const double a = 0.5, r = 1, groove = std::sqrt(r * r - a * a);  // its radius; it lies at x = 0
  const Union balls{{Sphere{{-a, 0, 0}, r}, Sphere{{a, 0, 0}, r}}};
  const auto known = [&](const V3& x) {
    const double beside = std::hypot(x.y, x.z);
    double depth = std::hypot(x.x, beside - groove);
    for (const double side :
         {-1.0, 1.0}) {  // the closest point of each sphere, if the other does not hold it
      const double along = x.x - side * a, length = std::hypot(along, beside);
      if (side * (side * a + r * along / length) > 0) depth = std::min(depth, r - length);
    }
    return depth;
  };
  for (const double depth : {0.1, 0.4, 0.7}) EXPECT_GT(expect_depths(balls, known, depth), 0);
}

TEST(shape_depth, of_stretched_shapes) {
  EXPECT_GT(expect_same_depths(scaled(Box{}, {2, 1, 1}), Box{{0, 0, 0}, {2, 1, 1}}, 0.2), 50);
  EXPECT_GT(expect_same_depths(turned(scaled(Box{}, {1, 9, 3})), turned(Box{{0, 0, 0}, {1, 9, 3}}), 0.2), 50);
  EXPECT_GT(expect_same_depths(scaled(Sphere{}, {3, 1, 2}), Ellipsoid{{0, 0, 0}, {3, 1, 2}}, 0.3), 50);
  // a placed union, one member of which is stretched once more
  const Union row{{Box{{-0.5, 0, 0}, {1, 1, 1}}, scaled(Box{{0.25, 0, 0}, {0.5, 1, 1}}, {2, 1, 1})}};
  EXPECT_GT(expect_same_depths(scaled(row, {1, 1, 2}), Box{{0, 0, 0}, {2, 1, 2}}, 0.2), 50);
}

TEST(shape_depth, of_sets_in_sets) {
  const Union row{{Box{{-0.5, 0, 0}, {1, 1, 1}}, Box{{0.5, 0, 0}, {1, 1, 1}}}};
  const Box whole{{0, 0, 0}, {2, 1, 1}};
  const Cylinder hole{{0.1, 0, 0}, {0, 1, 0}, 0.2, 3};
  EXPECT_GT(expect_same_depths(Minus{{row, hole}}, Minus{{whole, hole}}, 0.1), 10);
  EXPECT_GT(expect_same_depths(Intersect{{row, ball}}, Intersect{{whole, ball}}, 0.1), 10);
  // the hole is filled again in part, and a member of a member continues the body
  const Union filled{{Minus{{row, hole}}, Box{{0.1, 0, 0}, {0.6, 1, 0.6}}}};
  EXPECT_GT(expect_same_depths(filled, whole, 0.15), 50);
}

TEST(shape_depth, of_meshes) {
  const Mesh left = cube({-1, -0.5, -0.5}, {0, 0.5, 0.5}, 0.04);
  const Mesh right = cube({0, -0.5, -0.5}, {1, 0.5, 0.5}, 0.04);
  // a level set reaches 0.32
  EXPECT_GT(expect_same_depths(left, Box{{-0.5, 0, 0}, {1, 1, 1}}, 0.4, 0.02), 3);
  EXPECT_GT(expect_same_depths(Union{{left, right}}, Box{{0, 0, 0}, {2, 1, 1}}, 0.2, 0.02), 50);
  EXPECT_GT(expect_same_depths(scaled(left, {1, 2, 1}), Box{{-0.5, 0, 0}, {1, 2, 1}}, 0.2, 0.02), 50);
}

TEST(shape_depth, sees_a_slit_of_one_percent) {
  const double depth = 0.2, half = 0.005 * depth;
  const ShapeDepth slit(Union{{Box{{-0.5 - half, 0, 0}, {1, 1, 1}}, Box{{0.5 + half, 0, 0}, {1, 1, 1}}}});
  EXPECT_FALSE(slit.deeper_than({0.1, 0, 0}, depth));
  EXPECT_TRUE(slit.deeper_than({0.25, 0, 0}, depth));
}

// the ball about a point that is deep enough holds nothing of the outside
TEST(shape_depth, no_point_outside_is_closer) {
  std::vector<Named> shapes = all_shapes();
  Random random;
  Union stack;
  for (int k = 0; k < 10; ++k)
    stack.shapes.push_back(
        place(plain_box, to_array(rotation_by(random.in_cube(2))), to_array(random.in_cube(0.4))));
  shapes.push_back({"stack", stack});
  shapes.push_back(
      {"one of each", Union{{ball, drum, pill, egg, hat, cup, ring, turned(plain_box), stretched(lens)}}});
  const double depth = 0.15;
  for (const auto& [name, shape] : shapes) {
    if (name == "plane" || name == "sheet") continue;  // nothing is in it, or it has no end
    const ShapeDepth below(shape);
    int closer = 0;
    for (const V3& x : points_in(shape, 300)) {
      if (!below.deeper_than(to_array(x), depth)) continue;
      for (int n = 0; n < 300; ++n)
        closer += signed_distance(shape, to_array(x + 0.99 * depth * random.direction())) > 0.002 * depth;
    }
    EXPECT_EQ(closer, 0) << name;
  }
}

TEST(shape_depth, threads_get_the_same_answers) {
  const Shape shape = Union{{stretched(plain_box), ball, pill}};
  const ShapeDepth below(shape);
  const std::vector<V3> points = points_in(shape, 2000);
  std::vector<char> answers(points.size());
  parallel_for(points.size(), 1,
               [&](std::size_t n) { answers[n] = below.deeper_than(to_array(points[n]), 0.2); });
  for (std::size_t n = 0; n < points.size(); ++n)
    ASSERT_EQ(bool(answers[n]), below.deeper_than(to_array(points[n]), 0.2));
}

}  // namespace
}  // namespace dollop::test
