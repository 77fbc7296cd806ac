// Quantities written with a unit, such as "0.29 kPa" or "9.81 m/s^2".
#pragma once

#include <array>
#include <string>

namespace dollop {

// Powers of metre, kilogram, second and radian. Angles are a dimension here, so that "3 Hz" is not read as 3 rad/s.
struct Dimension {
  std::array<int, 4> powers{0, 0, 0, 0};
  bool operator==(const Dimension&) const = default;
  bool is_pure() const { return *this == Dimension{}; }
};

// A unit such as "kg/m^3", "Pa s" or "" (a pure number).
struct Unit {
  Dimension dimension = {};
  double scale = 1;  // SI value of one such unit
};

// Both parsers return an error message, or "" on success. Factors are joined by a blank, '*' or '/', powers written m^2.
std::string parse_unit(const std::string& text, Unit& unit);
// Parses a number with or without a unit; the value is in SI. The unit must have the dimension of `si_unit`, which may be
// "Pa s^0.3" for the consistency of a power law, or "Pa s^n" if its power is unknown: then any power of time is accepted,
// and one is required if the time is not in seconds.
std::string parse_quantity(const std::string& text, const std::string& si_unit, double& value);

// "a length", "a stress", or the powers of a dimension without a name; the second adds an example.
std::string dimension_name(const Dimension& dimension);
std::string dimension_example(const Dimension& dimension);  // "a length such as \"3 mm\""

}  // namespace dollop
