// Names and units of the columns of measured flow, in English, German and French.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace dollop::measured_flow {

struct KnownUnit {
  std::string_view name;  // without blanks and signs of multiplication
  double scale;           // to SI
};
struct Quantity {
  const char *what, *key, *si_unit;
  std::span<const std::string_view> names;  // as normalised: lower case, no accents, '_' between words
  std::span<const KnownUnit> units;
};
extern const Quantity shear_rate, shear_stress, viscosity;

// null if it is no unit of the quantity
const KnownUnit* find_unit(const Quantity& quantity, std::string_view written);

// A column of one of the quantities.
struct Column {
  std::size_t index = 0;
  double scale = 1;               // of its unit to SI
  bool has_unit = false;          // it was named
  std::string unknown_unit = {};  // text in brackets that is no known unit
};

// Reads a name that may be followed by a unit: "Shear Rate [1/s]", "stress_kPa", "τ in Pa", "tau / Pa".
std::optional<Column> column_of(const Quantity& quantity, const std::string& heading);

// The unit in a cell of a line of units, "[mPa·s]" or "mPa s"; null if it is none of the quantity.
const KnownUnit* unit_in_cell(const Quantity& quantity, std::string_view cell);

}  // namespace dollop::measured_flow
