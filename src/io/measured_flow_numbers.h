// Numbers as rheometers write them: with a decimal point or comma, and with thousands in groups.
#pragma once

#include "io/measured_flow_lines.h"

namespace dollop::measured_flow {

enum class DecimalSign { point, comma };

// Reads a number that is written with this decimal sign. The other sign may separate groups of three digits, and so may
// apostrophes and narrow or non-breaking blanks; plain blanks only between semicolons or tabs, where they cannot be a
// separator of columns.
bool read_number(const Field& field, char separator, DecimalSign sign, double& value);

// whether a field is a number, with either decimal sign
bool is_number(const Field& field, char separator);
bool has_number(const Line& line);

// Finds the decimal sign of a table from all its numbers. One that can be read in two ways, such as 1,234, is decided by
// the others; without any such evidence a comma is a decimal sign between semicolons and tabs. Fails where a table is
// contradictory, or ambiguous.
class DecimalSigns {
 public:
  void add(const Field& field, char separator);
  DecimalSign result() const;

 private:
  bool comma_ = false, point_ = false;      // is certainly a decimal sign
  bool likely_comma_ = false;               // is probably one: between semicolons and tabs
  const Field* ambiguous_comma_ = nullptr;  // the first that may as well be a thousand
};

}  // namespace dollop::measured_flow
