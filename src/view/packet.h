// The binary format of arrays for the web page: "DOLLOP1\n", the length of a JSON object in 4 bytes, the object, and
// the arrays that it describes, each at a multiple of 4 bytes after the object. Numbers are little endian.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "view/json_object.h"

namespace dollop {

class Packet {
 public:
  JsonObject head = {};

  // `components`: numbers per entry
  void add(std::string_view name, std::span<const std::uint8_t> values, int components);
  void add(std::string_view name, std::span<const std::int8_t> values, int components);
  void add(std::string_view name, std::span<const std::uint16_t> values, int components);
  void add(std::string_view name, std::span<const std::uint32_t> values, int components);
  std::string bytes() const;

 private:
  void add_bytes(std::string_view name, const char* type, int components, const void* data, std::size_t size);
  JsonObject arrays_ = {};
  std::string data_ = {};
};

// Numbers quantised to 16 bits between their minimum and maximum. Values that are not finite become the minimum.
struct Quantised {
  float low = 0, high = 0;
  float usual_low = 0, usual_high = 0;  // 1st and 99th percentile
  std::vector<std::uint16_t> values = {};
};
Quantised quantise(const std::vector<float>& values);

// Interleaved coordinates x, y, z, each axis quantised by itself.
struct QuantisedPoints {
  std::array<float, 3> low{}, high{};
  std::vector<std::uint16_t> values = {};
};
QuantisedPoints quantise_points(std::span<const float> points);

}  // namespace dollop
