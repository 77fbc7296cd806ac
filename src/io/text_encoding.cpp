#include "io/text_encoding.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace dollop {
namespace {

constexpr std::uint32_t replacement = 0xFFFD;  // of what is no character

unsigned byte_at(const std::string& bytes, std::size_t i) { return static_cast<unsigned char>(bytes[i]); }

void append(std::string& text, std::uint32_t c) {
  const auto put = [&](std::uint32_t byte) { text += char(byte); };
  if (c < 0x80) return put(c);
  if (c < 0x800) return put(0xC0 | c >> 6), put(0x80 | (c & 0x3F));
  if (c < 0x10000) return put(0xE0 | c >> 12), put(0x80 | (c >> 6 & 0x3F)), put(0x80 | (c & 0x3F));
  put(0xF0 | c >> 18), put(0x80 | (c >> 12 & 0x3F)), put(0x80 | (c >> 6 & 0x3F)), put(0x80 | (c & 0x3F));
}

std::string from_utf16(const std::string& bytes, std::size_t begin, bool big_endian) {
  std::string text;
  const auto unit = [&](std::size_t i) -> std::uint32_t {
    return big_endian ? byte_at(bytes, i) << 8 | byte_at(bytes, i + 1)
                      : byte_at(bytes, i + 1) << 8 | byte_at(bytes, i);
  };
  for (std::size_t i = begin; i + 1 < bytes.size(); i += 2) {
    const std::uint32_t c = unit(i);
    const bool high = c >= 0xD800 && c < 0xDC00, low = c >= 0xDC00 && c < 0xE000;
    const std::uint32_t next = high && i + 3 < bytes.size() ? unit(i + 2) : 0;
    if (high && next >= 0xDC00 && next < 0xE000)
      append(text, 0x10000 + ((c - 0xD800) << 10) + (next - 0xDC00)), i += 2;
    else
      append(text, high || low ? replacement : c);
  }
  return text;
}

// 0: not UTF-16; 1: big endian; 2: little endian. Text of western languages has a zero in most of its units.
int zeros_of_utf16(const std::string& bytes) {
  const std::size_t size = std::min<std::size_t>(bytes.size(), 4096) / 2 * 2;
  std::size_t even = 0, odd = 0;
  for (std::size_t i = 0; i < size; i += 2) even += bytes[i] == 0, odd += bytes[i + 1] == 0;
  if (even > size / 4 && odd < even / 8) return 1;
  return odd > size / 4 && even < odd / 8 ? 2 : 0;
}

// length of the character of UTF-8 at a place; 0: there is none
std::size_t utf8_length(const std::string& bytes, std::size_t i) {
  const unsigned lead = byte_at(bytes, i);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xC2 ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  if (i + length > bytes.size()) return 0;
  for (std::size_t k = 1; k < length; ++k)
    if ((byte_at(bytes, i + k) & 0xC0) != 0x80) return 0;
  return length;
}

bool is_utf8(const std::string& bytes) {
  for (std::size_t i = 0; i < bytes.size();) {
    const std::size_t length = utf8_length(bytes, i);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

std::string from_windows_1252(const std::string& bytes) {
  // 80 to 9F; the rest is as in Unicode
  constexpr std::array<std::uint16_t, 32> special{
      0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
      0x2039, 0x0152, 0x8D,   0x017D, 0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
      0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178};
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const unsigned c = byte_at(bytes, i);
    append(text, c >= 0x80 && c < 0xA0 ? special[c - 0x80] : c);
  }
  return text;
}

}  // namespace

std::string to_utf8(const std::string& bytes) {
  const std::string_view all = bytes;
  if (all.starts_with("\xFE\xFF")) return from_utf16(bytes, 2, true);
  if (all.starts_with("\xFF\xFE")) return from_utf16(bytes, 2, false);
  if (const int order = zeros_of_utf16(bytes); order > 0) return from_utf16(bytes, 0, order == 1);
  return is_utf8(bytes) ? bytes : from_windows_1252(bytes);
}

}  // namespace dollop
