// Colours of numbers, the bar that explains them, and the letters on it.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <stdexcept>
#include <string>

#include "render/fixtures.h"
#include "render/tracer/color_bar.h"
#include "render/tracer/color_map.h"
#include "render/tracer/font.h"
#include "render/tracer/looks.h"
#include "render/tracer/quantity.h"
#include "render/tracer/sampling.h"
#include "surface/material_looks.h"

namespace dollop {
namespace {

TEST(color_map, grows_evenly_brighter) {
  float before = -1;
  for (int k = 0; k <= 64; ++k) {
    const float light = luminance(linear_color_of(float(k) / 64));
    EXPECT_GT(light, before);
    before = light;
  }
  EXPECT_LT(luminance(linear_color_of(0)), 0.03f);
  EXPECT_GT(luminance(linear_color_of(1)), 0.7f);
  EXPECT_EQ(color_of(-3).x, color_of(0).x);
  EXPECT_EQ(color_of(7).x, color_of(1).x);
  EXPECT_EQ(color_of(NAN).x, 0.5f);
}

TEST(color_bar, ticks_are_round_and_within_the_range) {
  EXPECT_EQ(bar_ticks(0, 1), (std::vector<double>{0, 0.2, 0.4, 0.6000000000000001, 0.8, 1}));
  for (const auto& [low, high] :
       {std::pair{0.0, 2.5}, {-3.7, 12.0}, {0.99, 1.01}, {1e-7, 4e-7}, {0.0, 3e8}}) {
    const std::vector<double> ticks = bar_ticks(low, high);
    EXPECT_GE(ticks.size(), 3u) << low;
    EXPECT_LE(ticks.size(), 8u) << low;
    std::set<std::string> texts;
    for (const double tick : ticks) {
      EXPECT_GE(tick, low - 1e-6 * (high - low));
      EXPECT_LE(tick, high + 1e-6 * (high - low));
      const std::string text = tick_text(tick, ticks[1] - ticks[0]);
      texts.insert(text);
      EXPECT_NEAR(std::stod(text), tick, 1e-3 * (high - low));
    }
    EXPECT_EQ(texts.size(), ticks.size());  // told apart
  }
  EXPECT_TRUE(bar_ticks(1, 1).empty());
  EXPECT_TRUE(bar_ticks(0, INFINITY).empty());
}

TEST(color_bar, shows_at_each_height_the_colour_of_its_number) {
  ByteImage image{320, 180, std::vector<std::uint8_t>(320 * 180 * 3, 128)};
  draw_color_bar(image, {2, 6}, "speed");
  const BarPlace place = bar_place(320, 180);
  const auto byte = [&](int x, int y, int c) { return int(image.rgb[std::size_t((y * 320 + x) * 3 + c)]); };
  for (const float value : {2.01f, 3.0f, 4.0f, 5.99f}) {
    const float s = (value - 2) / 4;
    const int y = place.top + std::min(place.height - 1, int((1 - s) * float(place.height)));
    const Vec3<float> c = color_of(s);
    for (int a = 0; a < 3; ++a) EXPECT_NEAR(byte(place.left + 3, y, a), 255 * c[a], 6) << value;
  }
  EXPECT_EQ(byte(10, 90, 0), 128);  // the rest of the picture is left alone
  int bright = 0;                   // ticks, their numbers and the label
  for (int y = 0; y < 180; ++y)
    for (int x = place.left + place.width; x < 320; ++x) bright += byte(x, y, 0) > 200;
  EXPECT_GT(bright, 100);
}

TEST(color_bar, fits_into_pictures_of_any_size) {
  for (const int width : {16, 40, 2000}) {
    ByteImage image{width, 16, std::vector<std::uint8_t>(std::size_t(width) * 16 * 3, 0)};
    draw_color_bar(image, {0, 1}, "a label that is longer than the picture");
    EXPECT_EQ(image.rgb.size(), std::size_t(width) * 16 * 3);
  }
}

TEST(font, letters_differ) {
  std::set<std::string> forms;
  const std::string all = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.,:-+_/()[]^%='*";
  for (const char c : all)
    forms.insert(std::string(reinterpret_cast<const char*>(glyph_of(c)), glyph_height));
  EXPECT_EQ(forms.size(), all.size());
  EXPECT_EQ(glyph_of('\x01'), glyph_of('\xfe'));
  EXPECT_EQ(text_width("ab", 2), 22);
}

ParticleFrame moving_frame() {
  ParticleFrame frame;
  for (int i = 0; i < 1000; ++i) test::add_particle(frame, {float(i), 0, 0}, 1);
  frame.attributes.push_back({"velocity", 3, {}});
  frame.attributes.push_back({"stress", 6, {}});
  for (int i = 0; i < 1000; ++i) {
    const float s = 0.001f * float(i);
    frame.attributes[1].values.insert(frame.attributes[1].values.end(), {3 * s, 0, 4 * s});
    frame.attributes[2].values.insert(frame.attributes[2].values.end(), {-s, -2 * s, -3 * s, 9, 9, 9});
  }
  return frame;
}

TEST(quantity, speed_and_pressure_are_derived) {
  const ParticleFrame frame = moving_frame();
  EXPECT_NEAR(values_of_quantity(frame, "speed")[500], 2.5f, 1e-5f);
  EXPECT_NEAR(values_of_quantity(frame, "velocity")[500], 2.5f, 1e-5f);
  EXPECT_NEAR(values_of_quantity(frame, "pressure")[500], 1.0f, 1e-5f);
  EXPECT_EQ(values_of_quantity(frame, "volume")[500], 1);
  EXPECT_EQ(quantity_label("speed"), "speed [m/s]");
  EXPECT_EQ(quantity_label("weak"), "weak");
  try {
    (void)values_of_quantity(frame, "sped");
    FAIL();
  } catch (const std::invalid_argument& e) {
    for (const char* word : {"sped", "speed", "pressure", "volume", "stress"})
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << word;
  }
}

TEST(quantity, ranges_leave_out_strays) {
  std::vector<float> values;
  for (int i = 0; i <= 1000; ++i) values.push_back(float(i));
  values.push_back(1e9f);
  values.push_back(NAN);
  const auto range = range_of(values);
  EXPECT_NEAR(range[0], 2, 1);
  EXPECT_NEAR(range[1], 999, 1);
  EXPECT_LT(range_of({5, 5, 5})[0], range_of({5, 5, 5})[1]);
  EXPECT_LT(range_of({})[0], range_of({})[1]);
  EXPECT_EQ(parse_range("-1:2.5"), (std::array<float, 2>{-1, 2.5f}));
  for (const char* bad : {"", "1", "2:1", "1:1", "a:b", "1:2x", "1:inf", ":"})
    EXPECT_THROW(parse_range(bad), std::invalid_argument) << bad;
}

TEST(looks, sand_has_the_colours_and_shares_of_the_paper) {
  const Shading sand = shading_of("sand");
  int base = 0, dark = 0, white = 0;
  for (std::uint64_t id = 0; id < 20000; ++id) {
    const Vec3<float> c = grain_color(sand, id);
    const float blue = c.z / c.x;
    if (blue > 0.95f)
      ++white;
    else if (c.x < 0.2f)
      ++dark;
    else
      ++base;
  }
  EXPECT_NEAR(base / 20000.0, 0.85, 0.01);
  EXPECT_NEAR(dark / 20000.0, 0.10, 0.01);
  EXPECT_NEAR(white / 20000.0, 0.05, 0.01);
}

TEST(looks, a_colour_of_the_scene_replaces_that_of_the_look) {
  Material material{"m", "herschel-bulkley", {}};
  EXPECT_EQ(look_of(material), "foam");
  material.look = "rubber";
  material.color = Double3{0, 1, 0};
  const Shading shading = material_shadings({material})[0];
  EXPECT_EQ(shading.color.y, 1);
  EXPECT_EQ(shading.color.x, 0);
  EXPECT_EQ(shading.roughness, shading_of("rubber").roughness);
  EXPECT_NEAR(linear_of_srgb({0.5, 0, 0}).x, 0.2140f, 1e-3f);
  const std::vector<Shading> alike = material_shadings({{"a", "von-mises", {}}, {"b", "von-mises", {}}});
  EXPECT_GT(norm(alike[0].color - alike[1].color), 0.1f);
}

}  // namespace
}  // namespace dollop
