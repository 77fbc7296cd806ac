#include "io/measured_flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <set>

namespace dollop {
namespace {

struct Field {
  std::string text;
  int line, column;  // from 1

  [[noreturn]] void fail(const std::string& message) const {
    throw MeasuredFlowError(line, column, std::max(1, int(text.size())), message);
  }
  std::string shown() const {  // short, and without what a terminal would act on
    std::string out = text.substr(0, 40);
    for (char& c : out)
      if (static_cast<unsigned char>(c) < 32 || c == 127) c = '?';
    return out;
  }
};
using Line = std::vector<Field>;

char separator_of(const std::string& line) {
  for (const char c : {';', '\t', ','})
    if (line.find(c) != std::string::npos) return c;
  return ' ';
}

// one field without the blanks and quotation marks around it
Field trimmed(const std::string& line, std::size_t begin, std::size_t end, int number) {
  const auto drop = [](char c) { return c == ' ' || c == '"' || c == '\r' || c == '\t'; };
  while (begin < end && drop(line[begin])) ++begin;
  while (end > begin && drop(line[end - 1])) --end;
  return {line.substr(begin, end - begin), number, int(begin) + 1};
}

Line fields_of(const std::string& line, int number) {
  const char separator = separator_of(line);
  Line fields;
  std::size_t begin = 0;
  while (begin <= line.size()) {
    if (separator == ' ') begin = std::min(line.find_first_not_of(' ', begin), line.size());
    if (separator == ' ' && begin == line.size()) break;
    const std::size_t end = std::min(line.find(separator, begin), line.size());
    fields.push_back(trimmed(line, begin, end, number));
    if (separator == ';' || separator == '\t')
      std::replace(fields.back().text.begin(), fields.back().text.end(), ',', '.');
    begin = end + 1;
  }
  return fields;
}

// the lines that say something
std::vector<Line> lines_of(const std::string& text) {
  std::vector<Line> lines;
  std::size_t begin = text.rfind("\xEF\xBB\xBF", 0) == 0 ? 3 : 0;  // mark of UTF-8
  for (int number = 1; begin < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin), said = line.substr(0, line.find('#'));
    if (said.find_first_not_of(" \t\r,;") != std::string::npos) lines.push_back(fields_of(said, number));
    begin = end + 1;
  }
  return lines;
}

bool is_number(const std::string& text, double& value) {
  const char* begin = text.data() + (text.rfind('+', 0) == 0 ? 1 : 0);
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(begin, end, value);
  return result.ec == std::errc() && result.ptr == end && std::isfinite(value);
}

struct KnownUnit {
  const char* name;
  double scale;
};
constexpr KnownUnit rate_units[] = {{"1/s", 1}, {"s^-1", 1}, {"s-1", 1}, {"/s", 1}, {"1/min", 1 / 60.}};
constexpr KnownUnit stress_units[] = {{"pa", 1},    {"kpa", 1e3},      {"hpa", 1e2},
                                      {"n/m^2", 1}, {"dyn/cm^2", 0.1}, {"dyn/cm2", 0.1}};

template <std::size_t n>
const KnownUnit* find_unit(const KnownUnit (&units)[n], const std::string& name) {
  if (name == "mPa" || name == "MPa") {  // the only ones that differ in their case
    static constexpr KnownUnit milli{"mPa", 1e-3}, mega{"MPa", 1e6};
    return &units[0] == &stress_units[0] ? (name[0] == 'm' ? &milli : &mega) : nullptr;
  }
  std::string lower;
  for (const char c : name) lower += char(std::tolower(static_cast<unsigned char>(c)));
  for (const KnownUnit& unit : units)
    if (lower == unit.name) return &unit;
  return nullptr;
}

// "Shear Rate [1/s]" is shear_rate and 1/s
struct Heading {
  std::string name, unit;
};
Heading heading_of(const std::string& text) {
  Heading heading;
  const std::size_t open = std::min(text.find_first_of("[("), text.size());
  for (const char c : text.substr(0, open))
    heading.name += c == ' ' || c == '-' ? '_' : char(std::tolower(static_cast<unsigned char>(c)));
  while (!heading.name.empty() && heading.name.back() == '_') heading.name.pop_back();
  if (open < text.size())
    heading.unit = text.substr(open + 1, std::min(text.find_first_of("])", open), text.size()) - open - 1);
  return heading;
}

// Which columns of the table are used, and what one of their units is.
struct Columns {
  std::size_t rate = 0, stress = 1;
  double rate_scale = 1, stress_scale = 1;
};

template <std::size_t n>
double scale_of(const KnownUnit (&units)[n], const Field& field, const std::string& unit) {
  if (unit.empty()) return 1;
  if (const KnownUnit* known = find_unit(units, unit)) return known->scale;
  field.fail(fmt::format("the unit '{}' is not known here; give the values in {} and name that", unit,
                         &units[0] == &rate_units[0] ? "1/s" : "Pa"));
}

Columns read_heading(const Line& line) {
  Columns columns;
  bool rate = false, stress = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const std::string name = heading_of(line[i].text).name;
    if (name == "shear_rate" && !rate) columns.rate = i, rate = true;
    if (name == "shear_stress" && !stress) columns.stress = i, stress = true;
  }
  if (rate != stress)
    line[rate ? columns.rate : columns.stress].fail(fmt::format("there is a column {} but none named {}",
                                                                rate ? "shear_rate" : "shear_stress",
                                                                rate ? "shear_stress" : "shear_rate"));
  if (line.size() < 2) line[0].fail("two columns are needed: shear rate [1/s] and shear stress [Pa]");
  const Field &r = line[columns.rate], &s = line[columns.stress];
  columns.rate_scale = scale_of(rate_units, r, heading_of(r.text).unit);
  columns.stress_scale = scale_of(stress_units, s, heading_of(s.text).unit);
  return columns;
}

