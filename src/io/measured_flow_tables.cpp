#include "io/measured_flow_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "io/measured_flow_numbers.h"

namespace dollop::measured_flow {
namespace {

// --- headings

std::optional<Column> find_column(const Quantity& quantity, const Line& line) {
  for (std::size_t i = 0; i < line.fields.size(); ++i)
    if (std::optional<Column> column = column_of(quantity, line.fields[i].text)) {
      column->index = i;
      return column;
    }
  return std::nullopt;
}

Columns columns_of(const Line& line) {
  return {line.fields.size(), find_column(shear_rate, line), find_column(shear_stress, line),
          find_column(viscosity, line)};
}

void require_one_column(const Quantity& quantity, const std::optional<Column>& first, const Line& line) {
  if (!first) return;
  for (std::size_t i = first->index + 1; i < line.fields.size(); ++i)
    if (column_of(quantity, line.fields[i].text))
      line.fields[i].fail(fmt::format(
          "this is a second column of the {}; leave one of them, or say which by --columns", quantity.what));
}

void require_known_unit(const Quantity& quantity, const Column& column, const Line& line) {
  if (!column.unknown_unit.empty())
    line.fields[column.index].fail(
        fmt::format("the unit '{}' is not known here; give the values in {} and name that",
                    column.unknown_unit, quantity.si_unit));
}

// Words separated by blanks may be parts of one name: they count as columns only if each line has as many numbers.
bool is_heading(const Line& line, const Line* data) {
  const bool words = line.separator == ' ' && data && data->fields.size() != line.fields.size();
  return !words && columns_of(line).complete();
}

// the line that was probably meant to be the heading: one that names a column, or else the last above the numbers
const Line& supposed_heading(const std::vector<Line>& lines) {
  const auto partial = std::find_if(lines.begin(), lines.end(), [](const Line& line) {
    const Columns columns = columns_of(line);
    return columns.rate || columns.stress || columns.viscosity;
  });
  if (partial != lines.end()) return *partial;
  // the last line of text above the numbers
  const auto last = std::find_if(lines.rbegin(), lines.rend(), has_number);
  const auto text = std::find_if(last, lines.rend(), [](const Line& line) { return !has_number(line); });
  if (text == lines.rend()) return lines[0];
  // it may hold units, below the names
  const auto above = std::next(text);
  const bool names = above != lines.rend() && !has_number(*above) &&
                     above->fields.size() == text->fields.size() && text->fields.size() > 1;
  return names ? *above : *text;
}

[[noreturn]] void reject_heading(const std::vector<Line>& lines) {
  const Line& line = supposed_heading(lines);
  const auto below = std::find_if(lines.begin() + (&line - lines.data()), lines.end(), has_number);
  const Columns columns = columns_of(line);
  std::string names;
  for (std::size_t i = 0; i < line.fields.size() && i < 12; ++i)
    names += fmt::format("{}'{}'", i == 0 ? "" : ", ", line.fields[i].shown());
  constexpr const char* by_number = "say which columns they are by --columns 3,4 --units 1/s,Pa";
  if (columns.complete() && below != lines.end())
    line.fields[0].fail(
        fmt::format("these are {} names over {} columns; put names of several words in quotation marks, or "
                    "commas between them",
                    line.fields.size(), below->fields.size()));
  if (!columns.rate && !columns.stress && !columns.viscosity)
    line.fields[0].fail(fmt::format(
        "no columns shear_rate and shear_stress; there is {}; put # before a line that is no heading, or {}",
        names, by_number));
  const std::size_t found = columns.rate ? columns.rate->index : columns.stress_column().index;
  line.fields[found].fail(fmt::format("there is no column {}; there is {}; {}",
                                      columns.rate ? shear_stress.key : shear_rate.key, names, by_number));
}

// Reads a line of units below the names, such as "1/s, Pa"; false if it is none. At least one of the two is a unit.
bool read_unit_line(const Line& line, bool may_be_unknown, Columns& columns) {
  const auto unit_of = [&](const Quantity& quantity, const Column& column) -> const KnownUnit* {
    const Field* cell = field_at(line, column.index);
    return cell ? unit_in_cell(quantity, cell->text) : nullptr;
  };
  const Quantity& quantity = columns.stress_quantity();
  const KnownUnit *rate = unit_of(shear_rate, *columns.rate),
                  *stress = unit_of(quantity, columns.stress_column());
  if (!rate && !stress) return false;
  const auto take = [&](const Quantity& of, const KnownUnit* unit, Column& column) {
    const Field* cell = field_at(line, column.index);
    if (unit)
      column.scale = unit->scale, column.has_unit = true, column.unknown_unit.clear();
    else if (!may_be_unknown && cell && cell->text.find_first_not_of("[]() ") != std::string::npos)
      cell->fail(fmt::format("the unit '{}' is not known here; give the values in {} and name that",
                             cell->shown(), of.si_unit));
  };
  take(shear_rate, rate, *columns.rate), take(quantity, stress, columns.stress_column());
  return true;
}

// --- tables

// "3" of "3|1" or "3-1", as in the first column of exports with segments
std::string_view segment_of(const Line& line) {
  const std::string_view text = line.fields[0].text;
  const std::size_t end = text.find_first_of("|-");
  const auto digits = [](std::string_view part) {
    return !part.empty() &&
           std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  const bool is_one =
      end != std::string_view::npos && digits(text.substr(0, end)) && digits(text.substr(end + 1));
  return is_one ? text.substr(0, end) : std::string_view{};
}

bool is_blank(const Field* field) {
  return !field || field->text.find_first_not_of("- ") == std::string::npos;
}

// Collects the tables of lines whose columns are named, by a heading or by the user.
class TableReader {
 public:
  TableReader(const std::vector<Line>& lines, bool units_given) : lines_(lines), units_given_(units_given) {}

  std::vector<Table> named() {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const auto data = std::find_if(lines_.begin() + std::ptrdiff_t(i) + 1, lines_.end(), has_number);
      if (!is_heading(lines_[i], data == lines_.end() ? nullptr : &*data))
        add(lines_[i]);
      else
        read_heading(i);
    }
    return std::move(tables_);
  }

  // `columns`: those of a text without a heading that could be read
  std::vector<Table> numbered(const Columns& columns) {
    columns_ = columns;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (open_ || !is_row(lines_[i]))
        add(lines_[i]);
      else
        find_units_above(i), add(lines_[i]);
    }
    return std::move(tables_);
  }

