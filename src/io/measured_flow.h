// Tables of measured shear rates and stresses, as rheometers export them.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "solvers/rheometer/flow_fit.h"

namespace dollop {

// An error in a table and its position; lines and columns count from 1.
struct MeasuredFlowError : std::runtime_error {
  MeasuredFlowError(int line_, int column_, int length_, const std::string& message)
      : std::runtime_error(message), line(line_), column(column_), length(length_) {}
  int line, column, length;
};

// What the text does not say, or says wrongly.
struct MeasuredFlowOptions {
  std::vector<int> columns = {};  // of the rates and of the stresses or viscosities, from 1; empty: by name
  std::vector<std::string> units = {};  // of both; empty: those of the text
  std::vector<int> tables = {};         // which of the tables, from 1; empty: the only one
};

struct MeasuredFlow {
  std::vector<FlowSample> samples;
  std::vector<std::string> notes;  // what had to be assumed, one sentence each
};

// Parses lines of numbers separated by commas, semicolons, tabs or blanks; '#', or "//" at the start of a line, starts
// a comment. The heading is the first line that names a shear rate and a shear stress or a viscosity, in English, German
// or French; what stands above it is a title, and other columns are ignored. Units may follow the names or stand on a
// line of their own. A line of text ends a table, and so does a new segment ("3|1" in the first column). Without a
// heading there must be two columns, rate and stress. Decimal sign and thousands: DecimalSigns. Throws MeasuredFlowError
// for any other text, for several tables of which none was chosen, and for fewer than three distinct positive rates.
MeasuredFlow parse_measured_flow(const std::string& text, const MeasuredFlowOptions& options = {});

}  // namespace dollop
