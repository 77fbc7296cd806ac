// Whether the smooth mass is drawn whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "render/fixtures.h"
#include "render/splat.h"

namespace dollop {
namespace {

using test::add_particle;
using test::front_view;
using test::scene_of;

// A box filled with a lattice. Each particle claims the volume of `crowding` of its cells.
struct Filling {
  Vec3<float> center, half;  // of the box
  Vec3<float> spacing;
  float crowding = 1;
};

ParticleFrame fill_box(const Filling& box) {
  ParticleFrame frame;
  int count[3];
  for (int a = 0; a < 3; ++a) count[a] = std::max(1, int(std::lround(2 * box.half[a] / box.spacing[a])));
  const float volume = box.crowding * box.spacing.x * box.spacing.y * box.spacing.z;
  for (int i = 0; i < count[0]; ++i)
    for (int j = 0; j < count[1]; ++j)
      for (int k = 0; k < count[2]; ++k) {
        const Vec3<float> r{(float(i) + 0.5f - 0.5f * float(count[0])) * box.spacing.x,
                            (float(j) + 0.5f - 0.5f * float(count[1])) * box.spacing.y,
                            (float(k) + 0.5f - 0.5f * float(count[2])) * box.spacing.z};
        add_particle(frame, box.center + r, volume);
      }
  return frame;
}

// Pixels of a rectangle, as fractions of the half axes of the box's front, that show anything but a lit bright surface.
int dark_pixels(const Filling& box, const Image& image, const PreviewView& view, float share) {
  const Vec3<float> front = box.center + Vec3<float>{0, 0, box.half.z};
  const Projected low = project(view.camera, front - share * Vec3<float>{box.half.x, box.half.y, 0});
  const Projected high = project(view.camera, front + share * Vec3<float>{box.half.x, box.half.y, 0});
  const auto column = [&](float u) { return int(0.5f * (u + 1) * float(view.width)); };
  const auto row = [&](float v) { return int(0.5f * (1 - v) * float(view.height)); };
  int dark = 0;
  for (int y = row(high.v); y <= row(low.v); ++y)
    for (int x = column(low.u); x <= column(high.u); ++x)
      dark += !(image.at(x, y).y > 0.3f && image.at(x, y).x > image.at(x, y).z);
  return dark;
}

// The drawn area of the box by that of its front.
float drawn_share(const Filling& box, const Image& image, const Image& empty, const PreviewView& view) {
  const float depth = view.camera.eye.z - box.center.z - box.half.z;
  const float pixel = 2 * view.camera.half_height * depth / float(view.height);
  int drawn = 0;
  for (std::size_t i = 0; i < image.pixels.size(); ++i)
    drawn += norm(image.pixels[i] - empty.pixels[i]) > 0.02f;
  return float(drawn) * pixel * pixel / (4 * box.half.x * box.half.y);
}

class Crowding : public testing::TestWithParam<float> {};
INSTANTIATE_TEST_SUITE_P(shares, Crowding, testing::Values(1.0f, 2.5f, 6.0f));

TEST_P(Crowding, a_tower_has_no_holes_wherever_it_stands) {
  const Scene scene = scene_of("von-mises");
  const PreviewView view = front_view(192, 96);
  const Image empty = render_preview(scene, view, ParticleFrame{});
  // as many particles to a length whatever they claim, so that the field has the same blocks
  const float spacing = 0.04f / std::cbrt(GetParam());
  for (const float shift : {0.0f, 0.07f, 0.13f, 0.21f, 0.29f, 0.37f}) {  // a block is 0.4 wide
    const Filling tower{
        {shift, -0.5f * shift, 0.3f * shift}, {0.25f, 0.7f, 0.25f}, {spacing, spacing, spacing}, GetParam()};
    const Image image = render_preview(scene, view, fill_box(tower));
    EXPECT_EQ(dark_pixels(tower, image, view, 0.8f), 0) << shift;
    EXPECT_NEAR(drawn_share(tower, image, empty, view), 1.15f, 0.15f) << shift;
  }
}

TEST(mass, a_large_region_has_no_holes) {
  const Scene scene = scene_of("von-mises");
  const PreviewView view = front_view(192, 96);
  const Filling region{{0.02f, 0.03f, -0.4f}, {1.6f, 0.8f, 0.3f}, {0.05f, 0.05f, 0.05f}, 1};
  const Image image = render_preview(scene, view, fill_box(region));
  EXPECT_EQ(dark_pixels(region, image, view, 0.9f), 0);
}

TEST(mass, stretched_material_stays_whole) {
  const Scene scene = scene_of("von-mises");
  const PreviewView view = front_view(192, 96);
  const float s = 0.05f;
  // pulled along one axis to 1.8 spacings; along two, to 1.6 and three layers thick; a single layer at rest
  for (const Filling& box : {Filling{{0, 0, 0}, {0.9f, 0.3f, 0.1f}, {1.8f * s, 0.745f * s, 0.745f * s}},
                             Filling{{0, 0, 0}, {0.9f, 0.6f, 0.05f}, {1.6f * s, 1.6f * s, 0.391f * s}},
                             Filling{{0, 0, 0}, {0.9f, 0.6f, 0.5f * s}, {s, s, s}}}) {
    const Image image = render_preview(scene, view, fill_box(box));
    EXPECT_EQ(dark_pixels(box, image, view, 0.75f), 0) << box.spacing.x / s;
  }
}

TEST(mass, separate_pieces_stay_separate) {
  const Scene scene = scene_of("von-mises");
  const PreviewView view = front_view(192, 96);
  const float s = 0.05f, gap = 4 * s;
  ParticleFrame frame = fill_box({{-0.3f - 0.5f * gap, 0, 0}, {0.3f, 0.3f, 0.3f}, {s, s, s}});
  const ParticleFrame other = fill_box({{0.3f + 0.5f * gap, 0, 0}, {0.3f, 0.3f, 0.3f}, {s, s, s}});
  for (std::size_t i = 0; i < other.id.size(); ++i)
    add_particle(frame, {other.position[3 * i], other.position[3 * i + 1], other.position[3 * i + 2]},
                 s * s * s);
  const Image image = render_preview(scene, view, frame);
  for (int y = 36; y < 60; ++y) EXPECT_GT(image.at(96, y).z, image.at(96, y).x) << y;  // the sky between them
}

TEST(mass, a_single_particle_is_a_drop_of_its_volume) {
  const Scene scene = scene_of("von-mises");
  const PreviewView view = front_view(192, 96);
  ParticleFrame frame;
  const float volume = 0.008f;
  add_particle(frame, {0, 0, 0}, volume);
  const test::Difference d =
      test::compare(render_preview(scene, view, frame), render_preview(scene, view, ParticleFrame{}));
  const float radius = std::cbrt(3 * volume / (4 * std::numbers::pi_v<float>)) * 48;  // 48 pixels to a metre
  EXPECT_NEAR(std::sqrt(d.count / std::numbers::pi), radius, 0.6);  // pixels of the rim are covered in part
}

}  // namespace
}  // namespace dollop
