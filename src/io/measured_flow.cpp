#include "io/measured_flow.h"

#include <fmt/format.h>

#include <optional>
#include <set>

#include "io/measured_flow_numbers.h"
#include "io/measured_flow_tables.h"

namespace dollop {
namespace {

using namespace measured_flow;

// Beyond these the fit would leave the range of double, and no rheometer measures there.
constexpr double min_value = 1e-12, max_value = 1e12;  // [1/s], [Pa]

// --- numbers

double number_in(const Line& line, const Column& column, const Quantity& quantity, DecimalSign sign) {
  if (column.index >= line.fields.size())
    line.fields.back().fail(fmt::format("the {} is missing: this line has {} column{}", quantity.what,
                                        line.fields.size(), line.fields.size() == 1 ? "" : "s"));
  double value = 0;
  const Field& field = line.fields[column.index];
  if (field.text.empty()) field.fail(fmt::format("the {} is missing", quantity.what));
  if (!read_number(field, line.separator, sign, value))
    field.fail(fmt::format("the {} '{}' is not a number", quantity.what, field.shown()));
  return column.scale * value;
}

void check_range(const Field& field, const Quantity& quantity, double value) {
  if (!(value >= min_value && value <= max_value))
    field.fail(fmt::format("the {} {} is not from {:g} to {:g} {}", quantity.what, field.shown(), min_value,
                           max_value, quantity.si_unit));
}

FlowSample sample_of(const Line& line, const Columns& columns, DecimalSign sign) {
  FlowSample sample;
  sample.rate = number_in(line, *columns.rate, shear_rate, sign);
  const Field& rate = line.fields[columns.rate->index];
  if (sample.rate < 0) rate.fail("the shear rate is negative; give its size");
  if (sample.rate != 0) check_range(rate, shear_rate, sample.rate);
  const double other = number_in(line, columns.stress_column(), columns.stress_quantity(), sign);
  sample.stress = columns.stress ? other : sample.rate * other;
  const Field& stress = line.fields[columns.stress_column().index];
  if (!(sample.stress > 0)) stress.fail("the shear stress must be positive; leave such points out");
  check_range(stress, shear_stress, sample.stress);
  for (std::size_t i = columns.count; i < line.fields.size(); ++i)
    if (is_number(line.fields[i], line.separator))
      line.fields[i].fail(
          fmt::format("a number beyond {} columns; name all columns, and put semicolons between them if "
                      "there are decimal commas",
                      columns.count));
  return sample;
}

// the decimal sign of the two columns of all rows
DecimalSign decimal_sign(const std::vector<Table>& tables) {
  DecimalSigns signs;
  for (const Table& table : tables)
    for (const Line* row : table.rows)
      for (const Column* column : {&*table.columns.rate, &table.columns.stress_column()})
        if (const Field* field = field_at(*row, column->index)) signs.add(*field, row->separator);
  return signs.result();
}

// --- what the user chose

[[noreturn]] void reject_option(const std::string& message) { throw MeasuredFlowError(0, 0, 0, message); }

// gives the two columns the units that the user named; that of the second decides what it holds
void set_units(Columns& columns, const std::vector<std::string>& units) {
  if (units.empty()) return;
  const auto set = [](Column& column, const KnownUnit& unit) {
    column.scale = unit.scale, column.has_unit = true, column.unknown_unit.clear();
  };
  const KnownUnit* rate = find_unit(shear_rate, units[0]);
  if (!rate) reject_option(fmt::format("--units: '{}' is not a unit of a shear rate, such as 1/s", units[0]));
  set(*columns.rate, *rate);
  const KnownUnit *stress = find_unit(shear_stress, units[1]), *product = find_unit(viscosity, units[1]);
  if (!stress && !product)
    reject_option(fmt::format(
        "--units: '{}' is neither a unit of stress, such as Pa, nor of viscosity, such as Pa s", units[1]));
  std::optional<Column>& wanted = stress ? columns.stress : columns.viscosity;
  if (!wanted) wanted = columns.stress_column();
  (stress ? columns.viscosity : columns.stress).reset();
  set(*wanted, stress ? *stress : *product);
}

// the tables that the user chose, or the only one
std::vector<Table> chosen(std::vector<Table> tables, const std::vector<int>& numbers) {
  std::erase_if(tables, [](const Table& table) { return table.rows.empty(); });
  if (numbers.empty() && tables.size() <= 1) return tables;
  std::string list;
  for (std::size_t k = 0; k < tables.size() && k < 12; ++k)
    list += fmt::format("{}{} from line {}, {} point{}", k == 0 ? "" : "; ", k + 1,
                        tables[k].rows[0]->fields[0].line, tables[k].rows.size(),
                        tables[k].rows.size() == 1 ? "" : "s");
  if (numbers.empty()) {
    const Field& second = tables[1].rows[0]->fields[0];
    throw MeasuredFlowError(
        second.line, second.column, 1,
        fmt::format("there are {} tables of flow ({}); choose by --table 2, or --table 1,2 for both",
                    tables.size(), list));
  }
  std::vector<Table> result;
  for (const int number : numbers) {
    if (number > int(tables.size()))
      reject_option(fmt::format("--table {}: there {} {} of flow{}", number,
                                tables.size() == 1 ? "is" : "are",
                                tables.size() == 1 ? "1 table" : fmt::format("{} tables", tables.size()),
                                list.empty() ? "" : ": " + list));
    result.push_back(tables[std::size_t(number) - 1]);
  }
  return result;
}

std::vector<std::string> notes_on(const std::vector<Table>& tables) {
  std::vector<std::string> notes;
  std::string missing, assumed;
  const auto note_unit = [&](const Quantity& quantity, const Column& column) {
    if (column.has_unit) return;
    missing += (missing.empty() ? "the " : " and the ") + std::string(quantity.what);
    assumed += (assumed.empty() ? "" : " and ") + std::string(quantity.si_unit);
  };
  note_unit(shear_rate, *tables[0].columns.rate);
  note_unit(tables[0].columns.stress_quantity(), tables[0].columns.stress_column());
  if (!missing.empty())
    notes.push_back(fmt::format("no unit of {} is named: taken as {}; --units 1/s,kPa would name others",
                                missing, assumed));
  std::size_t incomplete = 0;
  for (const Table& table : tables) incomplete += table.incomplete;
  if (incomplete > 0)
    notes.push_back(fmt::format("{} line{} without a shear rate or a {} {} left out", incomplete,
                                incomplete == 1 ? "" : "s", tables[0].columns.stress_quantity().what,
                                incomplete == 1 ? "was" : "were"));
  return notes;
}

}  // namespace

MeasuredFlow parse_measured_flow(const std::string& text, const MeasuredFlowOptions& options) {
  const std::vector<Line> lines = lines_of(text);
  std::vector<Table> tables = chosen(read_tables(lines, options), options.tables);
  MeasuredFlow flow;
  std::set<double> rates;
  for (Table& table : tables) set_units(table.columns, options.units);
  const DecimalSign sign = decimal_sign(tables);
  for (const Table& table : tables)
    for (const Line* row : table.rows) {
      flow.samples.push_back(sample_of(*row, table.columns, sign));
      if (flow.samples.back().rate > 0) rates.insert(flow.samples.back().rate);
    }
  if (rates.size() < 3)
    throw MeasuredFlowError(lines.empty() ? 1 : lines.back().fields[0].line, 1, 1,
                            fmt::format("a fit needs at least 3 different shear rates above 0, there {} {}",
                                        rates.size() == 1 ? "is" : "are", rates.size()));
  flow.notes = notes_on(tables);
  return flow;
}

}  // namespace dollop
