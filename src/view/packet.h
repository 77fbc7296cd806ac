// Arrays for the page in one piece of bytes: "DOLLOP1\n", the length of a JSON object in 4 bytes, the object, and the
// arrays it tells of, each at a multiple of 4 bytes after the object. Numbers are little endian.
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

  // `components` numbers an entry
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

// Numbers as 16 bits between their least and largest. What is not finite becomes the least.
struct Quantised {
  float low = 0, high = 0;
  float usual_low = 0, usual_high = 0;  // all but one in a hundred on either side
  std::vector<std::uint16_t> values = {};
};
Quantised quantise(const std::vector<float>& values);

// Every third number is of one axis.
struct QuantisedPoints {
  std::array<float, 3> low{}, high{};
  std::vector<std::uint16_t> values = {};
};
QuantisedPoints quantise_points(std::span<const float> points);

}  // namespace dollop
