#include "boundary/shape_validate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "boundary/level_set.h"
#include "boundary/mesh_samples.h"

namespace dollop {
namespace {

TEST(shape_validate, accepts_good_shapes) {
  const std::vector<Shape> good{
      Plane{},    Box{},     Box{.rounding = 0.5}, Sphere{},
      Cylinder{}, Capsule{}, Ellipsoid{},          Cone{},
      Torus{},    Disc{},    Disc{.thickness = 1}, Cone{.radius = 0, .top_radius = 1}};
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
  EXPECT_EQ(validate(Ellipsoid{.radii = {1, -2, 1}}), "ellipsoid: radii must be positive, it is -2");
  EXPECT_EQ(validate(Cone{.radius = 0}), "cone: radius or top_radius must be positive, both are 0");
  EXPECT_EQ(validate(Cone{.top_radius = -1}), "cone: top_radius must be 0 or more, it is -1");
  EXPECT_EQ(validate(Cone{.height = 0}), "cone: height must be positive, it is 0");
  EXPECT_EQ(validate(Torus{.tube_radius = 2}),
            "torus: tube_radius must be less than radius, or the hole closes");
  EXPECT_EQ(validate(Disc{.normal = {0, 0, 0}}), "disc: normal must not be zero");
  EXPECT_EQ(validate(Disc{.thickness = -1}), "disc: thickness must be 0 or more, it is -1");
  EXPECT_EQ(validate(Mesh{.file = "a.obj"}), "mesh: 'a.obj' is not loaded; make it with load_mesh()");
  EXPECT_EQ(validate(MeshSequence{}), "mesh sequence: needs one frame or more");
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
  EXPECT_EQ(validate(Collider{.name = "grip", .from = 2, .until = 2}),
            "collider 'grip': 'until' must be later than 'from'");
  EXPECT_EQ(validate(Collider{.name = "grip", .from = -1}),
            "collider 'grip': 'from' must be zero or more; a run starts at time 0");
}

TEST(shape_validate, colliders_are_solid_and_move_well) {
  const std::string thin = "disc: needs thickness: without it there is no solid";
  EXPECT_EQ(validate(Collider{.name = "plate", .shape = Disc{}}), "collider 'plate': " + thin);
  EXPECT_EQ(validate(Collider{.name = "plate",
                              .shape = Minus{{Box{}, place(Disc{}, identity_rotation, {0, 0, 0})}}}),
            "collider 'plate': " + thin);
  EXPECT_EQ(validate(Collider{.name = "plate", .shape = Disc{.thickness = 0.1}}), "");
  const Animated3 unknown(0.0, Animated(std::string("2*q")), 0.0);
  EXPECT_EQ(validate(Collider{.name = "a", .motion = {.position = unknown}}),
            "collider 'a': position.y: expression '2*q': Unexpected token \"q\" (column 3)");
}

TEST(shape_validate, bodies_are_bounded_solid_and_of_one_form) {
  EXPECT_EQ(validate_body_shape(Box{}), "");
  EXPECT_EQ(validate_body_shape(Intersect{{Plane{}, Sphere{}}}), "");
  EXPECT_EQ(validate_body_shape(Plane{}), "it has no end; intersect it with a box");
  EXPECT_EQ(validate_body_shape(Disc{}), "disc: needs thickness: without it there is no solid");
  EXPECT_EQ(validate_body_shape(Sphere{.radius = 0}), "sphere: radius must be positive, it is 0");
  EXPECT_EQ(validate_body_shape(Intersect{{Sphere{}, Sphere{.center = {5, 0, 0}}}}),
            "nothing is left of it; check where its parts are");
}

TEST(shape_validate, emitters_may_be_flat_discs) {
  EXPECT_EQ(validate_emitter_shape(Disc{}), "");
  EXPECT_EQ(validate_emitter_shape(place(Disc{}, identity_rotation, {1, 0, 0})), "");
  EXPECT_EQ(validate_emitter_shape(Box{}), "");
  EXPECT_EQ(validate_emitter_shape(Plane{}), "it has no end; intersect it with a box");
  EXPECT_EQ(validate_emitter_shape(Union{{Disc{}, Box{}}}),
            "disc: needs thickness: without it there is no solid");
  EXPECT_EQ(validate_emitter_shape(Placed{}), "placed: it has no shape");
}

TEST(shape_validate, frames_of_a_mesh_sequence_stay_within_reach_of_each_other) {
  const auto frame = [](double x) {
    return Mesh{"cube", 0.1, make_level_set(test::cube_mesh({x, 0, 0}, {x + 1, 1, 1}), 0.1, "cube")};
  };
  const MeshSequence good{{frame(0), frame(0.5), frame(1)}};
  EXPECT_EQ(validate(good), "");
  EXPECT_EQ(validate_body_shape(good), "mesh sequence: serves colliders only; use one mesh");
  EXPECT_EQ(validate(MeshSequence{.frames = good.frames, .frame_rate = 0}),
            "mesh sequence: frame_rate must be positive, it is 0");
  EXPECT_EQ(
      validate(MeshSequence{{frame(0), frame(2)}}),
      "mesh sequence: frame 2: moves by 2 m, but its level set reaches 0.8 m; give more frames, or a larger "
      "voxel_size, or move it by the motion of the collider");
}

}  // namespace
}  // namespace dollop
