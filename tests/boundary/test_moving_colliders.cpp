// Colliders over a step: what is near a place is what all of them together would show there.
#include "boundary/moving_colliders.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "boundary/rigid.h"
#include "core/random.h"

namespace dollop {
namespace {

Double3 random_point(std::uint64_t n) {
  return {random_uniform(1, 0, n) - 0.5, random_uniform(1, 1, n) - 0.5, random_uniform(1, 2, n) - 0.5};
}

Collider turning_union() {
  Union all;
  for (std::uint64_t k = 0; k < 30; ++k) {
    const Double3 x = random_point(1000 + k);
    if (k % 2)
      all.shapes.push_back(Ellipsoid{x, {0.05, 0.08, 0.03}});
    else
      all.shapes.push_back(Capsule{x, {x[0] + 0.1, x[1], x[2] + 0.05}, 0.02});
  }
  return {.name = "pins",
          .shape = all,
          .friction = 0.4,
          .motion = {.velocity = {0.3, 0, 0}, .angular_velocity = {0, 2, 1}},
          .surface_velocity = Animated3(0.1, 0.2, 0)};
}

// Parts of a union that are out of reach of a place cannot show at any point within that reach.
TEST(MovingColliders, near_parts_show_what_the_whole_would) {
  const std::vector<Collider> colliders{turning_union()};
  const double time = 0.3, dt = 0.1, reach = 0.06;
  const MovingColliders moving(colliders, time, dt);
  const Pose pose = pose_at(colliders[0].motion, time + dt);
  int inside = 0, pruned = 0;
  for (std::uint64_t n = 0; n < 12000; ++n) {
    const Double3 center = random_point(n);
    const auto near = moving.near(center, reach);
    ASSERT_LE(near.size(), 1u);
    pruned += near.empty() || near[0].parts.size() < 30;
    Double3 x = center;  // up to the reach away
    for (std::size_t d = 0; d < 3; ++d) x[d] += reach / std::sqrt(3.0) * (2 * random_uniform(2, d, n) - 1);
    const ContactSample whole = sample(colliders[0], pose, x);
    EXPECT_EQ(moving.hold(x), whole.phi <= 0);
    if (whole.phi > 0) {
      if (!near.empty()) {
        EXPECT_GT(moving.sample(near[0], x).phi, 0);
      }
      continue;
    }
    ++inside;
    ASSERT_EQ(near.size(), 1u);
    const ContactSample found = moving.sample(near[0], x);
    EXPECT_DOUBLE_EQ(found.phi, whole.phi);
    EXPECT_EQ(found.normal, whole.normal);
    EXPECT_EQ(found.friction, 0.4);
    EXPECT_DOUBLE_EQ(moving.signed_distance(near[0], x), whole.phi);
    const Vec3<double> belt = to_vec(found.velocity) - to_vec(whole.velocity), normal = to_vec(whole.normal);
    const Vec3<double> u = to_mat(pose.rotation) * Vec3<double>{0.1, 0.2, 0};
    EXPECT_NEAR(norm(belt - (u - dot(u, normal) * normal)), 0, 1e-14);
  }
  EXPECT_GT(inside, 50);
  EXPECT_EQ(pruned, 12000);
}

// A plate with many holes: what is cut out far from a place decides nowhere near it, to the last bit.
TEST(MovingColliders, cuts_far_away_may_be_left_out) {
  Minus plate{{Box{{0, 0, 0}, {1, 0.1, 1}, 0.01}}};
  for (std::uint64_t k = 0; k < 30; ++k) {
    const Double3 x = random_point(2000 + k);
    if (k % 3 == 0)
      plate.shapes.push_back(Ellipsoid{{x[0], 0, x[2]}, {0.05, 0.08, 0.03}});
    else if (k % 3 == 1)
      plate.shapes.push_back(Cylinder{{x[0], 0, x[2]}, {0.2, 1, 0}, 0.04, 0.3});
    else
      plate.shapes.push_back(Minus{{Box{{x[0], 0, x[2]}, {0.1, 0.3, 0.1}}, Sphere{{x[0], 0, x[2]}, 0.04}}});
  }
  const std::vector<Collider> colliders{
      {.shape = plate, .friction = 0.4, .motion = {.velocity = {0.3, 0, 0}, .angular_velocity = {0, 2, 1}}}};
  const double time = 0.3, dt = 0.1, radius = 0.03;
  const MovingColliders moving(colliders, time, dt);
  const Pose pose = pose_at(colliders[0].motion, time + dt);
  int inside = 0, cut = 0;
  std::size_t kept = 0, asked = 0;
  for (std::uint64_t n = 0; n < 30000; ++n) {
    const auto near = moving.near(random_point(n), radius);
    if (near.empty()) continue;
    ASSERT_EQ(near[0].parts[0].cuts.size(), 30u);
    const NearCollider narrow = moving.narrowed(near[0], random_point(n), radius);
    asked += 1, kept += narrow.parts[0].cuts.size();
    Double3 x = random_point(n);  // up to the radius away
    for (std::size_t d = 0; d < 3; ++d) x[d] += radius / std::sqrt(3.0) * (2 * random_uniform(2, d, n) - 1);
    const ContactSample whole = sample(colliders[0], pose, x), found = moving.sample(narrow, x);
    ASSERT_EQ(found.phi, whole.phi);
    ASSERT_EQ(found.normal, whole.normal);
    ASSERT_EQ(moving.signed_distance(narrow, x), moving.signed_distance(near[0], x));
    inside += whole.phi < 0;
    cut += whole.phi > 0 && signed_distance(plate.shapes[0], to_body(pose, x)) < 0;
  }
  EXPECT_GT(inside, 200);
  EXPECT_GT(cut, 200);
  EXPECT_LT(kept, 5 * asked);
}

// Distances of meshes may change faster than the place does: nothing is left out there.
TEST(MovingColliders, meshes_stay_whole) {
  const Shape box = Box{{0, 0, 0}, {1, 1, 1}}, mesh = Mesh{};
  const Shape moved = Placed{.shape = std::make_shared<const Shape>(mesh)};
  for (const Shape& cut : {mesh, moved, Shape(Union{{box, mesh}}), Shape(MeshSequence{})}) {
    EXPECT_FALSE(is_lipschitz(Minus{{box, cut}}));
    const std::vector<Collider> colliders{{.shape = Minus{{box, cut}}}};
    const auto near = MovingColliders(colliders, 0, 0.1).near({0.6, 0, 0}, 0.2);
    ASSERT_EQ(near.size(), 1u);
    EXPECT_FALSE(has_cuts(near[0]));
  }
  EXPECT_TRUE(is_lipschitz(Placed{.shape = std::make_shared<const Shape>(box)}));
}

// The ends of a belt along x stand still; only what pushes as a piston moves there too.
TEST(MovingColliders, a_belt_runs_along_its_surface) {
  const std::vector<Collider> colliders{
      {.shape = Box{{0, 0, 0}, {2, 1, 2}}, .surface_velocity = Animated3(0.5, 0, 0)}};
  const Double3 rear{-0.9, 0, 0}, top{0, 0.4, 0};
  const auto velocity_at = [&](const Double3& x, std::size_t pistons) {
    const MovingColliders moving(colliders, 0, 0.1, pistons);
    return moving.sample(moving.near(x, 0.1)[0], x).velocity;
  };
  EXPECT_EQ(velocity_at(rear, 0), (Double3{0, 0, 0}));
  EXPECT_EQ(velocity_at(top, 0), (Double3{0.5, 0, 0}));
  EXPECT_EQ(velocity_at(rear, 1), (Double3{0.5, 0, 0}));
}

// a point that moves with a collider has the place that its motion says
// the end of a step decides                                                                               (BC.26)
TEST(MovingColliders, that_the_step_does_not_have_are_near_nothing) {
  using Which = MovingColliders::Which;
  const std::vector<Collider> colliders{
      {.shape = Sphere{}},
      {.shape = Sphere{}, .from = 1},
      {.shape = Sphere{}, .until = 2},
      {.shape = Sphere{}, .motion = {.velocity = {0, 0.01, 0}}, .from = 1, .until = 2}};
  const auto found = [&](double time, double dt, Which which) {
    std::vector<std::size_t> numbers;
    const MovingColliders moving(colliders, time, dt);
    for (const NearCollider& near : moving.near({0, 0, 0}, 0.1, which)) numbers.push_back(near.collider);
    EXPECT_EQ(moving.any_moving(), !moving.near({0, 0, 0}, 0.1, Which::moving).empty());
    return numbers;
  };
  using Numbers = std::vector<std::size_t>;
  EXPECT_EQ(found(0.5, 0.1, Which::all), (Numbers{0, 2}));
  EXPECT_EQ(found(0.9, 0.1, Which::all), (Numbers{0, 2}));  // it ends when two appear
  EXPECT_EQ(found(0.9, 0.2, Which::all), (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(found(1.0, 0.1, Which::all), (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(found(1.9, 0.1, Which::all), (Numbers{0, 1, 2, 3}));  // it ends when two vanish
  EXPECT_EQ(found(1.9, 0.2, Which::all), (Numbers{0, 1}));
  EXPECT_EQ(found(2.0, 0.1, Which::all), (Numbers{0, 1}));
  for (const double time : {0.5, 1.5, 2.5}) EXPECT_EQ(found(time, 0.1, Which::still), (Numbers{0}));
  EXPECT_EQ(found(1.5, 0.1, Which::moving), (Numbers{1, 2, 3}));
  // steps that together last from 0 to 1, but for rounding
  double time = 0;
  for (int k = 0; k < 10; ++k) time += 0.1;
  ASSERT_NE(time, 1);
  EXPECT_EQ(found(time - 0.1, 0.1, Which::all), (Numbers{0, 2}));
  EXPECT_EQ(found(time, 0.1, Which::all), (Numbers{0, 1, 2, 3}));
}

TEST(MovingColliders, carry_points_along) {
  const std::vector<Collider> colliders{turning_union()};
  const MovingColliders moving(colliders, 0.3, 0.1);
  const Pose before = pose_at(colliders[0].motion, 0.3), after = pose_at(colliders[0].motion, 0.4);
  for (std::uint64_t n = 0; n < 20; ++n) {
    const Double3 x = random_point(n), at_rest = to_body(before, x);
    const Double3 same = to_body(after, moving.carried(0, x));
    for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(same[d], at_rest[d], 1e-14);
  }
}

}  // namespace
}  // namespace dollop
