#include "view/packet.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace dollop {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr float max_level = 65535;
constexpr float infinity = std::numeric_limits<float>::infinity();

struct Range {
  float low = infinity, high = -infinity;
  void add(float value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  void finish() {
    if (!(low <= high)) low = high = 0;
  }
  std::uint16_t quantised(float value) const {
    // in double: the difference of two large floats may overflow
    const double width = double(high) - double(low);
    if (!std::isfinite(value) || !(width > 0)) return 0;
    return std::uint16_t(
        std::lround(std::clamp((double(value) - double(low)) / width, 0.0, 1.0) * max_level));
  }
};

void append_number(std::uint32_t value, std::string& text) {
  text.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void pad(std::string& text, char with) {
  while (text.size() % 4 != 0) text += with;
}

// the value below which this fraction of all values lies
float percentile(const std::vector<std::uint32_t>& counts, std::size_t n, double fraction,
                 const Range& range) {
  std::size_t below = 0, bin = 0;
  while (bin + 1 < counts.size() && double(below + counts[bin]) <= fraction * double(n))
    below += counts[bin++];
  return float(double(range.low) + (double(range.high) - double(range.low)) * double(bin) / max_level);
}

}  // namespace

void Packet::add_bytes(std::string_view name, const char* type, int components, const void* data,
                       std::size_t size) {
  pad(data_, '\0');
  arrays_.raw(name, JsonObject()
                        .text("type", type)
                        .number("components", components)
                        .number("offset", double(data_.size()))
                        .number("bytes", double(size))
                        .str());
  data_.append(static_cast<const char*>(data), size);
}

void Packet::add(std::string_view name, std::span<const std::uint8_t> values, int components) {
  add_bytes(name, "u8", components, values.data(), values.size_bytes());
}
void Packet::add(std::string_view name, std::span<const std::int8_t> values, int components) {
  add_bytes(name, "i8", components, values.data(), values.size_bytes());
}
void Packet::add(std::string_view name, std::span<const std::uint16_t> values, int components) {
  add_bytes(name, "u16", components, values.data(), values.size_bytes());
}
void Packet::add(std::string_view name, std::span<const std::uint32_t> values, int components) {
  add_bytes(name, "u32", components, values.data(), values.size_bytes());
}

std::string Packet::bytes() const {
  JsonObject all = head;
  std::string json = all.raw("arrays", arrays_.str()).str();
  pad(json, ' ');
  std::string text = "DOLLOP1\n";
  text.reserve(12 + json.size() + data_.size());
  append_number(std::uint32_t(json.size()), text);
  return text + json + data_;
}

Quantised quantise(const std::vector<float>& values) {
  Range range;
  for (const float value : values) range.add(value);
  range.finish();
  Quantised result{.low = range.low, .high = range.high};
  result.values.resize(values.size());
  std::vector<std::uint32_t> counts(65536, 0);
  for (std::size_t i = 0; i < values.size(); ++i) ++counts[result.values[i] = range.quantised(values[i])];
  result.usual_low = percentile(counts, values.size(), 0.01, range);
  result.usual_high = percentile(counts, values.size(), 0.99, range);
  return result;
}

QuantisedPoints quantise_points(std::span<const float> points) {
  std::array<Range, 3> ranges;
  for (std::size_t i = 0; i < points.size(); ++i) ranges[i % 3].add(points[i]);
  QuantisedPoints result;
  for (std::size_t a = 0; a < 3; ++a) {
    ranges[a].finish();
    result.low[a] = ranges[a].low;
    result.high[a] = ranges[a].high;
  }
  result.values.resize(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) result.values[i] = ranges[i % 3].quantised(points[i]);
  return result;
}

}  // namespace dollop
