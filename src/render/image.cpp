#include "render/image.h"

#include <fmt/format.h>
#include <png.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <ostream>
#include <stdexcept>
#include <string_view>

#include "io/atomic_file.h"

namespace dollop {
namespace {

constexpr std::ptrdiff_t after_header = 8 + 25;  // bytes of a PNG file: its signature and its chunk IHDR
constexpr std::string_view note_keyword{"Dollop\0", 7};  // of the chunk tEXt, with the zero that ends it

// the four bytes of a number, the highest first
std::string bytes_of(std::uint32_t number) {
  std::string bytes(4, '\0');
  for (std::size_t k = 0; k < 4; ++k) bytes[k] = char(number >> (24 - 8 * k));
  return bytes;
}

// a chunk tEXt: the length of the data, the type, the data, and a checksum of type and data
std::string note_chunk(const std::string& note) {
  const std::string body = "tEXt" + std::string(note_keyword) + note;
  const uLong sum = crc32(0, reinterpret_cast<const Bytef*>(body.data()), uInt(body.size()));
  return bytes_of(std::uint32_t(body.size() - 4)) + body + bytes_of(std::uint32_t(sum));
}

}  // namespace

// a rational fit of the ACES filmic tone curve (Narkowicz 2015)
float tone_map(float light) {
  const float v = std::max(light, 0.0f);
  return std::min(v * (2.51f * v + 0.03f) / (v * (2.43f * v + 0.59f) + 0.14f), 1.0f);
}

std::uint8_t to_srgb_byte(float light) {
  const float v = std::clamp(light, 0.0f, 1.0f);
  const float s = v <= 0.0031308f ? 12.92f * v : 1.055f * std::pow(v, 1 / 2.4f) - 0.055f;
  return std::uint8_t(std::lround(255 * s));
}

ByteImage develop(const Image& image) {
  ByteImage bytes{image.width, image.height, {}};
  bytes.rgb.reserve(image.pixels.size() * 3);
  for (const Vec3<float>& pixel : image.pixels)
    for (int c = 0; c < 3; ++c) bytes.rgb.push_back(to_srgb_byte(tone_map(pixel[c])));
  return bytes;
}

std::vector<std::uint8_t> encode_png(const ByteImage& image, const std::string& note) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = png_uint_32(image.width);
  header.height = png_uint_32(image.height);
  header.format = PNG_FORMAT_RGB;
  header.flags = PNG_IMAGE_FLAG_FAST;
  std::vector<std::uint8_t> file(PNG_IMAGE_PNG_SIZE_MAX(header));
  png_alloc_size_t size = file.size();
  const bool consistent = image.width > 0 && image.height > 0 &&
                          image.rgb.size() == std::size_t(image.width) * std::size_t(image.height) * 3;
  if (!consistent) throw std::runtime_error("a picture needs a width, a height and three bytes a pixel");
  if (!png_image_write_to_memory(&header, file.data(), &size, 0, image.rgb.data(), 0, nullptr))
    throw std::runtime_error(fmt::format("libpng cannot encode a picture: {}", header.message));
  file.resize(size);
  if (!note.empty()) {
    const std::string chunk = note_chunk(note);
    file.insert(file.begin() + after_header, chunk.begin(), chunk.end());
  }
  return file;
}

void write_png(std::ostream& out, const ByteImage& image) {
  const std::vector<std::uint8_t> file = encode_png(image);
  out.write(reinterpret_cast<const char*>(file.data()), std::streamsize(file.size()));
  if (!out) throw std::runtime_error("a picture cannot be written: is the disk full?");
}

void write_png(const std::filesystem::path& path, const ByteImage& image, const std::string& note) {
  const std::vector<std::uint8_t> file = encode_png(image, note);
  AtomicFile out(path);
  out.write(file.data(), file.size());
  out.commit();
}

std::string note_of_png(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::array<char, 8> start{};
  in.seekg(after_header);
  if (!in.read(start.data(), start.size())) return {};
  std::uint32_t length = 0;
  for (int k = 0; k < 4; ++k) length = length << 8 | std::uint8_t(start[std::size_t(k)]);
  constexpr std::uint32_t longest = 1000;  // longer texts are not ours
  if (std::string_view(start.data() + 4, 4) != "tEXt" || length > longest) return {};
  std::string text(length, '\0');
  if (!in.read(text.data(), std::streamsize(length)) || !text.starts_with(note_keyword)) return {};
  return text.substr(note_keyword.size());
}

}  // namespace dollop
