#include "boundary/off_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace dollop {
namespace {

constexpr std::array headers{"OFF", "COFF", "NOFF", "CNOFF", "STOFF", "STCOFF", "STNOFF", "STCNOFF"};
constexpr double most_corners = 9;  // of a face that assimp reads

[[noreturn]] void fail(const std::string& reason) { throw std::runtime_error(reason); }

// The lines with something on them, without their comments.
class Lines {
 public:
  explicit Lines(const std::string& text) : in_(text) {}

  void next() {
    do {
      if (!std::getline(in_, line_)) fail("it ends too early");
      ++number_;
      line_.resize(std::min(line_.find('#'), line_.size()));
    } while (line_.find_first_not_of(blanks) == std::string::npos);
    next_ = line_.c_str();
  }
  // the next word of this line; empty at its end
  std::string word() {
    const std::size_t at = std::size_t(next_ - line_.c_str());
    const std::size_t begin = std::min(line_.find_first_not_of(blanks, at), line_.size());
    const std::size_t end = std::min(line_.find_first_of(blanks, begin), line_.size());
    next_ = line_.c_str() + end;
    return line_.substr(begin, end - begin);
  }
  double number() {
    char* end = nullptr;
    const double value = std::strtod(next_, &end);
    if (end == next_) fail(fmt::format("it lacks a number in line {}", number_));
    next_ = end;
    return value;
  }
  bool at_end() const {
    return line_.find_first_not_of(blanks, std::size_t(next_ - line_.c_str())) == std::string::npos;
  }

 private:
  static constexpr const char* blanks = " \t\r\f\v";
  std::istringstream in_;
  std::string line_;
  const char* next_ = nullptr;  // in the line
  std::int64_t number_ = 0;     // of the line, from 1
};

// points, faces and edges, which may stand behind the first word
std::array<double, 3> read_counts(Lines& lines, const std::string& text) {
  lines.next();
  if (std::find(headers.begin(), headers.end(), lines.word()) == headers.end())
    fail("it does not begin with OFF, COFF or NOFF");
  std::array<double, 3> counts{};
  for (double& count : counts) {
    if (lines.at_end()) lines.next();
    count = lines.number();
    if (!(count >= 0) || count != std::floor(count)) fail(fmt::format("it has a count of {}", count));
    if (count > double(text.size())) fail("its header promises more than it holds");
  }
  if (!lines.at_end()) fail("its header has more than three counts");
  return counts;
}

void copy_point(Lines& lines, std::string& plain) {
  lines.next();
  for (int axis = 0; axis < 3; ++axis) {
    const auto x = float(lines.number());
    if (!std::isfinite(x)) fail("it has a coordinate that is not finite");
    fmt::format_to(std::back_inserter(plain), "{} ", x);
  }
  plain += '\n';
}

// whether the face has an area
bool copy_face(Lines& lines, double points, std::string& plain) {
  lines.next();
  const double corners = lines.number();
  if (!(corners >= 0) || corners != std::floor(corners)) fail(fmt::format("a face has {} corners", corners));
  if (corners > most_corners)
    fail(fmt::format("a face has {} corners; at most {} can be read", corners, most_corners));
  if (corners < 3) return false;
  fmt::format_to(std::back_inserter(plain), "{}", int(corners));
  for (int k = 0; k < int(corners); ++k) {
    const double corner = lines.number();
    if (!(corner >= 0 && corner < points) || corner != std::floor(corner))
      fail("a face names a vertex that is not there");
    fmt::format_to(std::back_inserter(plain), " {:.0f}", corner);
  }
  plain += '\n';
  return true;
}

}  // namespace

std::string plain_off(const std::string& text) {
  Lines lines(text);
  const auto [points, faces, edges] = read_counts(lines, text);
  std::string points_text, faces_text;
  for (double i = 0; i < points; ++i) copy_point(lines, points_text);
  std::int64_t kept = 0;
  for (double i = 0; i < faces; ++i) kept += copy_face(lines, points, faces_text) ? 1 : 0;
  return fmt::format("OFF\n{:.0f} {} 0\n", points, kept) + points_text + faces_text;
}

}  // namespace dollop
