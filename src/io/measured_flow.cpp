#include "io/measured_flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <set>
#include <span>
#include <string_view>

#include "io/measured_flow_lines.h"

namespace dollop {
namespace {

using namespace measured_flow;

// Beyond these the fit would leave the range of double, and no rheometer measures there.
constexpr double min_value = 1e-12, max_value = 1e12;  // [1/s], [Pa]

// --- headings

struct KnownUnit {
  std::string_view name;
  double scale;
};
struct Quantity {
  const char *what, *key, *si_unit;
  std::span<const std::string_view> names;  // lower case; '_' stands for any separator between words
  std::span<const KnownUnit> units;         // names without dots and blanks
};
constexpr std::string_view rate_names[] = {
    "shear_rate", "shearrate", "shear_strain_rate", "strain_rate", "rate", "gamma_dot", "gammadot", "γ̇", "ɣ̇",
    "γ_dot",      "γdot"};
constexpr KnownUnit rate_units[] = {{"1/s", 1},         {"s^-1", 1},         {"s-1", 1},
                                    {"s⁻¹", 1},         {"/s", 1},           {"1/sec", 1},
                                    {"1/min", 1 / 60.}, {"min^-1", 1 / 60.}, {"min-1", 1 / 60.},
                                    {"min⁻¹", 1 / 60.}, {"/min", 1 / 60.}};
constexpr Quantity shear_rate{"shear rate", "shear_rate", "1/s", rate_names, rate_units};

constexpr std::string_view stress_names[] = {
    "shear_stress", "shearstress", "stress", "tau", "τ", "sigma", "σ"};
constexpr KnownUnit stress_units[] = {{"Pa", 1},    {"kPa", 1e3},      {"hPa", 1e2},     {"mPa", 1e-3},
                                      {"MPa", 1e6}, {"N/m^2", 1},      {"N/m2", 1},      {"N/m²", 1},
                                      {"bar", 1e5}, {"dyn/cm^2", 0.1}, {"dyn/cm2", 0.1}, {"dyn/cm²", 0.1}};
constexpr Quantity shear_stress{"shear stress", "shear_stress", "Pa", stress_names, stress_units};

constexpr std::string_view viscosity_names[] = {"viscosity", "shear_viscosity", "apparent_viscosity", "eta",
                                                "η"};
constexpr KnownUnit viscosity_units[] = {{"Pas", 1},    {"kPas", 1e3}, {"mPas", 1e-3},
                                         {"MPas", 1e6}, {"cP", 1e-3},  {"P", 0.1}};
constexpr Quantity viscosity{"viscosity", "viscosity", "Pa s", viscosity_names, viscosity_units};

char lower(char c) { return char(std::tolower(static_cast<unsigned char>(c))); }

const KnownUnit* find_unit(const Quantity& quantity, std::string_view written) {
  std::string name;
  for (const char c : written)
    if (!is_one_of(c, " *._")) name += c;
  if (const std::size_t dot = name.find("·"); dot != std::string::npos) name.erase(dot, 2);
  const auto same = [&](const KnownUnit& unit) {
    if (lower(unit.name[0]) == 'm') return unit.name == name;  // milli and mega differ only in case
    return std::equal(unit.name.begin(), unit.name.end(), name.begin(), name.end(),
                      [](char a, char b) { return lower(a) == lower(b); });
  };
  const auto found = std::find_if(quantity.units.begin(), quantity.units.end(), same);
  return found == quantity.units.end() ? nullptr : &*found;
}

// A column of one of the quantities.
struct Column {
  std::size_t index = 0;
  double scale = 1;          // of its unit to SI
  std::string unknown_unit;  // text in brackets that is no known unit
};

// a name, optionally followed by a unit: "Shear Rate [1/s]", "stress_kPa", "τ in Pa", "tau / Pa"
std::optional<Column> column_of(const Quantity& quantity, const std::string& heading) {
  std::string normalised;
  for (const char c : heading) normalised += is_one_of(c, " -.") ? '_' : lower(c);
  for (const std::string_view name : quantity.names) {
    if (normalised.rfind(name, 0) != 0) continue;
    std::string_view rest = std::string_view(heading).substr(name.size());
    if (!rest.empty() && !is_one_of(rest[0], " _-.,:/[(")) continue;
    while (!rest.empty()) {
      if (const KnownUnit* unit = find_unit(quantity, rest)) return Column{0, unit->scale, ""};
      if (is_one_of(rest[0], "[(")) {
        const std::string inside(rest.substr(1, std::min(rest.find_first_of("])"), rest.size()) - 1));
        const KnownUnit* unit = find_unit(quantity, inside);
        return Column{0, unit ? unit->scale : 1, unit ? "" : inside};
      }
      if (rest.substr(0, 3) == "in ")
        rest.remove_prefix(3);
      else if (is_one_of(rest[0], " _-.,:/"))
        rest.remove_prefix(1);
      else
        break;
    }
    if (rest.empty()) return Column{};
  }
  return std::nullopt;
}

struct Columns {
  std::size_t count = 2;  // number of named columns
  std::optional<Column> rate, stress, viscosity;
  bool complete() const { return rate && (stress || viscosity); }
  std::size_t stress_index() const { return (stress ? stress : viscosity)->index; }
};

std::optional<Column> find_column(const Quantity& quantity, const Line& line) {
  std::optional<Column> found;
  for (std::size_t i = 0; i < line.fields.size(); ++i) {
    const std::optional<Column> column = column_of(quantity, line.fields[i].text);
    if (!column) continue;
    if (found)
      line.fields[i].fail(fmt::format("this is a second column of the {}; leave one of them", quantity.what));
    found = column, found->index = i;
  }
  return found;
}

Columns columns_of(const Line& line) {
  return {line.fields.size(), find_column(shear_rate, line), find_column(shear_stress, line),
          find_column(viscosity, line)};
}

void require_known_unit(const Quantity& quantity, const std::optional<Column>& column, const Line& line) {
  if (column && !column->unknown_unit.empty())
    line.fields[column->index].fail(
        fmt::format("the unit '{}' is not known here; give the values in {} and name that",
                    column->unknown_unit, quantity.si_unit));
}

// Words separated by blanks may be parts of one name: they count as columns only if each line has as many numbers.
bool is_heading(const Line& line, const Line* data) {
  const bool words = line.separator == ' ' && data && data->fields.size() != line.fields.size();
  return !words && columns_of(line).complete();
}

[[noreturn]] void reject_heading(const Line& line, const Line* data) {
  const Columns columns = columns_of(line);
  std::string names;
  for (std::size_t i = 0; i < line.fields.size() && i < 12; ++i)
    names += fmt::format("{}'{}'", i == 0 ? "" : ", ", line.fields[i].shown());
  if (columns.complete() && data)
    line.fields[0].fail(
        fmt::format("these are {} names over {} columns; put names of several words in quotation marks, or "
                    "commas between them",
                    line.fields.size(), data->fields.size()));
  if (!columns.rate && !columns.stress && !columns.viscosity)
    line.fields[0].fail(fmt::format(
        "no columns shear_rate and shear_stress; there is {}; put # before a line that is no heading",
        names));
  const std::size_t found = columns.rate ? columns.rate->index : columns.stress_index();
  line.fields[found].fail(fmt::format("there is no column {}; there is {}",
                                      columns.rate ? shear_stress.key : shear_rate.key, names));
}

// reads a line of units below the names, such as "1/s, Pa"
bool read_unit_line(const Line& line, Columns& columns) {
  const auto unit_of = [&](const Quantity& quantity, const Column& column) -> const KnownUnit* {
    if (column.index >= line.fields.size()) return nullptr;
    std::string_view text = line.fields[column.index].text;
    if (!text.empty() && is_one_of(text.front(), "[(")) text.remove_prefix(1);
    if (!text.empty() && is_one_of(text.back(), "])")) text.remove_suffix(1);
    return find_unit(quantity, text);
  };
  Column& stress_column = *(columns.stress ? columns.stress : columns.viscosity);
  const KnownUnit* rate = unit_of(shear_rate, *columns.rate);
  const KnownUnit* stress = unit_of(columns.stress ? shear_stress : viscosity, stress_column);
  if (!rate || !stress) return false;
  columns.rate->scale = rate->scale, stress_column.scale = stress->scale;
  return true;
}

// Finds the heading, if there is one, and the first line of data below it and its units. Text above it is a title.
Columns read_heading(const std::vector<Line>& lines, std::size_t& first) {
  const auto begin = lines.begin(), data = std::find_if(begin, lines.end(), has_number);
  first = 0;
  if (data == begin) return {2, Column{0, 1, ""}, Column{1, 1, ""}, {}};
  const Line* below = data == lines.end() ? nullptr : &*data;
  const auto heading = std::find_if(begin, data, [&](const Line& line) { return is_heading(line, below); });
  if (heading == data) {
    const auto partial = std::find_if(begin, data, [](const Line& line) {
      const Columns columns = columns_of(line);
      return columns.rate || columns.stress || columns.viscosity;
    });
    reject_heading(partial == data ? data[-1] : *partial, below);
  }
  Columns columns = columns_of(*heading);
  first = std::size_t(heading - begin) + 1;
  if (first < lines.size() && read_unit_line(lines[first], columns)) {
    ++first;
    return columns;
  }
  require_known_unit(shear_rate, columns.rate, *heading);
  require_known_unit(shear_stress, columns.stress, *heading);
  if (!columns.stress) require_known_unit(viscosity, columns.viscosity, *heading);
  return columns;
}

// --- numbers

double number_in(const Line& line, const Column& column, const Quantity& quantity) {
  if (column.index >= line.fields.size())
    line.fields.back().fail(fmt::format("the {} is missing: this line has {} column{}", quantity.what,
                                        line.fields.size(), line.fields.size() == 1 ? "" : "s"));
  double value = 0;
  const Field& field = line.fields[column.index];
  if (field.text.empty()) field.fail(fmt::format("the {} is missing", quantity.what));
  if (!is_number(field.text, value))
    field.fail(fmt::format("the {} '{}' is not a number", quantity.what, field.shown()));
  // a quoted "1,000" may be a thousand
  const std::size_t comma = field.text.find(',');
  const bool three_digits = comma < field.text.size() && field.text.size() - comma == 4 &&
                            field.text.find_first_of("eE") == std::string::npos;
  if (is_one_of(line.separator, ", ") && three_digits && comma <= 3 && field.text[0] != '0')
    field.fail(fmt::format("'{}' can be read in two ways; write it without a comma", field.shown()));
  return column.scale * value;
}

void check_range(const Field& field, const Quantity& quantity, double value) {
  if (!(value >= min_value && value <= max_value))
    field.fail(fmt::format("the {} {} is not from {:g} to {:g} {}", quantity.what, field.shown(), min_value,
                           max_value, quantity.si_unit));
}

FlowSample sample_of(const Line& line, const Columns& columns) {
  FlowSample sample;
  sample.rate = number_in(line, *columns.rate, shear_rate);
  const Field& rate = line.fields[columns.rate->index];
  if (sample.rate < 0) rate.fail("the shear rate is negative; give its size");
  if (sample.rate != 0) check_range(rate, shear_rate, sample.rate);
  sample.stress = columns.stress ? number_in(line, *columns.stress, shear_stress)
                                 : sample.rate * number_in(line, *columns.viscosity, viscosity);
  const Field& stress = line.fields[columns.stress_index()];
  if (!(sample.stress > 0)) stress.fail("the shear stress must be positive; leave such points out");
  check_range(stress, shear_stress, sample.stress);
  double ignored = 0;
  for (std::size_t i = columns.count; i < line.fields.size(); ++i)
    if (is_number(line.fields[i].text, ignored))
      line.fields[i].fail(
          fmt::format("a number beyond {} columns; name all columns, and put semicolons between them if "
                      "there are decimal commas",
                      columns.count));
  return sample;
}

// Rejects tables with both decimal commas and decimal points: one of them may be a thousands separator.
class DecimalSigns {
 public:
  void add(const Field& field) {
    comma_ = comma_ || field.text.find(',') != std::string::npos;
    point_ = point_ || field.text.find('.') != std::string::npos;
    if (comma_ && point_) field.fail("this table has both decimal commas and decimal points");
  }

 private:
  bool comma_ = false, point_ = false;
};

}  // namespace

std::vector<FlowSample> parse_measured_flow(const std::string& text) {
  const std::vector<Line> lines = lines_of(text);
  std::size_t first = 0;
  const Columns columns = read_heading(lines, first);
  std::vector<FlowSample> samples;
  std::set<double> rates;
  DecimalSigns signs;
  for (std::size_t i = first; i < lines.size(); ++i) {
    samples.push_back(sample_of(lines[i], columns));
    if (samples.back().rate > 0) rates.insert(samples.back().rate);
    signs.add(lines[i].fields[columns.rate->index]);
    signs.add(lines[i].fields[columns.stress_index()]);
  }
  if (rates.size() < 3)
    throw MeasuredFlowError(lines.empty() ? 1 : lines.back().fields[0].line, 1, 1,
                            fmt::format("a fit needs at least 3 different shear rates above 0, there {} {}",
                                        rates.size() == 1 ? "is" : "are", rates.size()));
  return samples;
}

}  // namespace dollop
