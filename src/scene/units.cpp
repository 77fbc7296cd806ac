#include "scene/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <string_view>

#include "scene/document.h"

namespace dollop {
namespace {

struct Symbol {
  std::string_view name;
  Dimension dimension;  // powers of m, kg, s, rad
  double scale;
  bool takes_prefix;
};
constexpr double pi = std::numbers::pi;
constexpr Symbol symbols[] = {
    {"m", {{1, 0, 0, 0}}, 1, true},           {"g", {{0, 1, 0, 0}}, 1e-3, true},
    {"s", {{0, 0, 1, 0}}, 1, true},           {"min", {{0, 0, 1, 0}}, 60, false},
    {"h", {{0, 0, 1, 0}}, 3600, false},       {"N", {{1, 1, -2, 0}}, 1, true},
    {"Pa", {{-1, 1, -2, 0}}, 1, true},        {"bar", {{-1, 1, -2, 0}}, 1e5, true},
    {"J", {{2, 1, -2, 0}}, 1, true},          {"W", {{2, 1, -3, 0}}, 1, true},
    {"Hz", {{0, 0, -1, 0}}, 1, true},         {"fps", {{0, 0, -1, 0}}, 1, false},
    {"l", {{3, 0, 0, 0}}, 1e-3, true},        {"L", {{3, 0, 0, 0}}, 1e-3, true},
    {"rad", {{0, 0, 0, 1}}, 1, true},         {"deg", {{0, 0, 0, 1}}, pi / 180, false},
    {"°", {{0, 0, 0, 1}}, pi / 180, false},   {"rev", {{0, 0, 0, 1}}, 2 * pi, false},
    {"rpm", {{0, 0, -1, 1}}, pi / 30, false}, {"%", {{0, 0, 0, 0}}, 0.01, false},
    {"1", {{0, 0, 0, 0}}, 1, false},
};

struct Prefix {
  std::string_view name;
  int exponent;  // of ten
};
constexpr Prefix prefixes[] = {{"n", -9}, {"u", -6}, {"µ", -6}, {"μ", -6}, {"m", -3},
                               {"c", -2}, {"k", 3},  {"M", 6},  {"G", 9}};

struct Named {
  Dimension dimension;
  const char *name, *example;
};
constexpr Named named_dimensions[] = {
    {{{0, 0, 0, 0}}, "a pure number", "0.5"},
    {{{1, 0, 0, 0}}, "a length", "3 mm"},
    {{{2, 0, 0, 0}}, "an area", "2 cm^2"},
    {{{3, 0, 0, 0}}, "a volume", "5 cm^3"},
    {{{0, 1, 0, 0}}, "a mass", "20 g"},
    {{{0, 0, 1, 0}}, "a time", "10 ms"},
    {{{0, 0, -1, 0}}, "a rate", "30 Hz"},
    {{{0, 0, 0, 1}}, "an angle", "30 deg"},
    {{{1, 0, -1, 0}}, "a speed", "2 m/s"},
    {{{1, 0, -2, 0}}, "an acceleration", "9.81 m/s^2"},
    {{{0, 0, -1, 1}}, "an angular velocity", "90 deg/s"},
    {{{-3, 1, 0, 0}}, "a density", "1000 kg/m^3"},
    {{{-1, 1, -2, 0}}, "a stress", "0.29 kPa"},
    {{{-1, 1, -1, 0}}, "a viscosity", "27 Pa s"},
    {{{2, 0, -1, 0}}, "a kinematic viscosity", "2 cm^2/s"},
    {{{1, 1, -2, 0}}, "a force", "3 N"},
    {{{2, 1, -2, 0}}, "an energy or a torque", "5 J"},
    {{{1, 1, -1, 0}}, "a momentum", "2 kg m/s"},
    {{{2, 1, -1, 0}}, "an angular momentum", "2 kg m^2/s"},
};

// 10^n as the nearest double, so that "3 mm" is the number 0.003
double scaled_by_ten(double value, int exponent) {
  return exponent < 0 ? value / std::pow(10.0, -exponent) : value * std::pow(10.0, exponent);
}

struct Factor {
  Dimension dimension;
  double scale = 1;
  int ten = 0;  // power of ten, kept apart so that decimal numbers are rounded once
};

bool find_symbol(std::string_view word, Factor& factor) {
  for (const Symbol& symbol : symbols)
    if (symbol.name == word) {
      factor = {symbol.dimension, symbol.scale, 0};
      if (word == "g" || word == "l" || word == "L") factor.scale = 1, factor.ten = -3;
      if (word == "%") factor.scale = 1, factor.ten = -2;
      return true;
    }
  for (const Prefix& prefix : prefixes) {
    if (word.substr(0, prefix.name.size()) != prefix.name) continue;
    const std::string_view rest = word.substr(prefix.name.size());
    for (const Symbol& symbol : symbols)
      if (symbol.takes_prefix && symbol.name == rest && find_symbol(rest, factor)) {
        factor.ten += prefix.exponent;
        return true;
      }
  }
  return false;
}

constexpr const char* product_after_division = "a product after '/' can be read in two ways; write kg/m/s";

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Reads factors from left to right.
class UnitParser {
 public:
  explicit UnitParser(std::string_view text) : rest_(text) {}
  Factor total = {};

