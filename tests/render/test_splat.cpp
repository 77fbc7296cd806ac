#include "render/splat.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <cstring>
#include <numbers>

#include "render/fixtures.h"

namespace dollop {
namespace {

using test::add_ball;
using test::add_particle;
using test::compare;
using test::Difference;
using test::front_view;
using test::scene_of;

bool same_bits(const Image& a, const Image& b) {
  return a.pixels.size() == b.pixels.size() &&
         std::memcmp(a.pixels.data(), b.pixels.data(), a.pixels.size() * sizeof(a.pixels[0])) == 0;
}

class EveryLook : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(looks, EveryLook, testing::Values("von-mises", "drucker-prager"));

TEST_P(EveryLook, a_ball_gives_a_disc_of_its_size_at_its_place) {
  const Scene scene = scene_of(GetParam());
  const PreviewView view = front_view();
  ParticleFrame frame;
  add_ball(frame, {0.5f, 0.25f, 0}, 0.5f, 24);
  const Difference d =
      compare(render_preview(scene, view, frame), render_preview(scene, view, ParticleFrame{}));
  const double pixels_per_metre = 32;
  EXPECT_NEAR(d.x, 64 + 0.5 * pixels_per_metre, 0.7);
  EXPECT_NEAR(d.y, 32 - 0.25 * pixels_per_metre, 0.7);
  const double area = std::numbers::pi * std::pow(0.5 * pixels_per_metre, 2);
  EXPECT_NEAR(d.count / area, 1.1, 0.12);  // its rim counts, and it is drawn up to half a spacing wider
}

TEST_P(EveryLook, shading_of_a_ball_is_as_symmetric_as_the_light) {
  // seen from the front the lamp is to the left: top and left are bright, right and bottom dark
  const Scene scene = scene_of(GetParam());
  const PreviewView view = front_view();
  ParticleFrame frame;
  add_ball(frame, {0, 0, 0}, 0.5f, 24);
  const Image image = render_preview(scene, view, frame);
  const auto mean = [&](int x0, int y0) {
    float sum = 0;
    for (int y = y0 - 2; y < y0 + 2; ++y)
      for (int x = x0 - 2; x < x0 + 2; ++x) sum += image.at(x, y).y;
    return sum / 16;
  };
  EXPECT_GT(mean(55, 32), 1.3f * mean(73, 32));
  EXPECT_GT(mean(64, 23), 1.3f * mean(64, 41));
}

TEST(preview, outline_of_a_ball_is_symmetric) {
  const Scene scene = scene_of("von-mises");
  const PreviewView view = front_view();
  ParticleFrame frame;
  add_ball(frame, {0, 0, 0}, 0.5f, 24);
  const Image image = render_preview(scene, view, frame);
  const Image empty = render_preview(scene, view, ParticleFrame{});
  const auto drawn = [&](int x, int y) { return norm(image.at(x, y) - empty.at(x, y)) > 0.02f; };
  int different = 0;
  for (int y = 0; y < view.height; ++y)
    for (int x = 0; x < view.width; ++x) {
      different += drawn(x, y) != drawn(view.width - 1 - x, y);
      different += drawn(x, y) != drawn(x, view.height - 1 - y);
    }
  EXPECT_LT(different, 24);  // pixels of the rim that are covered in part
}

TEST(preview, near_particles_hide_far_ones) {
  Scene scene = scene_of("neo-hookean");
  scene.materials.push_back({"sand", "drucker-prager", {}});
  const auto red_over_green = [&](float z_of_red) {
    ParticleFrame frame;
    add_ball(frame, {0, 0, z_of_red}, 0.3f, 12);
    const std::size_t red = frame.id.size();
    add_ball(frame, {0, 0, 0}, 0.3f, 12);
    for (std::size_t i = red; i < frame.id.size(); ++i) frame.material[i] = 1;
    const Vec3<float> c = render_preview(scene, front_view(), frame).at(64, 32);
    return c.x / c.y;
  };
  EXPECT_GT(red_over_green(1), 3);
  EXPECT_LT(red_over_green(-1), 2);
}

TEST(preview, a_collider_in_front_hides_particles_and_one_behind_does_not) {
  const PreviewView view = front_view();
  ParticleFrame frame;
  add_ball(frame, {0, 0, 0}, 0.3f, 12);
  Scene scene = scene_of("von-mises");
  const auto middle = [&](const ParticleFrame& particles) {
    return render_preview(scene, view, particles).at(64, 32);
  };
  const auto differs = [&] { return norm(middle(frame) - middle(ParticleFrame{})) > 0.05f; };
  scene.colliders = {{.name = "pane", .shape = Box{{0, 0, 1.5}, {2, 2, 0.1}}}};
  EXPECT_FALSE(differs());
  scene.colliders[0].shape = Box{{0, 0, -1.5}, {2, 2, 0.1}};
  EXPECT_TRUE(differs());
  scene.colliders[0].shape = Plane{{0, 0, 1}, {0, 0, 1}};
  EXPECT_FALSE(differs());
  scene.colliders[0].shape = Plane{{0, 0, -1}, {0, 0, 1}};
  EXPECT_TRUE(differs());
}

TEST(preview, glass_lets_particles_be_seen) {
  PreviewView view = front_view();
  Scene scene = scene_of("von-mises");
  scene.colliders = {{.name = "pane", .shape = Box{{0, 0, 1.5}, {2, 2, 0.1}}}};
  view.see_through = {true};
  ParticleFrame frame;
  add_ball(frame, {0, 0, 0}, 0.3f, 12);
  const Vec3<float> with = render_preview(scene, view, frame).at(64, 32);
  const Vec3<float> without = render_preview(scene, view, ParticleFrame{}).at(64, 32);
  EXPECT_GT(norm(with - without), 0.1f);
  scene.colliders.clear();
  EXPECT_GT(norm(with - render_preview(scene, view, frame).at(64, 32)), 0.01f);  // but the pane shows
}

TEST(preview, particles_throw_a_shadow_on_the_floor) {
  const PreviewView view = front_view();
  Scene scene = scene_of("von-mises");
  scene.colliders = {{.name = "floor", .shape = Plane{{0, -0.5, 0}, {0, 1, 0.3}}}};
  ParticleFrame frame;
  add_ball(frame, {0, 0, 0}, 0.3f, 12);
  const Image with = render_preview(scene, view, frame),
              without = render_preview(scene, view, ParticleFrame{});
  // the lamp stands to the left
  double left = 0, right = 0;
  for (int y = 45; y < 60; ++y)
    for (int x = 0; x < 64; ++x) {
      left += without.at(x, y).y - with.at(x, y).y;
      right += without.at(127 - x, y).y - with.at(127 - x, y).y;
    }
  EXPECT_GT(right, 1);
  EXPECT_GT(right, 1.5 * left);
}

TEST(preview, a_single_drop_shows) {
  const Scene scene = scene_of("von-mises");
  ParticleFrame frame;
  add_particle(frame, {0, 0, 0}, 0.008f);
  const Difference d = compare(render_preview(scene, front_view(), frame),
                               render_preview(scene, front_view(), ParticleFrame{}));
  EXPECT_GE(d.count, 20);
  EXPECT_NEAR(d.x, 64, 0.5);
  EXPECT_NEAR(d.y, 32, 0.5);
}

TEST_P(EveryLook, picture_is_the_same_at_any_number_of_threads) {
  Scene scene = scene_of(GetParam());
  scene.colliders = {{.name = "floor", .shape = Plane{{0, -0.5, 0}, {0, 1, 0}}},
                     {.name = "box", .shape = Box{{0.6, 0, 0}, {0.3, 0.3, 0.3}, 0.05}}};
  ParticleFrame frame;
  add_ball(frame, {0, 0, 0}, 0.5f, 20);
  add_particle(frame, {-0.7f, 0.3f, 0}, 1e-4f);
  // as many threads as asked for, even on a machine with fewer processors
  const tbb::global_control allow(tbb::global_control::max_allowed_parallelism, 4);
  const auto with_threads = [&](int threads) {
    tbb::task_arena arena(threads);
    return arena.execute([&] { return render_preview(scene, front_view(), frame); });
  };
  const Image one = with_threads(1);
  EXPECT_TRUE(same_bits(one, with_threads(2)));
  EXPECT_TRUE(same_bits(one, with_threads(3)));
}

TEST(preview, works_without_volumes_and_survives_strange_particles) {
  Scene scene = scene_of("von-mises");
  scene.settings.cell_size = 1.0 / 12;
  scene.bodies = {{.material = "stuff", .shape = Sphere{{0, 0, 0}, 0.5}}};
  ParticleFrame frame;
  add_ball(frame, {0, 0, 0}, 0.5f, 24);  // eight to a cell
  const Image told = render_preview(scene, front_view(), frame);
  frame.attributes.clear();
  const Image guessed = render_preview(scene, front_view(), frame);
  EXPECT_LT(compare(told, guessed).count, 10);
  for (const float x : {std::nanf(""), INFINITY, -INFINITY, 1e30f}) {
    frame.id.push_back(frame.id.size());
    frame.position.insert(frame.position.end(), {x, 0, 0});
    frame.material.push_back(17);  // there is no such material
  }
  EXPECT_TRUE(same_bits(render_preview(scene, front_view(), frame), guessed));
}

TEST(preview, an_empty_scene_gives_a_background) {
  const Image image = render_preview(Scene{}, frame_scene(Scene{}, {}, 32, 18), {});
  EXPECT_EQ(image.pixels.size(), 32u * 18u);
  for (const Vec3<float>& pixel : image.pixels) {
    EXPECT_TRUE(std::isfinite(pixel.x + pixel.y + pixel.z));
    EXPECT_GT(pixel.z, 0.05f);
  }
}

}  // namespace
}  // namespace dollop
