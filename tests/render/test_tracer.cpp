// What path traced pictures must show, whatever they look like.
#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <cstring>

#include "materials/looks.h"
#include "render/lighting.h"
#include "render/tracer_fixtures.h"

namespace dollop {
namespace {

using namespace test;

constexpr Vec3<float> sky{0.8f, 0.6f, 0.4f};

Image under_uniform_sky(const Scene& scene, int samples) {
  TracerOptions options = with_samples(samples);
  options.uniform_sky = sky;
  const SurfaceMesh mesh = ball_mesh({0, 0, 0}, 0.4f);
  return trace_picture({scene, front_view(64, 32), ParticleFrame{}, mesh}, options);
}

TEST(tracer, a_white_body_vanishes_in_a_uniform_sky) {
  Scene scene = scene_with_look("sand");  // no specular coat
  scene.materials[0].color = {1, 1, 1};
  const Image image = under_uniform_sky(scene, 4);
  for (const Vec3<float>& pixel : image.pixels)
    for (int c = 0; c < 3; ++c) ASSERT_NEAR(pixel[c], sky[c], 1e-4f);
}

TEST(tracer, subsurface_scattering_conserves_energy) {
  Scene scene = scene_with_look("foam");
  scene.materials[0].color = {1, 1, 1};
  const Image image = under_uniform_sky(scene, 64);
  const Vec3<float> middle = mean_of(image, 28, 12, 8, 8);
  for (int c = 0; c < 3; ++c) EXPECT_NEAR(middle[c], sky[c], 0.02f * sky[c]);
}

class EveryTracedLook : public ::testing::TestWithParam<LookInfo> {};

TEST_P(EveryTracedLook, is_finite_and_gains_no_light) {
  const Image image = under_uniform_sky(scene_with_look(GetParam().name), 64);
  for (const Vec3<float>& pixel : image.pixels)
    for (int c = 0; c < 3; ++c) ASSERT_TRUE(std::isfinite(pixel[c]) && pixel[c] >= 0);
  const Vec3<float> middle = mean_of(image, 26, 10, 12, 12);
  for (int c = 0; c < 3; ++c) EXPECT_LT(middle[c], 1.01f * sky[c]);
}

TEST_P(EveryTracedLook, of_a_collider_is_finite_in_the_studio) {
  Scene scene = scene_of("herschel-bulkley");
  scene.colliders = {
      {.name = "ground", .shape = Plane{}},
      {.name = "thing", .shape = Box{{0, 0.3, 0}, {0.5, 0.6, 0.5}, 0.05}, .look = GetParam().name}};
  const Image image =
      trace_picture({scene, table_view(48, 27), ParticleFrame{}, SurfaceMesh{}}, with_samples(4, true));
  for (const Vec3<float>& pixel : image.pixels)
    for (int c = 0; c < 3; ++c) ASSERT_TRUE(std::isfinite(pixel[c]) && pixel[c] >= 0);
}

INSTANTIATE_TEST_SUITE_P(looks, EveryTracedLook, ::testing::ValuesIn(looks),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(tracer, the_ball_shades_the_ground_away_from_the_lamp) {
  Scene scene = scene_with_look("foam");
  scene.colliders = {{.name = "ground", .shape = Plane{}}};
  const PreviewView view = table_view();
  const SurfaceMesh mesh = ball_mesh({0, 0.3f, 0}, 0.3f);
  const Image with = trace_picture({scene, view, ParticleFrame{}, mesh}, with_samples(16));
  const Image without = trace_picture({scene, view, ParticleFrame{}, SurfaceMesh{}}, with_samples(16));
  const Lights lights = studio_lights(view.camera, view.size);
  // where the shadow of the ball's middle falls, and the mirror image of that place
  const Vec3<float> away = (-0.3f / lights.to_lamp.y) * Vec3<float>{lights.to_lamp.x, 0, lights.to_lamp.z};
  const auto change = [&](const Vec3<float>& x) {
    const Projected p = project(view.camera, x);
    const int i = int((p.u + 1) / 2 * float(view.width)), j = int((1 - p.v) / 2 * float(view.height));
    return luminance(mean_of(with, i - 1, j - 1, 3, 3)) / luminance(mean_of(without, i - 1, j - 1, 3, 3));
  };
  EXPECT_LT(change(1.2f * away), 0.6f);
  EXPECT_GT(change({-1.6f * away.x, 0, -1.6f * away.z}), 0.9f);
}

TEST(tracer, form_shows_on_what_is_white) {
  Scene scene = scene_with_look("foam");
  scene.colliders = {{.name = "ground", .shape = Plane{}}};
  const SurfaceMesh mesh = ball_mesh({0, 0.3f, 0}, 0.3f);
  const ByteImage picture =
      develop(trace_picture({scene, table_view(), ParticleFrame{}, mesh}, with_samples(16, true)));
  const auto byte = [&](int x, int y) { return int(picture.rgb[3 * std::size_t(y * picture.width + x)]); };
  const Projected middle = project(table_view().camera, {0, 0.3f, 0});
  const int x = int((middle.u + 1) / 2 * 96), y = int((1 - middle.v) / 2 * 54);
  EXPECT_GT(byte(x - 6, y - 6), 190);                      // bright towards the lamp
  EXPECT_LT(byte(x + 9, y + 7), byte(x - 6, y - 6) - 30);  // darker away from it
  EXPECT_GT(byte(x, y), byte(90, 40) + 60);                // and apart from the ground
}

// how many pixels along a row and a column the picture differs from an empty one
std::array<int, 2> extent_of_change(const Image& image, const Image& empty) {
  std::array<int, 2> extent{0, 0};
  for (int x = 0; x < image.width; ++x) {
    bool any = false;
    for (int y = 0; y < image.height; ++y) any = any || norm(image.at(x, y) - empty.at(x, y)) > 0.02f;
    extent[0] += any;
  }
  for (int y = 0; y < image.height; ++y) {
    bool any = false;
    for (int x = 0; x < image.width; ++x) any = any || norm(image.at(x, y) - empty.at(x, y)) > 0.02f;
    extent[1] += any;
  }
  return extent;
}

TEST(tracer, motion_blurs_along_the_velocity) {
  const PreviewView view = front_view();
  const Scene empty_scene = scene_with_look("foam");
  const Image empty = trace_picture({empty_scene, view, {}, {}}, with_samples(16));
  const auto drawn = [&](const Scene& scene, const ParticleFrame& frame, const SurfaceMesh& mesh,
                         double shutter) {
    StageContents contents{scene, view, frame, mesh};
    contents.shutter = shutter;
    return extent_of_change(trace_picture(contents, with_samples(16)), empty);
  };
  // in half a second each moves 0.8 m, 26 of 128 pixels; the outermost are faint
  const auto expect_wider = [&](const Scene& scene, const ParticleFrame& frame, const SurfaceMesh& mesh) {
    const auto sharp = drawn(scene, frame, mesh, 0), blurred = drawn(scene, frame, mesh, 0.5);
    EXPECT_GT(blurred[0] - sharp[0], 18);
    EXPECT_LT(blurred[0] - sharp[0], 28);
    EXPECT_NEAR(blurred[1], sharp[1], 1);
  };
  expect_wider(empty_scene, {}, ball_mesh({0, 0, 0}, 0.3f, {1.6f, 0, 0}));

  const Scene grains = scene_with_look("sand");
  ParticleFrame frame;
  add_particle(frame, {0, 0, 0}, 0.1f);
  frame.attributes.push_back({"velocity", 3, {1.6f, 0, 0}});
  expect_wider(grains, frame, {});

  Scene collider = empty_scene;
  collider.colliders = {
      {.name = "ball", .shape = Sphere{{0, 0, 0}, 0.3}, .motion = {.velocity = {1.6, 0, 0}}}};
  expect_wider(collider, {}, {});
  // without triangles
  collider.colliders[0].shape = Intersect{{Sphere{{0, 0, 0}, 0.3}, Box{{0, 0, 0}, {1, 1, 1}}}};
  expect_wider(collider, {}, {});
}

TEST(tracer, the_same_bits_at_any_number_of_threads) {
  Scene scene = scene_with_look("foam");
  scene.materials.push_back({"sand", "herschel-bulkley", {}, "sand", {}});
  scene.colliders = {{.name = "ground", .shape = Plane{}},
                     {.name = "box", .shape = Box{{0.5, 0.1, 0.2}, {0.2, 0.2, 0.2}}, .look = "glass"}};
  ParticleFrame frame;
  add_ball(frame, {-0.5f, 0.2f, 0.2f}, 0.2f, 10);
  for (auto& material : frame.material) material = 1;
  const SurfaceMesh mesh = ball_mesh({0, 0.3f, 0}, 0.3f, {1, 0, 0});
  const auto picture = [&](int threads) {
    tbb::task_arena arena(threads);
    return arena.execute([&] {
      StageContents contents{scene, table_view(), frame, mesh};
      contents.shutter = 0.05;
      return trace_picture(contents, with_samples(4, true));
    });
  };
  const Image one = picture(1), three = picture(3);
  EXPECT_EQ(std::memcmp(one.pixels.data(), three.pixels.data(), one.pixels.size() * sizeof(Vec3<float>)), 0);
}

TEST(tracer, colours_stand_for_numbers) {
  const Scene scene = scene_with_look("jelly");
  SurfaceMesh mesh = ball_mesh({0, 0, 0}, 0.4f);
  Coloring coloring;
  coloring.vertices.assign(mesh.positions.size(), {0.05f, 0.6f, 0.05f});
  StageContents contents{scene, front_view(64, 32), ParticleFrame{}, mesh};
  contents.coloring = &coloring;
  TracerOptions options = with_samples(32);
  options.uniform_sky = Vec3<float>{1, 1, 1};
  const Vec3<float> seen = mean_of(trace_picture(contents, options), 28, 12, 8, 8);
  EXPECT_NEAR(seen.y, 0.6f, 0.05f);  // the look itself is transmissive
  EXPECT_NEAR(seen.x, 0.05f, 0.05f);
}

TEST(tracer, panes_before_the_material_are_seen_through) {
  Scene scene = scene_with_look("foam");
  scene.colliders = {{.name = "front", .shape = Box{{0, 0, 1.5}, {2, 2, 0.1}}}};
  PreviewView view = front_view(64, 32);
  view.see_through = {true};
  const SurfaceMesh mesh = ball_mesh({0, 0, 0}, 0.4f);
  const auto middle = [&](const SurfaceMesh& m) {
    return mean_of(trace_picture({scene, view, ParticleFrame{}, m}, with_samples(16)), 28, 12, 8, 8);
  };
  EXPECT_GT(norm(middle(mesh) - middle(SurfaceMesh{})), 0.1f);
  const Vec3<float> behind = middle(mesh);
  scene.colliders.clear();
  EXPECT_GT(norm(middle(mesh) - behind), 0.01f);
}

// each wall of a shell without triangles tints the light once, however a ray that starts in one meets the next
TEST(tracer, hollow_panes_are_even) {
  Scene scene = scene_with_look("foam");
  scene.colliders = {{.name = "flask", .shape = Minus{{Sphere{{0, 0, 0}, 0.4}, Sphere{{0, 0, 0}, 0.37}}}}};
  PreviewView view = front_view(128, 64);
  view.see_through = {true};
  TracerOptions options = with_samples(4);
  options.uniform_sky = Vec3<float>{0.1f, 0.1f, 0.1f};
  const Image picture = trace_picture({scene, view, {}, {}}, options);
  const auto behind = [](const Vec3<float>& colour) { return behind_glass(colour, {0, 0, 1}, {0, 0, 1}); };
  const Vec3<float> expected = behind(behind({0.1f, 0.1f, 0.1f}));
  for (int x = 60; x < 68; ++x) {
    const Vec3<float> seen = mean_of(picture, x, 28, 1, 8);
    EXPECT_NEAR(seen.x, expected.x, 0.004f) << x;
  }
}

TEST(tracer, hidden_things_are_not_drawn) {
  Scene scene = scene_of("herschel-bulkley");
  const PreviewView view = front_view(64, 32);
  const Image empty = trace_picture({scene, view, {}, {}}, with_samples(2));
  scene.colliders = {{.name = "box", .shape = Box{}, .look = "hidden"}};
  EXPECT_EQ(compare(trace_picture({scene, view, {}, {}}, with_samples(2)), empty).count, 0);
}

}  // namespace
}  // namespace dollop