  std::string run() {
    int sign = 1;
    bool divided = false;
    if (std::count(rest_.begin(), rest_.end(), '%') > 1) return "there is more than one %";
    skip_blanks();
    while (!rest_.empty()) {
      if (const std::string fault = factor(sign); !fault.empty()) return fault;
      skip_blanks();
      if (rest_.empty()) return "";
      const char joint = rest_[0] == '/' || rest_[0] == '*' ? rest_[0] : ' ';
      if (joint != ' ') rest_.remove_prefix(1), skip_blanks();
      if (joint != '/' && divided) return product_after_division;
      sign = joint == '/' ? -1 : 1;
      divided = divided || joint == '/';
      if (rest_.empty()) return "the unit ends too early";
    }
    return "";
  }

 private:
  void skip_blanks() {
    while (!rest_.empty() && is_blank(rest_[0])) rest_.remove_prefix(1);
  }
  std::string factor(int sign) {
    const std::size_t end = std::min(rest_.find_first_of(" \t*/^"), rest_.size());
    std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(end);
    int power = 1;
    for (const auto& [mark, value] : {std::pair{"²", 2}, {"³", 3}})
      if (word.size() > 2 && word.substr(word.size() - 2) == mark) word.remove_suffix(2), power = value;
    if (!rest_.empty() && rest_[0] == '^') {
      rest_.remove_prefix(1);
      const auto [stop, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), power);
      if (error != std::errc() || std::abs(power) > 9) return "a power must be an integer from -9 to 9";
      rest_.remove_prefix(std::size_t(stop - rest_.data()));
    }
    Factor found;
    if (!find_symbol(word, found))
      return fmt::format(
          "'{}' is not a unit; there are m g s min h N Pa bar J W Hz rad deg rev rpm l %, with "
          "prefixes n u m c k M G",
          shown(std::string(word)));
    power *= sign;
    for (std::size_t d = 0; d < 4; ++d) total.dimension.powers[d] += power * found.dimension.powers[d];
    total.scale *= std::pow(found.scale, power);
    total.ten += power * found.ten;
    return "";
  }
  std::string_view rest_;
};

}  // namespace

std::string parse_unit(const std::string& text, Unit& unit) {
  UnitParser parser(text);
  const std::string fault = parser.run();
  unit = {parser.total.dimension, scaled_by_ten(parser.total.scale, parser.total.ten)};
  return fault;
}

namespace {

bool read_number(std::string_view text, double& value) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && stop == text.data() + text.size();
}

