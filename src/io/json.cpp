#include "io/json.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>

namespace dollop {

namespace {

// Length of the UTF-8 sequence that starts here; 0 if it is not one (overlong and surrogate forms are not).
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? (unsigned char)(text[i]) : 0u; };
  const unsigned first = byte(0), second = byte(1);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xc2 && first < 0xe0   ? 2
                             : first >= 0xe0 && first < 0xf0 ? 3
                             : first >= 0xf0 && first < 0xf5 ? 4
                                                             : 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const bool bad = (first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) ||
                   (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90);
  return bad ? 0 : length;
}

// A recursive descent checker: each function skips the element it is named after, or returns false.
class Checker {
 public:
  explicit Checker(std::string_view text) : rest_(text) {}
  bool whole() { return value(0) && (spaces(), rest_.empty()); }

 private:
  static constexpr int max_depth = 64;  // guards the stack

  bool take(char c) {
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void spaces() {
    while (!rest_.empty() && std::string_view(" \t\r\n").find(rest_[0]) != std::string_view::npos)
      rest_.remove_prefix(1);
  }
  bool word(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  bool digits() {
    std::size_t n = 0;
    while (n < rest_.size() && rest_[n] >= '0' && rest_[n] <= '9') ++n;
    rest_.remove_prefix(n);
    return n > 0;
  }
  bool number() {
    take('-');
    if (!take('0') && !digits()) return false;
    if (take('.') && !digits()) return false;
    if (!take('e') && !take('E')) return true;
    if (!take('+')) take('-');
    return digits();
  }
  bool escape() {
    if (rest_.empty()) return false;
    const char c = rest_[0];
    rest_.remove_prefix(1);
    if (c != 'u') return std::string_view("\"\\/bfnrt").find(c) != std::string_view::npos;
    for (int i = 0; i < 4; ++i) {
      if (rest_.empty() ||
          std::string_view("0123456789abcdefABCDEF").find(rest_[0]) == std::string_view::npos)
        return false;
      rest_.remove_prefix(1);
    }
    return true;
  }
  bool string() {
    if (!take('"')) return false;
    while (!take('"')) {
      if (take('\\')) {
        if (!escape()) return false;
        continue;
      }
      const std::size_t length = utf8_length(rest_);
      if (rest_.empty() || length == 0 || (unsigned char)(rest_[0]) < 0x20) return false;
      rest_.remove_prefix(length);
    }
    return true;
  }
  // a list of elements in brackets, separated by commas
  template <class Member>
  bool list(char close, Member&& member) {
    spaces();
    if (take(close)) return true;
    do {
      if (!member()) return false;
      spaces();
    } while (take(','));
    return take(close);
  }
  bool value(int depth) {
    if (depth > max_depth) return false;
    spaces();
    if (take('[')) return list(']', [&] { return value(depth + 1); });
    if (take('{'))
      return list('}', [&] { return spaces(), string() && (spaces(), take(':')) && value(depth + 1); });
    if (rest_.starts_with('"')) return string();
    return word("null") || word("true") || word("false") || number();
  }

  std::string_view rest_;
};

}  // namespace

std::string json_number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : "null"; }

std::string json_string(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const char c = text[0];
    if (length == 0)
      quoted += "\xef\xbf\xbd";
    else if (c == '"' || c == '\\')
      (quoted += '\\') += c;
    else if (length == 1 && (unsigned char)(c) < 0x20)
      quoted += fmt::format("\\u{:04x}", int(c));
    else
      quoted += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return quoted + "\"";
}

bool is_json(std::string_view text) { return Checker(text).whole(); }

}  // namespace dollop
