// Pictures as they were when someone last looked at them. DOLLOP_UPDATE_GOLDEN=1 writes them anew: look at them then.
#include <gtest/gtest.h>
#include <png.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "render/tracer/color_bar.h"
#include "render/tracer/quantity.h"
#include "render/tracer_fixtures.h"
#include "source_folder.h"

namespace dollop {
namespace {

using namespace test;
namespace fs = std::filesystem;

ByteImage read_png(const fs::path& file) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_file(&header, file.c_str())) return {};
  header.format = PNG_FORMAT_RGB;
  ByteImage image{int(header.width), int(header.height), std::vector<std::uint8_t>(PNG_IMAGE_SIZE(header))};
  if (!png_image_finish_read(&header, nullptr, image.rgb.data(), 0, nullptr)) return {};
  return image;
}

// differences of means over three by three pixels, where the eye would look, in steps of 255
struct Apart {
  double mean = 0, most = 0;
};

Apart compare_softly(const ByteImage& a, const ByteImage& b) {
  Apart apart;
  for (int y = 1; y + 1 < a.height; ++y)
    for (int x = 1; x + 1 < a.width; ++x)
      for (int c = 0; c < 3; ++c) {
        double sum = 0;
        for (int j = y - 1; j <= y + 1; ++j)
          for (int i = x - 1; i <= x + 1; ++i) {
            const std::size_t k = std::size_t((j * a.width + i) * 3 + c);
            sum += (double(a.rgb[k]) - double(b.rgb[k])) / 9;
          }
        apart.mean += std::abs(sum) / ((a.width - 2) * (a.height - 2) * 3);
        apart.most = std::max(apart.most, std::abs(sum));
      }
  return apart;
}

void expect_golden(const std::string& name, const ByteImage& picture) {
  const fs::path file = source_folder() / "tests" / "golden" / (name + ".png");
  if (std::getenv("DOLLOP_UPDATE_GOLDEN")) {
    fs::create_directories(file.parent_path());
    write_png(file, picture);
  }
  const ByteImage golden = read_png(file);
  ASSERT_EQ(golden.width, picture.width) << file << " cannot be read; DOLLOP_UPDATE_GOLDEN=1 writes it anew";
  ASSERT_EQ(golden.height, picture.height);
  const Apart apart = compare_softly(golden, picture);
  EXPECT_LT(apart.mean, 1.0) << name
                             << " looks different; if it should, run this with DOLLOP_UPDATE_GOLDEN=1";
  EXPECT_LT(apart.most, 20.0) << name << " looks different in a place";
}

Scene table_scene(const std::string& look) {
  Scene scene = scene_with_look(look);
  scene.colliders = {
      {.name = "ground", .shape = Plane{}},
      {.name = "box", .shape = Box{{0.62, 0.15, 0.1}, {0.3, 0.3, 0.3}, 0.02}, .look = "chocolate"},
      {.name = "bowl", .shape = Minus{{Sphere{{-0.55, 0.2, 0.2}, 0.2}, Sphere{{-0.55, 0.35, 0.2}, 0.2}}}}};
  return scene;
}

ByteImage table_picture(const std::string& look) {
  const Scene scene = table_scene(look);
  const SurfaceMesh mesh = ball_mesh({0, 0.3f, 0}, 0.3f);
  return develop(trace_picture({scene, table_view(), ParticleFrame{}, mesh}, with_samples(32, true)));
}

TEST(golden, notices_what_the_eye_would) {
  const Apart apart = compare_softly(table_picture("foam"), table_picture("dough"));
  EXPECT_GT(apart.mean, 1.0);
  EXPECT_GT(apart.most, 20.0);
}

TEST(golden, foam) { expect_golden("foam", table_picture("foam")); }
TEST(golden, rubber) { expect_golden("rubber", table_picture("rubber")); }
TEST(golden, jelly) { expect_golden("jelly", table_picture("jelly")); }

TEST(golden, sand) {
  const Scene scene = table_scene("sand");
  ParticleFrame frame;
  add_ball(frame, {0, 0.3f, 0}, 0.3f, 18);
  expect_golden("sand",
                develop(trace_picture({scene, table_view(), frame, SurfaceMesh{}}, with_samples(32, true))));
}

TEST(golden, sponge) {
  const Scene scene = table_scene("density");
  ParticleFrame frame;
  constexpr int across = 26;
  for (int i = 0; i < across; ++i)
    for (int j = 0; j < across; ++j)
      for (int k = 0; k < across; ++k) {
        const float spacing = 0.5f / across;
        const Vec3<float> x = spacing * Vec3<float>{float(i) + 0.5f, float(j) + 0.5f, float(k) + 0.5f};
        add_particle(frame, x - Vec3<float>{0.25f, 0, 0.25f}, spacing * spacing * spacing);
      }
  const PreviewView view = table_view(160, 90);
  expect_golden("sponge",
                develop(trace_picture({scene, view, frame, SurfaceMesh{}}, with_samples(32, true))));
}

TEST(golden, colours_with_their_bar) {
  const Scene scene = table_scene("foam");
  const SurfaceMesh mesh = ball_mesh({0, 0.3f, 0}, 0.3f);
  std::vector<float> heights;
  for (const Vec3<float>& x : mesh.positions) heights.push_back(x.y);
  Coloring coloring{colors_of(heights, {0, 0.6f}), {}};
  StageContents contents{scene, table_view(160, 90), ParticleFrame{}, mesh};
  contents.coloring = &coloring;
  ByteImage picture = develop(trace_picture(contents, with_samples(16, true)));
  draw_color_bar(picture, {0, 0.6f}, "height");
  expect_golden("colours", picture);
}

TEST(golden, moving_ball) {
  const Scene scene = table_scene("cream");
  const SurfaceMesh mesh = ball_mesh({0, 0.4f, 0}, 0.25f, {1, 0.3f, 0});
  StageContents contents{scene, table_view(), ParticleFrame{}, mesh};
  contents.shutter = 0.4;
  expect_golden("motion", develop(trace_picture(contents, with_samples(32, true))));
}

}  // namespace
}  // namespace dollop