// a line "1/s, Pa" below the names
bool is_unit_line(const Line& line, Columns& columns) {
  if (line.size() <= std::max(columns.rate, columns.stress)) return false;
  const auto name_of = [&](std::size_t i) {
    const std::string& text = line[i].text;
    const std::string inside = heading_of(text).unit;
    return inside.empty() ? text : inside;
  };
  const KnownUnit* rate = find_unit(rate_units, name_of(columns.rate));
  const KnownUnit* stress = find_unit(stress_units, name_of(columns.stress));
  if (!rate || !stress) return false;
  columns.rate_scale = rate->scale, columns.stress_scale = stress->scale;
  return true;
}

double number_in(const Line& line, std::size_t column, const char* what) {
  if (column >= line.size())
    line.back().fail(fmt::format("the {} is missing: this line has {} column{}", what, line.size(),
                                 line.size() == 1 ? "" : "s"));
  double value = 0;
  const Field& field = line[column];
  if (field.text.empty()) field.fail(fmt::format("the {} is missing", what));
  if (!is_number(field.text, value))
    field.fail(fmt::format("the {} '{}' is not a number", what, field.shown()));
  return value;
}

FlowSample sample_of(const Line& line, const Columns& columns) {
  const FlowSample sample{columns.rate_scale * number_in(line, columns.rate, "shear rate"),
                          columns.stress_scale * number_in(line, columns.stress, "shear stress")};
  if (sample.rate < 0) line[columns.rate].fail("the shear rate is negative; give its size");
  if (!(sample.stress > 0))
    line[columns.stress].fail("the shear stress must be positive; leave such points out");
  return sample;
}

}  // namespace

std::vector<FlowSample> parse_measured_flow(const std::string& text) {
  const std::vector<Line> lines = lines_of(text);
  Columns columns;
  std::size_t first = 0;
  double ignored = 0;
  if (!lines.empty() && !is_number(lines[0][0].text, ignored)) {
    columns = read_heading(lines[0]);
    first = lines.size() > 1 && is_unit_line(lines[1], columns) ? 2 : 1;
  }
  std::vector<FlowSample> samples;
  std::set<double> rates;
  for (std::size_t i = first; i < lines.size(); ++i) {
    samples.push_back(sample_of(lines[i], columns));
    if (samples.back().rate > 0) rates.insert(samples.back().rate);
  }
  if (rates.size() < 3)
    throw MeasuredFlowError(lines.empty() ? 1 : lines.back()[0].line, 1, 1,
                            fmt::format("a fit needs at least 3 different shear rates above 0, there {} {}",
                                        rates.size() == 1 ? "is" : "are", rates.size()));
  return samples;
}

}  // namespace dollop
