#include "render/image.h"

#include <gtest/gtest.h>
#include <png.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <sstream>

namespace dollop {
namespace {

ByteImage pattern() {
  ByteImage image{37, 23, {}};
  for (int i = 0; i < 37 * 23 * 3; ++i) image.rgb.push_back(std::uint8_t(i * 7 + i / 111 * 31));
  return image;
}

std::vector<std::uint8_t> decode(const std::string& file) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  EXPECT_TRUE(png_image_begin_read_from_memory(&header, file.data(), file.size())) << header.message;
  EXPECT_EQ(header.width, 37u);
  EXPECT_EQ(header.height, 23u);
  EXPECT_EQ(header.format, png_uint_32(PNG_FORMAT_RGB));
  std::vector<std::uint8_t> pixels(PNG_IMAGE_SIZE(header));
  EXPECT_TRUE(png_image_finish_read(&header, nullptr, pixels.data(), 0, nullptr)) << header.message;
  return pixels;
}

TEST(image, png_decodes_to_the_same_bytes) {
  std::ostringstream out;
  write_png(out, pattern());
  EXPECT_EQ(decode(out.str()), pattern().rgb);
}

TEST(image, png_file_is_whole_and_leaves_no_temporary) {
  const auto folder =
      std::filesystem::path(testing::TempDir()) / ("dollop_image_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  write_png(folder / "a.png", pattern());
  std::ifstream in(folder / "a.png", std::ios::binary);
  EXPECT_EQ(decode({std::istreambuf_iterator<char>(in), {}}), pattern().rgb);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  std::filesystem::remove_all(folder);
}

TEST(image, png_file_keeps_a_note) {
  const auto file =
      std::filesystem::path(testing::TempDir()) / ("dollop_note_" + std::to_string(getpid()) + ".png");
  write_png(file, pattern(), "0123abcd");
  std::ifstream in(file, std::ios::binary);
  EXPECT_EQ(decode({std::istreambuf_iterator<char>(in), {}}), pattern().rgb);
  EXPECT_EQ(note_of_png(file), "0123abcd");
  write_png(file, pattern());
  EXPECT_EQ(note_of_png(file), "");
  std::ofstream(file) << "no picture";
  EXPECT_EQ(note_of_png(file), "");
  std::filesystem::remove(file);
  EXPECT_EQ(note_of_png(file), "");
}

TEST(image, refuses_what_is_no_picture) {
  EXPECT_THROW(encode_png(ByteImage{4, 4, {1, 2, 3}}), std::runtime_error);
  EXPECT_THROW(encode_png(ByteImage{}), std::runtime_error);
  EXPECT_THROW(write_png(std::filesystem::path("/no/such/folder/a.png"), pattern()), std::runtime_error);
}

TEST(image, srgb_of_known_values) {
  EXPECT_EQ(to_srgb_byte(-1), 0);
  EXPECT_EQ(to_srgb_byte(0), 0);
  EXPECT_EQ(to_srgb_byte(0.21404114f), 128);  // IEC 61966-2-1
  EXPECT_EQ(to_srgb_byte(1), 255);
  EXPECT_EQ(to_srgb_byte(9), 255);
}

TEST(image, tone_map_rises_and_stays_below_one) {
  float before = -1;
  for (float light = 0; light < 4; light += 0.05f) {
    EXPECT_GT(tone_map(light), before);
    before = tone_map(light);
  }
  EXPECT_LE(tone_map(1e6f), 1);
  EXPECT_EQ(tone_map(-3), 0);
}

TEST(image, develops_row_by_row) {
  Image image(2, 2);
  image.at(1, 0) = {100, 0, 0};
  image.at(0, 1) = {0, 0, 100};
  const std::vector<std::uint8_t> expected{0, 0, 0, 255, 0, 0, 0, 0, 255, 0, 0, 0};
  EXPECT_EQ(develop(image).rgb, expected);
}

}  // namespace
}  // namespace dollop
