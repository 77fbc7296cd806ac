#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "render/fixtures.h"
#include "render/splat.h"

namespace dollop {
namespace {

using test::add_ball;
using test::scene_of;

void expect_in_view(const PreviewView& view, const Vec3<float>& x) {
  const Projected p = project(view.camera, x);
  EXPECT_GT(p.depth, 0);
  EXPECT_LE(std::abs(p.u), 1);
  EXPECT_LE(std::abs(p.v), 1);
}

TEST(framing, shows_particles_and_the_floor_below_from_above) {
  Scene scene = scene_of("von-mises");
  scene.colliders = {{.name = "floor", .shape = Plane{}}};
  ParticleFrame frame;
  add_ball(frame, {0, 0.3f, 0}, 0.05f, 10);
  const PreviewView view = frame_scene(scene, frame);
  expect_in_view(view, {0, 0.35f, 0});
  expect_in_view(view, {-0.05f, 0, 0});
  expect_in_view(view, {0.05f, 0, 0.05f});
  EXPECT_GT(view.camera.eye.y, 0.2f);
  EXPECT_LT(view.camera.forward.y, -0.1f);
  // and not from too far: the fall fills a good part of the picture
  EXPECT_GT(project(view.camera, {0, 0.35f, 0}).v - project(view.camera, {0, 0, 0}).v, 1.2f);
  EXPECT_FALSE(view.see_through[0]);
}

TEST(framing, scales_with_the_scene) {
  std::vector<double> distances;  // of the camera, in radii of the body
  for (const double scale : {1e-3, 1.0, 1e3}) {
    Scene scene = scene_of("von-mises");
    scene.bodies = {{.material = "stuff", .shape = Sphere{{0, 0, 0}, scale}}};
    const PreviewView view = frame_scene(scene, {});
    distances.push_back(norm(view.camera.eye) / scale);
    expect_in_view(view, {float(scale), 0, 0});
    EXPECT_GT(project(view.camera, {0, float(scale), 0}).v, 0.4f);
  }
  EXPECT_NEAR(distances[0], distances[1], 1e-3);
  EXPECT_NEAR(distances[2], distances[1], 1e-3);
}

TEST(framing, follows_what_lands_on_a_mover) {
  Scene scene = scene_of("von-mises");
  scene.settings.duration = 2;
  scene.emitters = {{.material = "stuff", .shape = Sphere{{0, 1, 0}, 0.1}}};
  scene.colliders = {
      {.name = "plate", .shape = Box{{0, 0, 0}, {1, 0.1, 1}}, .motion = {.velocity = {1, 0, 0}}}};
  const PreviewView view = frame_scene(scene, {});
  expect_in_view(view, {0, 1.1f, 0});
  expect_in_view(view, {2.1f, 0.05f, 0});
  expect_in_view(view, {-0.1f, 0.05f, 0});
}

TEST(framing, follows_a_body_that_is_thrown) {
  Scene scene = scene_of("von-mises");
  scene.bodies = {{.material = "stuff", .shape = Sphere{{0, 1, 0}, 0.1}, .velocity = {2, 1, 0}}};
  scene.colliders = {{.name = "floor", .shape = Plane{}}};
  const PreviewView view = frame_scene(scene, {});
  // free fall: 1 + t - 9.81 t^2 / 2 = 0 at t = 0.565
  expect_in_view(view, {1.13f, 0, 0});
  expect_in_view(view, {0, 1.1f, 0});
}

// the share of the picture, of its height or its width, that points span
float spanned(const PreviewView& view, const std::vector<Vec3<float>>& points) {
  float left = 1, right = -1, bottom = 1, top = -1;
  for (const Vec3<float>& x : points) {
    const Projected p = project(view.camera, x);
    left = std::min(left, p.u);
    right = std::max(right, p.u);
    bottom = std::min(bottom, p.v);
    top = std::max(top, p.v);
  }
  return 0.5f * std::max(right - left, top - bottom);
}

// a nozzle that climbs from 2 to 5 cm while it emits, then flies off; under it a plate of this radius
Scene nozzle_scene(double radius) {
  Scene scene = scene_of("von-mises");
  scene.settings.duration = 10;
  scene.emitters = {
      {.material = "stuff", .shape = Disc{{0, 0.02, 0}, {0, -1, 0}, 0.01}, .speed = 0.05, .until = 3}};
  scene.emitters[0].motion.position.y =
      Animated(Animated::Kind::linear, {{0, 0}, {3, 0.03}, {4, 0.04}, {10, 5}});
  scene.emitters[0].motion.position.x = Animated(std::string("0.02*sin(6*t)"));
  scene.colliders = {{.name = "plate", .shape = Cylinder{{0, -0.005, 0}, {0, 1, 0}, radius, 0.01}},
                     {.name = "table", .shape = Plane{{0, -0.01, 0}, {0, 1, 0}}}};
  return scene;
}

TEST(framing, material_fills_most_of_the_picture) {
  for (const double radius : {0.05, 0.2, 5.0}) {
    const PreviewView view = frame_scene(nozzle_scene(radius), {});
    const std::vector<Vec3<float>> ends{{-0.03f, 0, 0}, {0.03f, 0, 0},     {0, 0, 0.01f},
                                        {0, 0.05f, 0},  {0.03f, 0.03f, 0}, {-0.03f, 0.04f, 0}};
    for (const Vec3<float>& x : ends) expect_in_view(view, x);
    EXPECT_GT(spanned(view, ends), 0.6f) << radius;
    EXPECT_LT(spanned(view, ends), 0.9f) << radius;
  }
}

// a nozzle that stands still, far above the ground for its size
Scene fixed_nozzle() {
  Scene scene = scene_of("von-mises");
  scene.settings.duration = 1;
  scene.emitters = {{.material = "stuff", .shape = Disc{{0, 0.3, 0}, {0, -1, 0}, 0.01}, .speed = 0.5}};
  scene.colliders = {{.name = "ground", .shape = Plane{}}};
  return scene;
}

TEST(framing, follows_what_a_fixed_nozzle_lets_fall) {
  const PreviewView view = frame_scene(fixed_nozzle(), {});
  const std::vector<Vec3<float>> ends{{0, 0.3f, 0}, {0, 0, 0}};
  for (const Vec3<float>& x : ends) expect_in_view(view, x);
  EXPECT_GT(spanned(view, ends), 0.5f);
  // half a ball of all the material that comes, 1.6e-4 cubic metres
  expect_in_view(view, {0.042f, 0, 0});
  expect_in_view(view, {-0.042f, 0, 0});
}

TEST(framing, flows_go_the_way_of_their_nozzle) {
  Scene scene = fixed_nozzle();
  scene.emitters[0].shape = Disc{{0, 0.3, 0}, {1, 0, 0}, 0.01};
  scene.emitters[0].speed = 4;
  // free fall: it lands at t = 0.247, after 0.99 m
  expect_in_view(frame_scene(scene, {}), {0.99f, 0, 0});
  scene.settings.gravity = Double3{0, 0, 0};
  scene.colliders = {{.name = "wall", .shape = Plane{{1.5, 0, 0}, {-1, 0, 0}}}};
  expect_in_view(frame_scene(scene, {}), {1.5f, 0.3f, 0});
}

TEST(framing, the_size_of_a_view_is_that_of_what_the_camera_sees) {
  Scene scene = fixed_nozzle();
  scene.camera = View{{0.5, 0.35, 0.8}, {0, 0.15, 0}, 0.52};
  const float distance = 0.964f;
  EXPECT_NEAR(frame_scene(scene, {}).size, 2 * distance * std::tan(0.26f), 0.01f);
  scene.camera->angle = 0.1;  // a telephoto lens: no haze before the target either
  EXPECT_GT(frame_scene(scene, {}).size, 0.25f * distance);
  ParticleFrame drop;
  add_ball(drop, {0, 0.3f, 0}, 0.001f, 4);
  EXPECT_GT(frame_run(scene, {drop}).size, 0.25f * distance);
}

TEST(framing, a_view_that_misses_the_material_is_found) {
  Scene scene = fixed_nozzle();
  const PreviewView view = frame_scene(scene, {});
  std::vector<ParticleFrame> frames(3);
  for (int k = 0; k < 10; ++k) add_ball(frames[2], {0, 0.03f * float(k), 0}, 0.02f, 4);
  EXPECT_TRUE(frames_well(scene, view, frames));
  frames[1] = frames[2];
  add_ball(frames[1], {3, 0.1f, 0}, 0.2f, 8);  // out at the side
  EXPECT_FALSE(frames_well(scene, view, frames));
  EXPECT_TRUE(frames_well(scene, frame_run(scene, frames), frames));
  std::vector<ParticleFrame> small(1);
  add_ball(small[0], {0, 0.1f, 0}, 0.01f, 8);  // too far away
  EXPECT_FALSE(frames_well(scene, view, small));
  scene.camera = View{};
  EXPECT_TRUE(frames_well(scene, view, frames));
}

TEST(framing, fingerprints_differ_where_pictures_would) {
  Scene scene = fixed_nozzle();
  PreviewView view = frame_scene(scene, {});
  const std::string name = fingerprint(view);
  EXPECT_EQ(fingerprint(frame_scene(scene, {})), name);
  view.camera.eye.x += 1e-3f;
  EXPECT_NE(fingerprint(view), name);
  EXPECT_NE(fingerprint(frame_scene(scene, {}, 320, 180)), name);
}

TEST(framing, huge_and_unbounded_colliders_do_not_push_the_camera_away) {
  Scene scene = scene_of("von-mises");
  scene.bodies = {{.material = "stuff", .shape = Sphere{{0, 0.1, 0}, 0.1}}};
  const float alone = norm(frame_scene(scene, {}).camera.eye);
  scene.colliders = {{.name = "slab", .shape = Box{{0, -5, 0}, {100, 10, 100}}},
                     {.name = "wall", .shape = Plane{{0, 0, -1}, {0, 0, 1}}}};
  EXPECT_LT(norm(frame_scene(scene, {}).camera.eye), 1.5f * alone);
}

TEST(framing, leaves_room_to_fall_onto_a_large_box) {
  Scene scene = scene_of("von-mises");
  scene.bodies = {{.material = "stuff", .shape = Sphere{{0, 0.3, 0}, 0.1}}};
  scene.colliders = {{.name = "slab", .shape = Box{{0, -5, 0}, {100, 10, 100}}}};
  const PreviewView view = frame_scene(scene, {});
  expect_in_view(view, {0, 0, 0});
  expect_in_view(view, {0, 0.4f, 0});
}

TEST(framing, what_stands_before_the_material_becomes_glass) {
  Scene scene = scene_of("von-mises");
  ParticleFrame frame;
  add_ball(frame, {0, 0.2f, 0}, 0.1f, 10);
  scene.colliders = {{.name = "front", .shape = Box{{0, 0.2, 0.3}, {1, 0.6, 0.02}}},
                     {.name = "back", .shape = Box{{0, 0.2, -0.3}, {1, 0.6, 0.02}}}};
  const PreviewView view = frame_scene(scene, frame);
  EXPECT_TRUE(view.see_through[0]);
  EXPECT_FALSE(view.see_through[1]);
}

}  // namespace
}  // namespace dollop
