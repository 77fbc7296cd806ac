// Reads classic .bgeo files, version 5. It is written from the description of the format alone and shares no code with
// the writer, so that the two agree only if both are right.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace bgeo_decoder {

struct Channel {
  int type = -1;  // 0 float, 1 integer, 5 vector
  unsigned size = 0;
  std::vector<double> values;
};

struct Geometry {
  std::size_t points = 0;
  std::vector<double> xyzw;
  std::vector<std::string> order;
  std::map<std::string, Channel> channels;
};

class Bytes {
 public:
  explicit Bytes(const std::string& file) : file_(file) {}
  unsigned next() {
    if (at_ >= file_.size()) throw std::runtime_error("bgeo: unexpected end");
    return static_cast<unsigned char>(file_[at_++]);
  }
  std::uint64_t big(int bytes) {
    std::uint64_t value = 0;
    while (bytes-- > 0) value = value * 256 + next();
    return value;
  }
  std::int64_t integer() {
    const auto raw = std::int64_t(big(4));
    return raw >= (std::int64_t(1) << 31) ? raw - (std::int64_t(1) << 32) : raw;
  }
  // a float, decoded by the definition of IEEE 754
  double real() {
    const std::uint64_t raw = big(4);
    const int exponent = int(raw >> 23 & 255);
    const double fraction = double(raw & 0x7fffff) / double(1 << 23);
    const double sign = raw >> 31 ? -1 : 1;
    if (exponent == 255) return fraction == 0 ? sign * INFINITY : NAN;
    return exponent == 0 ? sign * std::ldexp(fraction, -126)
                         : sign * std::ldexp(1 + fraction, exponent - 127);
  }
  std::string text(std::size_t length) {
    std::string word;
    while (word.size() < length) word += char(next());
    return word;
  }
  bool at_end() const { return at_ == file_.size(); }

 private:
  const std::string& file_;
  std::size_t at_ = 0;
};

inline void expect(bool condition, const char* what) {
  if (!condition) throw std::runtime_error(std::string("bgeo: ") + what);
}

inline Geometry decode(const std::string& file) {
  Bytes in(file);
  Geometry geometry;
  expect(in.text(4) == "Bgeo", "magic");
  expect(in.text(1) == "V", "version mark");
  expect(in.integer() == 5, "version");
  geometry.points = std::size_t(in.integer());
  expect(in.integer() == 0, "primitives");
  expect(in.integer() == 0, "point groups");
  expect(in.integer() == 0, "primitive groups");
  const auto attributes = in.integer();
  expect(in.integer() == 0, "vertex attributes");
  expect(in.integer() == 0, "primitive attributes");
  expect(in.integer() == 0, "detail attributes");

  for (std::int64_t i = 0; i < attributes; ++i) {
    const std::string name = in.text(in.big(2));
    Channel channel;
    channel.size = unsigned(in.big(2));
    channel.type = int(in.integer());
    expect(channel.type == 0 || channel.type == 1 || channel.type == 5, "type of an attribute");
    for (unsigned k = 0; k < channel.size; ++k) expect(in.integer() == 0, "default of an attribute");
    geometry.order.push_back(name);
    expect(geometry.channels.emplace(name, channel).second, "two attributes of one name");
  }
  for (std::size_t p = 0; p < geometry.points; ++p) {
    for (int k = 0; k < 4; ++k) geometry.xyzw.push_back(in.real());
    for (const std::string& name : geometry.order) {
      Channel& channel = geometry.channels[name];
      for (unsigned k = 0; k < channel.size; ++k)
        channel.values.push_back(channel.type == 1 ? double(in.integer()) : in.real());
    }
  }
  expect(in.next() == 0x00 && in.next() == 0xff, "mark of the end");
  expect(in.at_end(), "bytes after the end");
  return geometry;
}

}  // namespace bgeo_decoder