 private:
  bool is_value(const Line& line, const Column& column) const {
    const Field* field = field_at(line, column.index);
    return field && is_number(*field, line.separator);
  }
  bool is_row(const Line& line) const {
    return is_value(line, *columns_->rate) && is_value(line, columns_->stress_column());
  }

  void read_heading(std::size_t& i) {
    const Line& line = lines_[i];
    columns_ = columns_of(line), open_ = false;
    require_one_column(shear_rate, columns_->rate, line);
    require_one_column(columns_->stress_quantity(), columns_->stress_column(), line);
    if (i + 1 < lines_.size() && read_unit_line(lines_[i + 1], units_given_, *columns_))
      ++i;
    else if (!units_given_)
      require_known_unit(shear_rate, *columns_->rate, line),
          require_known_unit(columns_->stress_quantity(), columns_->stress_column(), line);
  }

  // a line of units may stand right above numbers whose heading cannot be read
  void find_units_above(std::size_t i) {
    if (i == 0 || columns_->viscosity) return;
    Columns as_stress = *columns_, as_viscosity{columns_->count, columns_->rate, {}, columns_->stress};
    const auto is_unit = [&](const Quantity& quantity, const Column& column) {
      const Field* cell = field_at(lines_[i - 1], column.index);
      return cell && unit_in_cell(quantity, cell->text);
    };
    const auto known = [&](Columns& columns) {
      return is_unit(shear_rate, *columns.rate) &&
             is_unit(columns.stress_quantity(), columns.stress_column()) &&
             read_unit_line(lines_[i - 1], units_given_, columns);
    };
    if (known(as_stress))
      columns_ = as_stress;
    else if (known(as_viscosity))
      columns_ = as_viscosity;
  }

  void add(const Line& line) {
    if (!columns_) return;
    const Field *rate = field_at(line, columns_->rate->index),
                *stress = field_at(line, columns_->stress_column().index);
    const bool label = line.fields[0].text.ends_with(':');
    const bool has_rate = is_value(line, *columns_->rate),
               has_stress = is_value(line, columns_->stress_column());
    if (label || (!has_rate && !has_stress && !(is_blank(rate) && is_blank(stress) && has_number(line)))) {
      open_ = false;
      return;
    }
    const std::string_view segment = segment_of(line);
    if (!open_ || segment != segment_) tables_.push_back({*columns_});
    open_ = true, segment_ = segment;
    if ((has_rate || is_blank(rate)) && (has_stress || is_blank(stress)) && !(has_rate && has_stress))
      ++tables_.back().incomplete;
    else
      tables_.back().rows.push_back(&line);
  }

  const std::vector<Line>& lines_;
  bool units_given_;  // by the user: those of the text do not count
  std::optional<Columns> columns_ = {};
  bool open_ = false;  // whether the last line belongs to the last table
  std::string_view segment_ = {};
  std::vector<Table> tables_ = {};
};

// whether the first line is one of numbers like the others, and no title with a number in it
bool begins_with_data(const std::vector<Line>& lines) {
  const auto last = std::find_if(lines.rbegin(), lines.rend(), has_number);
  return has_number(lines[0]) && lines[0].separator == last->separator;
}

Columns first_two_columns() { return {2, Column{0}, Column{1}, {}}; }

}  // namespace

std::vector<Table> read_tables(const std::vector<Line>& lines, const MeasuredFlowOptions& options) {
  if (!options.columns.empty()) {
    const auto index = [&](std::size_t k) { return std::size_t(options.columns[k]) - 1; };
    return TableReader(lines, !options.units.empty())
        .numbered({std::numeric_limits<std::size_t>::max(), Column{index(0)}, Column{index(1)}, {}});
  }
  std::vector<Table> tables = TableReader(lines, !options.units.empty()).named();
  const bool any_row =
      std::any_of(tables.begin(), tables.end(), [](const Table& t) { return !t.rows.empty(); });
  if (any_row || lines.empty()) return tables;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto data = std::find_if(lines.begin() + std::ptrdiff_t(i) + 1, lines.end(), has_number);
    if (is_heading(lines[i], data == lines.end() ? nullptr : &*data))
      return tables;  // a heading without data
  }
  if (!begins_with_data(lines)) reject_heading(lines);
  Table plain{first_two_columns()};  // every line must be a row
  for (const Line& line : lines) plain.rows.push_back(&line);
  return {plain};
}

}  // namespace dollop::measured_flow
