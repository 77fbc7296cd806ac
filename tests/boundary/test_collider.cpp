#include "boundary/collider.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "boundary/rigid.h"
#include "boundary/shape_distance.h"

namespace dollop {
namespace {

const Motion tumbling{
    .velocity = {0.3, -0.2, 0.5}, .angular_velocity = {1, -2, 0.5}, .pivot = {0.4, 0.1, -0.2}};

Vec3<double> moved(const Pose& pose, const Vec3<double>& at_rest) {
  return to_mat(pose.rotation) * at_rest + to_vec(pose.translation);
}

struct Random {
  std::mt19937_64 bits{11};
  double in(double a, double b) { return std::uniform_real_distribution<double>(a, b)(bits); }
  Vec3<double> vec() { return {in(-1, 1), in(-1, 1), in(-1, 1)}; }
};

TEST(collider, at_time_zero_is_where_its_shape_says) {
  const Pose pose = pose_at(tumbling, 0);
  EXPECT_EQ(pose.rotation, identity_rotation);
  EXPECT_EQ(pose.translation, (Double3{0, 0, 0}));
}

TEST(collider, turns_right_handed_about_its_moving_pivot) {
  const Motion motion{
      .velocity = {1, 0, 0}, .angular_velocity = {0, std::numbers::pi / 2, 0}, .pivot = {0, 0, 5}};
  const Vec3<double> x = moved(pose_at(motion, 1), {0, 0, 6});  // z turns to x
  EXPECT_NEAR(x.x, 2, 1e-14);
  EXPECT_NEAR(x.y, 0, 1e-14);
  EXPECT_NEAR(x.z, 5, 1e-14);
}

TEST(collider, rotation_stays_orthonormal_and_composes) {
  for (const double t : {1e-9, 1e-3, 0.7, 100.0}) {
    const Mat3<double> r = to_mat(pose_at(tumbling, t).rotation),
                       twice = to_mat(pose_at(tumbling, 2 * t).rotation);
    EXPECT_LT(norm_squared(r * transpose(r) - Mat3<double>::identity()), 1e-28);
    EXPECT_NEAR(det(r), 1, 1e-14);
    EXPECT_LT(norm_squared(r * r - twice), 1e-24);
  }
}

TEST(collider, velocity_is_the_rate_of_the_pose) {
  const Collider c{.name = "tumbling", .shape = Box{}, .motion = tumbling};
  constexpr double h = 1e-5;
  Random random;
  for (int i = 0; i < 100; ++i) {
    const double t = random.in(-2, 5);
    const Vec3<double> at_rest = random.vec();
    const Vec3<double> x = moved(pose_at(tumbling, t), at_rest);
    const Vec3<double> before = moved(pose_at(tumbling, t - h), at_rest);
    const Vec3<double> after = moved(pose_at(tumbling, t + h), at_rest);
    const Vec3<double> rate = (1 / (2 * h)) * (after - before);
    EXPECT_LT(norm(to_vec(velocity_at(c, to_array(x), t)) - rate), 1e-8);
  }
  EXPECT_LT(norm(to_vec(velocity_at(c, tumbling.pivot, 0)) - to_vec(tumbling.velocity)), 1e-15);
}

TEST(collider, sample_sees_the_shape_at_its_place) {
  const Collider c{.name = "box", .shape = Box{.size = {1, 2, 3}}, .friction = 0.3, .motion = tumbling};
  Random random;
  for (int i = 0; i < 200; ++i) {
    const double t = random.in(0, 3);
    const Pose pose = pose_at(tumbling, t);
    const Double3 x = to_array(2.0 * random.vec());
    const ContactSample s = sample(c, x, t);
    const Shape placed = place(c.shape, pose.rotation, pose.translation);
    EXPECT_NEAR(s.phi, signed_distance(placed, x), 1e-13);
    EXPECT_EQ(s.phi, signed_distance(c, pose, x));
    EXPECT_LT(norm(to_vec(s.normal) - to_vec(normal(placed, x))), 1e-13);
    EXPECT_NEAR(norm(to_vec(s.normal)), 1, 1e-14);
    EXPECT_EQ(s.velocity, velocity_at(c, x, t));
    EXPECT_EQ(s.friction, 0.3);
  }
}

TEST(collider, a_ball_nearer_than_the_distance_is_free) {
  const Shape cut = Minus{{Box{.size = {1, 1, 1}}, Sphere{.center = {0.5, 0.5, 0.5}, .radius = 0.6}}};
  const Collider c{.name = "cut", .shape = cut, .motion = tumbling};
  const Pose pose = pose_at(tumbling, 1.3);
  Random random;
  for (int i = 0; i < 2000; ++i) {
    const Vec3<double> center = 1.5 * random.vec(), d = random.vec();
    const double free = signed_distance(c, pose, to_array(center));
    if (free <= 0) continue;
    const Vec3<double> y = center + (0.999 * free / norm(d)) * d;
    EXPECT_GT(signed_distance(c, pose, to_array(y)), 0);
  }
}

TEST(collider, sample_becomes_a_contact_in_every_lane) {
  const Collider c{.name = "floor", .shape = Plane{}, .friction = 0.4, .motion = {.velocity = {0.5, 0, 0}}};
  const ContactSample s = sample(c, {0, -1, 0}, 0);
  const auto one = to_contact<double>(s);
  const Vec3<double> v = resolve(c.contact, one, {1, -1, 0});
  EXPECT_NEAR(v.x, 0.6, 1e-15);
  EXPECT_NEAR(v.y, 0, 1e-15);
  const auto lanes = to_contact<Pack<float>>(s);
  for (int l = 0; l < Pack<float>::lanes; ++l) {
    EXPECT_EQ(lanes.phi[l], -1.0f);
    EXPECT_EQ(lanes.normal.y[l], 1.0f);
    EXPECT_EQ(lanes.velocity.x[l], 0.5f);
    EXPECT_EQ(lanes.friction[l], 0.4f);
  }
}

}  // namespace
}  // namespace dollop
