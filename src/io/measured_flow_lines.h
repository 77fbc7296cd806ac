// The lines and fields of a table of measured flow, as rheometers export it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/measured_flow.h"

namespace dollop::measured_flow {

inline bool is_one_of(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

struct Field {
  std::string text;
  int line, column;  // from 1

  [[noreturn]] void fail(const std::string& message) const {
    throw MeasuredFlowError(line, column, text.empty() ? 1 : int(text.size()), message);
  }
  std::string shown() const;  // shortened, control characters replaced: safe to print
};
struct Line {
  std::vector<Field> fields;
  char separator;
};

// Splits a text into lines and fields, without comments, quotation marks and empty lines. Quoted fields may contain
// separators and line breaks (RFC 4180).
std::vector<Line> lines_of(const std::string& text);

}  // namespace dollop::measured_flow
