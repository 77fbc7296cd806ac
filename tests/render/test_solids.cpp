#include "render/solids.h"

#include <gtest/gtest.h>

namespace dollop {
namespace {

Scene scene_with(Shape shape, Motion motion = {}) {
  Scene scene;
  scene.colliders = {{.name = "it", .shape = std::move(shape), .motion = motion}};
  return scene;
}

TEST(solids, rays_meet_shapes_where_geometry_says) {
  const Scene sphere = scene_with(Sphere{{0, 0, 0}, 0.5});
  const Solid ball = solids_at(sphere, 0)[0];
  EXPECT_NEAR(hit(ball, {{0, 0, 4}, {0, 0, -1}}).value(), 3.5, 1e-3);
  EXPECT_NEAR(hit(ball, {{0, 0.3f, 4}, {0, 0, -2}}).value(), 1.8, 1e-3);  // in lengths of the direction
  EXPECT_FALSE(hit(ball, {{0, 0.6f, 4}, {0, 0, -1}}));
  EXPECT_FALSE(hit(ball, {{0, 0, 4}, {0, 0, -1}, 0, 3}));  // it ends before
  EXPECT_FALSE(hit(ball, {{0, 0, 4}, {0, 0, 1}}));         // behind
  EXPECT_FALSE(hit(ball, {{0, 0, 0.1f}, {0, 0, -1}}));     // from inside

  const Scene ground = scene_with(Plane{{0, -1, 0}, {0, 2, 0}});
  const Solid floor = solids_at(ground, 0)[0];
  EXPECT_NEAR(hit(floor, {{0, 1, 0}, {1, -0.01f, 0}}).value(), 200, 1e-2);  // grazing
  EXPECT_FALSE(hit(floor, {{0, -2, 0}, {0, 1, 0}}));                        // from behind
}

TEST(solids, follow_their_motion) {
  const Scene scene = scene_with(Box{{0, 0, 0}, {1, 1, 1}}, {.velocity = {2, 0, 0}});
  const Solid box = solids_at(scene, 3)[0];
  EXPECT_NEAR(hit(box, {{6, 0, 4}, {0, 0, -1}}).value(), 3.5, 1e-3);
  EXPECT_FALSE(hit(box, {{0, 0, 4}, {0, 0, -1}}));
  EXPECT_NEAR(outward_normal(box, {6, 0, 0.5f}).z, 1, 1e-5);
}

TEST(solids, a_wide_beam_stops_before_any_ray_within_it_enters) {
  const Scene scene = scene_with(Sphere{{0, 0, 0}, 0.5});
  const Solid ball = solids_at(scene, 0)[0];
  for (const float offset : {0.0f, 0.3f, 0.495f, 0.52f}) {
    const float wide = 0.02f;
    const Ray middle{{0, offset, 4}, {0, 0, -1}, 0, 20};
    const auto start = hit(ball, middle, wide);
    for (int k = -4; k <= 4; ++k) {
      const Ray ray{{0, offset, 4}, {0, 0.7f * wide * float(k) / 4, -1}, 0, 20};
      if (const auto t = hit(ball, ray)) {
        ASSERT_TRUE(start.has_value());
        EXPECT_LE(*start, *t);
      }
    }
  }
}

TEST(solids, shade_the_lamp_softly) {
  const Scene scene = scene_with(Sphere{{0, 2, 0}, 0.5});
  const Solid ball = solids_at(scene, 0)[0];
  const Vec3<float> up{0, 1, 0};
  EXPECT_LT(lamp_visibility(ball, {0, 0, 0}, up, 0.1f, 10), 0.01f);
  const float edge = lamp_visibility(ball, {0.5f, 0, 0}, up, 0.1f, 10);
  EXPECT_GT(edge, 0.3f);
  EXPECT_LT(edge, 0.7f);
  EXPECT_EQ(lamp_visibility(ball, {2, 0, 0}, up, 0.1f, 10), 1);
  EXPECT_EQ(lamp_visibility(ball, {0, 3, 0}, up, 0.1f, 10), 1);  // above it
}

TEST(solids, hide_the_sky_next_to_them) {
  const Scene scene = scene_with(Plane{{0, 0, 0}, {0, 1, 0}});
  const std::vector<Solid> solids = solids_at(scene, 0);
  EXPECT_NEAR(sky_visibility(solids, {0, 0, 0}, {0, 1, 0}, 1), 1, 1e-6);
  const float near = sky_visibility(solids, {0, 0.02f, 0}, {1, 0, 0}, 1),
              far = sky_visibility(solids, {0, 2, 0}, {1, 0, 0}, 1);
  EXPECT_LT(near, 0.6f);
  EXPECT_EQ(far, 1);
}

}  // namespace
}  // namespace dollop
