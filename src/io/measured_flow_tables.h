// The tables in a text of measured flow: where they are, and which of their columns hold what.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "io/measured_flow_lines.h"
#include "io/measured_flow_names.h"

namespace dollop::measured_flow {

struct Columns {
  std::size_t count = 2;  // number of named columns
  std::optional<Column> rate, stress, viscosity;
  bool complete() const { return rate && (stress || viscosity); }
  const Quantity& stress_quantity() const { return stress ? shear_stress : measured_flow::viscosity; }
  Column& stress_column() { return *(stress ? stress : viscosity); }
  const Column& stress_column() const { return *(stress ? stress : viscosity); }
};

// Lines of data with the same columns, without a line of text between them.
struct Table {
  Columns columns;
  std::vector<const Line*> rows = {};
  std::size_t incomplete = 0;  // lines without one of the two values
};

// The tables of all lines, some of which may have no rows. Throws MeasuredFlowError if there is no heading that can be
// read where one is needed, or a unit that is not known.
std::vector<Table> read_tables(const std::vector<Line>& lines, const MeasuredFlowOptions& options);

// null if the line is shorter
inline const Field* field_at(const Line& line, std::size_t index) {
  return index < line.fields.size() ? &line.fields[index] : nullptr;
}

}  // namespace dollop::measured_flow
