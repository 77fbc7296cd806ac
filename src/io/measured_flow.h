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

// Parses lines of numbers separated by commas, semicolons, tabs or blanks; '#', or "//" at the start of a line, starts
// a comment. A heading names the columns: a shear rate, and a shear stress or a viscosity; other columns are ignored.
// Units may follow the names or stand on a line of their own; the defaults are 1/s, Pa and Pa s. Lines of text above
// the heading are titles. Without a heading there must be two columns, rate and stress. Between semicolons and tabs,
// and in quotation marks, the decimal sign may be a comma. Throws MeasuredFlowError for any other text, and if there
// are fewer than three distinct positive rates.
std::vector<FlowSample> parse_measured_flow(const std::string& text);

}  // namespace dollop