// The unit of K in K rate^n: a stress times a time to the power `index`, which is written as a number or as n. A time
// without a power makes it a viscosity, which is allowed for n = 1 only.
std::string parse_consistency(const std::string& text, const std::string& index, double& value) {
  const std::size_t end = text.find_last_not_of(" \t") + 1, joint = text.find_last_of(" \t*", end - 1);
  const std::string last = joint < end ? text.substr(joint + 1, end - joint - 1) : "";
  const std::string time = last.substr(0, last.find('^')), power = last.substr(time.size());
  const std::string stress = text.substr(0, text.find_last_not_of(" \t*", joint) + 1);
  Unit unit;
  double ignored = 0, n = 1, written = 1;
  const bool known = read_number(index, n);
  const std::string no_viscosity = fmt::format("expected \"3 Pa s^{}\", got a viscosity", index);
  if (last.empty() || !parse_unit(time, unit).empty() || unit.dimension != Dimension{{0, 0, 1, 0}} ||
      parse_quantity(stress, "", ignored).empty()) {
    const std::string fault = parse_quantity(text, "Pa s", value);
    if (fault.empty() && known && n != 1 && !parse_quantity(text, "", ignored).empty()) return no_viscosity;
    return fault;
  }
  if (stress.find('/') != std::string::npos) return product_after_division;
  const bool has_power = !power.empty() && power != "^n";
  if (has_power && !read_number(std::string_view(power).substr(1), written))
    return fmt::format("the power in '{}' must be a number or n", shown(last));
  if (has_power && known && std::fabs(written - n) > 1e-6)
    return fmt::format("the power {} of the time is not the n = {} of the material", written, n);
  if (!has_power && !known && unit.scale != 1)
    return fmt::format("the power of the time is not known; write s^n or, for example, {}^0.5", time);
  if (const std::string fault = parse_quantity(stress, "Pa", value); !fault.empty()) return fault;
  if (power.empty() && known && n != 1) return no_viscosity;
  if (unit.scale != 1) value *= std::pow(unit.scale, known ? n : written);
  return "";
}

}  // namespace

std::string parse_quantity(const std::string& text, const std::string& si_unit, double& value) {
  if (const std::string consistency = "Pa s^"; si_unit.rfind(consistency, 0) == 0)
    return parse_consistency(text, si_unit.substr(consistency.size()), value);
  std::string_view rest = text;
  while (!rest.empty() && is_blank(rest[0])) rest.remove_prefix(1);
  while (!rest.empty() && is_blank(rest.back())) rest.remove_suffix(1);
  const bool plus = rest.size() > 1 && rest[0] == '+' && rest[1] != '-';
  if (plus) rest.remove_prefix(1);
  double number = 0;
  const char* number_begin = rest.data();
  const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  Unit expected;
  parse_unit(si_unit, expected);
  if (error == std::errc::result_out_of_range)
    return fmt::format("the number in \"{}\" is too large", shown(text));
  if (error != std::errc())
    return fmt::format("expected {}, got \"{}\"", dimension_example(expected.dimension), shown(text));
  if (!std::isfinite(number)) return "the number must be finite";
  rest.remove_prefix(std::size_t(stop - rest.data()));
  if (rest.size() > 1 && rest[0] == ',' && rest[1] >= '0' && rest[1] <= '9') {
    std::string with_point = text;
    with_point.replace(with_point.find(','), 1, ".");
    return fmt::format("a number has a decimal point: write \"{}\"", shown(with_point));
  }
  UnitParser parser(rest);
  if (const std::string fault = parser.run(); !fault.empty()) return fault;
  const bool has_unit = rest.find_first_not_of(" \t") != std::string_view::npos;
  if (has_unit && parser.total.dimension != expected.dimension)
    return fmt::format("expected {}, got {}", dimension_example(expected.dimension),
                       dimension_name(parser.total.dimension));
  // the number and its power of ten are read as one decimal: "0.29 kPa" is 290 and not 290 + 6e-14
  const std::string digits(number_begin, stop);
  if (parser.total.ten != 0 && digits.find_first_of("eE") == std::string::npos) {
    const std::string decimal = fmt::format("{}e{}", digits, parser.total.ten);
    std::from_chars(decimal.data(), decimal.data() + decimal.size(), number);
    parser.total.ten = 0;
  }
  value = scaled_by_ten(number * parser.total.scale, parser.total.ten);
  if (!std::isfinite(value)) return fmt::format("the number in \"{}\" is too large", shown(text));
  return "";
}

std::string dimension_name(const Dimension& dimension) {
  for (const Named& named : named_dimensions)
    if (named.dimension == dimension) return named.name;
  constexpr const char* bases[] = {"m", "kg", "s", "rad"};
  std::string result;
  for (std::size_t d = 0; d < 4; ++d)
    if (const int power = dimension.powers[d]; power != 0)
      result += fmt::format("{}{}{}", result.empty() ? "" : " ", bases[d],
                            power == 1 ? "" : fmt::format("^{}", power));
  return "something in " + result;
}

std::string dimension_example(const Dimension& dimension) {
  if (dimension.is_pure()) return "a pure number";
  for (const Named& named : named_dimensions)
    if (named.dimension == dimension) return fmt::format("{} such as \"{}\"", named.name, named.example);
  return dimension_name(dimension);
}

}  // namespace dollop
