// Images: linear RGB, and 8 bit sRGB for PNG files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "math/vec.h"

namespace dollop {

// Linear RGB radiance, row by row from the top left.
struct Image {
  int width = 0, height = 0;
  std::vector<Vec3<float>> pixels = {};

  Image() = default;
  Image(int width_, int height_)
      : width(width_), height(height_), pixels(std::size_t(width_) * height_, Vec3<float>{0, 0, 0}) {}
  Vec3<float>& at(int x, int y) { return pixels[std::size_t(y) * width + x]; }
  const Vec3<float>& at(int x, int y) const { return pixels[std::size_t(y) * width + x]; }
};

// sRGB, three bytes per pixel.
struct ByteImage {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb = {};
};

float tone_map(float light);             // compresses highlights smoothly towards 1
std::uint8_t to_srgb_byte(float light);  // clamps to [0, 1] and applies the sRGB transfer function
ByteImage develop(const Image& image);   // tone mapping and sRGB

// Throw std::runtime_error if the picture cannot be encoded or written. `note`: a text that the file holds beside the
// picture.
std::vector<std::uint8_t> encode_png(const ByteImage& image, const std::string& note = {});
void write_png(std::ostream& out, const ByteImage& image);
// writes an AtomicFile, so that a file that exists is complete; throws OutputError
void write_png(const std::filesystem::path& path, const ByteImage& image, const std::string& note = {});
// the note of such a file; empty if it has none or cannot be read
std::string note_of_png(const std::filesystem::path& path);

}  // namespace dollop
