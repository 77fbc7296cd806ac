#include <gtest/gtest.h>

#include <cmath>

#include "boundary/collider.h"
#include "boundary/level_set.h"
#include "boundary/mesh_samples.h"
#include "boundary/sample_shapes.h"
#include "boundary/shape_distance.h"

namespace dollop {
namespace {

using namespace test;

constexpr double frame_rate = 10, voxel = 0.05;

Mesh sphere_frame(double radius, const Double3& center = {0, 0, 0}) {
  return {"sphere", voxel, make_level_set(sphere_mesh(center, radius, 4), voxel, "sphere")};
}

// radius 0.5, then 0.6, then 0.65, from t = 1 s on
MeshSequence growing() {
  return {.frames = {sphere_frame(0.5), sphere_frame(0.6), sphere_frame(0.65)},
          .frame_rate = frame_rate,
          .start = 1};
}

double radius_at(double t) {
  return t < 1 ? 0.5 : t < 1.1 ? 0.5 + (t - 1) : t < 1.2 ? 0.6 + 0.5 * (t - 1.1) : 0.65;
}
double speed_at(double t) { return t < 1 || t >= 1.2 ? 0 : t < 1.1 ? 1 : 0.5; }

TEST(mesh_sequence, surface_and_speed_of_a_growing_sphere) {
  const Collider c{.name = "balloon", .shape = growing()};
  Random random;
  for (int i = 0; i < 2000; ++i) {
    const double t = random.in(0.9, 1.3);
    const Vec3<double> n = random.direction();
    const Double3 x = to_array((radius_at(t) + random.in(-0.1, 0.1)) * n);
    const ContactSample s = sample(c, x, t);
    EXPECT_NEAR(s.phi, norm(to_vec(x)) - radius_at(t), 0.15 * voxel);
    EXPECT_LT(norm(to_vec(s.normal) - n), 0.15);
    EXPECT_NEAR(norm(to_vec(s.normal)), 1, 1e-14);
    EXPECT_LT(norm(to_vec(s.velocity) - speed_at(t) * n), 0.2 * speed_at(t) + 1e-15);
  }
}

// the kinematics of a level set: a point that moves with the velocity stays on the surface
TEST(mesh_sequence, a_point_that_moves_with_the_surface_stays_on_it) {
  const Collider c{
      .name = "sliding",
      .shape = MeshSequence{.frames = {sphere_frame(0.5), sphere_frame(0.5, {0.1, 0, 0})}, .frame_rate = 10}};
  Random random;
  for (int i = 0; i < 200; ++i) {
    Vec3<double> x = 0.5 * random.direction();
    constexpr double dt = 1e-3;
    const double phi = sample(c, to_array(x), 0.0).phi;
    for (int n = 0; n < 90; ++n) x = x + dt * to_vec(sample(c, to_array(x), n * dt).velocity);
    EXPECT_NEAR(sample(c, to_array(x), 0.09).phi, phi, 0.05 * voxel);
  }
}

TEST(mesh_sequence, rests_before_and_after_its_frames) {
  const Shape shape = growing();
  const Double3 x{0.55, 0.01, 0.02};
  EXPECT_EQ(signed_distance(shape, x, -5), signed_distance(sphere_frame(0.5), x));
  EXPECT_EQ(signed_distance(shape, x, 9), signed_distance(sphere_frame(0.65), x));
  EXPECT_EQ(sample_surface(shape, x, -5).speed, 0);
  EXPECT_EQ(sample_surface(shape, x, 9).speed, 0);
}

TEST(mesh_sequence, speed_is_scaled_turned_and_carried_along) {
  const Rotation r = to_array(rotation_by({0.3, -0.2, 0.6}));
  const Shape placed = Placed{std::make_shared<const Shape>(growing()), r, {0.2, 0, 0}, {2, 1, 1}};
  const Motion motion{.velocity = {0, 3, 0}};
  const Collider c{.name = "balloon", .shape = placed, .motion = motion};
  const double t = 1.05;  // radius 0.55, so 1.1 along its first axis, where it grows twice as fast
  const Vec3<double> axis{r[0][0], r[1][0], r[2][0]},
      middle = Vec3<double>{0.2, 0, 0} + t * Vec3<double>{0, 3, 0};
  const ContactSample s = sample(c, to_array(middle + 1.1 * axis), t);
  EXPECT_NEAR(s.phi, 0, 0.1 * voxel);
  EXPECT_LT(norm(to_vec(s.normal) - axis), 0.1);
  EXPECT_LT(norm(to_vec(s.velocity) - (Vec3<double>{0, 3, 0} + 2.0 * axis)), 0.2);
}

// taken away from a box, the surface of the hole moves the same way
TEST(mesh_sequence, a_hole_grows_outward) {
  const Shape box_with_hole = Minus{{Box{.size = {4, 4, 4}}, growing()}};
  const SurfaceSample s = sample_surface(box_with_hole, {0.55, 0, 0}, 1.05);
  EXPECT_LT(s.normal[0], -0.99);
  EXPECT_NEAR(s.speed, -1, 0.05);
}

TEST(mesh_sequence, bounds_hold_all_frames) {
  const Bounds b = bounds(growing());
  EXPECT_NEAR(b.max[0], 0.65, 1e-3);
  EXPECT_NEAR(b.min[2], -0.65, 1e-3);
}

}  // namespace
}  // namespace dollop
