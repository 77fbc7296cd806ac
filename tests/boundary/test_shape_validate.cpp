#include "boundary/shape_validate.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dollop {
namespace {

TEST(shape_validate, accepts_good_shapes) {
  const std::vector<Shape> good{Plane{}, Box{}, Box{.rounding = 0.5}, Sphere{}, Cylinder{}, Capsule{}};
  for (const Shape& shape : good) EXPECT_EQ(validate(shape), "");
  EXPECT_EQ(validate(Union{good}), "");
  EXPECT_EQ(validate(Intersect{good}), "");
  EXPECT_EQ(validate(Minus{good}), "");
  EXPECT_EQ(validate(place(Box{}, identity_rotation, {1, 2, 3}, 0.5)), "");
}

TEST(shape_validate, says_what_is_wrong) {
  EXPECT_EQ(validate(Sphere{.radius = -1}), "sphere: radius must be positive, it is -1");
  EXPECT_EQ(validate(Sphere{.center = {NAN, 0, 0}}), "sphere: center must be finite");
  EXPECT_EQ(validate(Plane{.normal = {0, 0, 0}}), "plane: normal must not be zero");
  EXPECT_EQ(validate(Box{.size = {1, 0, 1}}), "box: size must be positive, it is 0");
  EXPECT_EQ(validate(Box{.rounding = 0.6}), "box: rounding must be from 0 to half the smallest size");
  EXPECT_EQ(validate(Box{.rounding = NAN}), "box: rounding must be from 0 to half the smallest size");
  EXPECT_EQ(validate(Cylinder{.axis = {0, 0, 0}}), "cylinder: axis must not be zero");
  EXPECT_EQ(validate(Cylinder{.height = INFINITY}),
            "cylinder: height must be positive and finite, it is inf");
  EXPECT_EQ(validate(Capsule{.radius = 0}), "capsule: radius must be positive, it is 0");
  EXPECT_EQ(validate(Union{}), "union: needs 1 or more shapes");
  EXPECT_EQ(validate(Minus{{Box{}}}), "minus: needs 2 or more shapes");
  EXPECT_EQ(validate(Minus{{Box{}, Sphere{.radius = 0}}}),
            "minus: shape 2: sphere: radius must be positive, it is 0");
  EXPECT_EQ(validate(Placed{}), "placed: it has no shape");
  EXPECT_EQ(validate(place(Box{}, identity_rotation, {0, 0, 0}, 0)),
            "placed: scale must be positive, it is 0");
  const Rotation mirror{{{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, skewed{{{1, 0.1, 0}, {0, 1, 0}, {0, 0, 1}}};
  for (const Rotation& r : {mirror, skewed})
    EXPECT_EQ(validate(place(Box{}, r, {0, 0, 0})),
              "placed: rotation must be orthonormal with determinant +1");
}

TEST(shape_validate, checks_colliders) {
  EXPECT_EQ(validate(Collider{.name = "floor", .shape = Plane{}}), "");
  EXPECT_EQ(validate(Collider{.name = "floor", .shape = Plane{}, .friction = -0.1}),
            "collider 'floor': friction must be 0 or more, and finite");
  EXPECT_EQ(validate(Collider{.name = "ball", .shape = Sphere{.radius = 0}}),
            "collider 'ball': sphere: radius must be positive, it is 0");
  EXPECT_EQ(validate(Collider{.name = "ball", .motion = {.angular_velocity = {0, INFINITY, 0}}}),
            "collider 'ball': angular velocity must be finite");
}

}  // namespace
}  // namespace dollop
