// Views of runs whose frames are there.
#include <gtest/gtest.h>

#include "render/fixtures.h"
#include "render/solids.h"

namespace dollop {
namespace {

using test::add_ball;
using test::add_particle;
using test::scene_of;

TEST(frame_run, holds_what_later_frames_show_and_not_what_never_comes) {
  Scene scene = scene_of("von-mises");
  scene.colliders = {{.name = "ground", .shape = Plane{}}};
  std::vector<ParticleFrame> frames(3);
  add_ball(frames[0], {0, 1, 0}, 0.1f, 10);
  add_ball(frames[1], {0.5f, 0.6f, 0}, 0.1f, 10);
  add_ball(frames[2], {1.2f, 0.8f, 0}, 0.1f, 10);
  const PreviewView view = frame_run(scene, frames, 320, 180);
  for (const Vec3<float>& x : {Vec3<float>{0, 1, 0}, {0.5f, 0.6f, 0}, {1.2f, 0.8f, 0}}) {
    const Projected p = project(view.camera, x);
    EXPECT_LT(std::abs(p.u), 0.9f);
    EXPECT_LT(std::abs(p.v), 0.9f);
  }
  EXPECT_GT(project(view.camera, {1.3f, 0.8f, 0}).u - project(view.camera, {-0.1f, 1, 0}).u, 0.9f);
  EXPECT_FALSE(view.floor);  // the scene has one
}

TEST(frame_run, a_stray_particle_does_not_push_the_camera_away) {
  const Scene scene = scene_of("von-mises");
  std::vector<ParticleFrame> frames(1);
  add_ball(frames[0], {0, 0, 0}, 0.1f, 12);
  const float before = norm(frame_run(scene, frames).camera.eye);
  add_particle(frames[0], {50, 0, 0}, 1e-6f);
  EXPECT_NEAR(norm(frame_run(scene, frames).camera.eye), before, 0.1f * before);
}

TEST(frame_run, puts_a_floor_below_everything_where_there_is_none) {
  Scene scene = scene_of("von-mises");
  scene.colliders = {{.name = "plate", .shape = Box{{0, -0.2, 0}, {0.3, 0.05, 0.3}}}};
  std::vector<ParticleFrame> frames(1);
  add_ball(frames[0], {0, 0, 0}, 0.1f, 12);
  const PreviewView view = frame_run(scene, frames);
  ASSERT_TRUE(view.floor);
  EXPECT_LT(*view.floor, -0.14f);
  EXPECT_GT(*view.floor, -0.3f);
}

TEST(framing, the_camera_of_the_scene_counts) {
  Scene scene = scene_of("von-mises");
  scene.camera = View{{1, 2, 3}, {0, 0.5, 0}, 0.7};
  for (const PreviewView& view : {frame_scene(scene, {}), frame_run(scene, {})}) {
    EXPECT_EQ(view.camera.eye.x, 1);
    EXPECT_EQ(view.camera.eye.z, 3);
    EXPECT_NEAR(project(view.camera, {0, 0.5f, 0}).v, 0, 1e-5f);
    EXPECT_NEAR(view.camera.half_height, std::tan(0.35f), 1e-5f);
  }
}

TEST(solids, walls_at_the_sides_are_left_out) {
  Scene scene = scene_of("von-mises");
  scene.colliders = {{.name = "floor", .shape = Plane{}},
                     {.name = "left", .shape = Plane{{-1, 0, 0}, {1, 0, 0}}},
                     {.name = "back", .shape = Plane{{0, 0, -1}, {0, 0, 1}}},
                     {.name = "front", .shape = Plane{{0, 0, 1}, {0, 0, -1}}}};
  const Vec3<float> eye{0.5f, 1, 4}, forward = unit({-0.1f, -0.2f, -1});
  std::vector<bool> shown;
  for (const Solid& solid : solids_at(scene, 0)) shown.push_back(plane_shown(solid, eye, forward));
  EXPECT_EQ(shown, (std::vector<bool>{true, false, true, false}));
}

TEST(solids, parts_of_unions_are_as_near_as_the_whole) {
  Scene scene = scene_of("von-mises");
  scene.colliders = {{.name = "pins",
                      .shape = Union{{Sphere{{0, 0, 0}, 0.1},
                                      Union{{Box{{1, 0, 0}, {0.2, 0.2, 0.2}}, Sphere{{2, 0, 0}, 0.3}}}}},
                      .motion = {.velocity = {0, 1, 0}}}};
  const std::vector<Solid> whole = solids_at(scene, 0.5), parts = split_unions(whole);
  ASSERT_EQ(parts.size(), 3u);
  for (const Vec3<float>& x : {Vec3<float>{0, 1, 0}, {0.9f, 0.5f, 0.2f}, {1.5f, 0.4f, 0}, {2, 0.6f, 0}}) {
    float least = std::numeric_limits<float>::infinity();
    for (const Solid& part : parts) least = std::min(least, distance(part, x));
    EXPECT_NEAR(least, distance(whole[0], x), 1e-6f);
  }
}

}  // namespace
}  // namespace dollop
