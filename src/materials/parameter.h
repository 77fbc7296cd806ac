// How a constitutive model describes its parameters: read by scenes, documentation and tests alike.
#pragma once

#include <array>

#include "core/isa.h"

namespace dollop::inline DOLLOP_ISA {

// Allowed values of a parameter.
struct Range {
  double low, high;
  bool low_open, high_open;  // the bound itself is not allowed
  constexpr bool contains(double a) const {
    return (low_open ? a > low : a >= low) && (high_open ? a < high : a <= high);
  }
};
inline constexpr double unbounded = 1e300;
inline constexpr Range positive{0, unbounded, true, true};
inline constexpr Range not_negative{0, unbounded, false, true};
inline constexpr Range poisson_range{-1, 0.5, true, true};

template <class Model>
struct Parameter {
  const char* name;
  double Model::*value;
  const char* unit;  // "" for pure numbers
  Range range;
  const char* help;
};

// A material that users know by name: values of some parameters, and where they come from.
// Elastic moduli are young_modulus and poisson_ratio.
struct PresetValue {
  const char* parameter = nullptr;
  double value = 0;
};
struct Preset {
  const char *name, *help, *source;
  std::array<PresetValue, 12> values;  // those without a name are not used
};

// Lame's moduli from Young's modulus and Poisson's ratio                                               (EL.1)
struct Moduli {
  double shear, lambda;
  constexpr double bulk() const { return lambda + shear * 2 / 3; }
};
constexpr Moduli moduli_of(double young, double poisson) {
  return {young / (2 * (1 + poisson)), young * poisson / ((1 + poisson) * (1 - 2 * poisson))};
}

}  // namespace dollop::inline DOLLOP_ISA
