// Tables of measured shear rates and stresses, as rheometers export them.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "solvers/flow_fit.h"

namespace dollop {

// What is wrong with a table, and where; lines and columns count from 1.
struct MeasuredFlowError : std::runtime_error {
  MeasuredFlowError(int line_, int column_, int length_, const std::string& message)
      : std::runtime_error(message), line(line_), column(column_), length(length_) {}
  int line, column, length;
};

// Lines of numbers separated by commas, semicolons, tabs or blanks; '#' begins a comment. A first line that does not
// begin with a number names the columns: shear_rate and shear_stress are used, wherever they are, else the first two. Units
// may stand behind the names in brackets, or on a line of their own: 1/s and Pa are meant where there are none. Between
// semicolons and tabs the decimal sign may be a comma. Throws MeasuredFlowError, also if there are fewer than three
// distinct positive rates.
std::vector<FlowSample> parse_measured_flow(const std::string& text);

}  // namespace dollop
