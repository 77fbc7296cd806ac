// How a constitutive model describes its parameters: read by scenes, documentation and tests alike.
#pragma once

#include <array>

#include "core/isa.h"

namespace dollop::inline DOLLOP_ISA {

// Allowed values of a parameter.
struct Range {
  double low, high;
  bool low_open, high_open;  // the bound itself is not allowed
  bool whole = false;        // only whole numbers are allowed
  bool infinite = false;     // infinity is allowed too
  constexpr bool contains(double a) const {
    return (low_open ? a > low : a >= low) &&
           ((high_open ? a < high : a <= high) || (infinite && a > unbounded));
  }
  static constexpr double unbounded = 1e300;
};
inline constexpr double unbounded = Range::unbounded;
inline constexpr Range positive{0, unbounded, true, true};
inline constexpr Range not_negative{0, unbounded, false, true};
inline constexpr Range positive_or_infinite{0, unbounded, true, true, false, true};
inline constexpr Range poisson_range{-1, 0.5, true, true};
constexpr Range count_from(double low, double high) { return {low, high, false, false, true}; }

template <class Model>
struct Parameter {
  const char* name;
  double Model::*value;
  const char* unit;  // "" for pure numbers
  Range range;
  const char* help;
  std::array<const char*, 4> words = {};  // if there are any, the value is the index of one of them
};
inline constexpr Range two_words{0, 1, false, false};
inline constexpr Range three_words{0, 2, false, false};
inline constexpr Range four_words{0, 3, false, false};

// Some parameters of a model that may be given as one list, in this order.
struct ParameterList {
  const char *name, *help;
  const char* angle_unit;  // of plain numbers that are angles
  std::array<const char*, 4> members;
};

// A second set of parameters that may be given instead of some of the model's own, such as another pair of moduli.
struct AlternativeParameter {
  const char *name = nullptr, *unit = "";
  Range range = positive;
  const char* help = "";
};
struct Alternative {
  std::array<const char*, 3> own;              // the model's, null where there are fewer
  std::array<AlternativeParameter, 3> others;  // as many
  void (*to_own)(const double* others, double* own);
  void (*from_own)(const double* own, double* others);
};

// A material that users know by name: values of some parameters, and where they come from.
struct PresetValue {
  const char* parameter = nullptr;
  double value = 0;
};
struct Preset {
  const char *name, *help, *source;
  std::array<PresetValue, 12> values;  // values without a name are not used
};

// Lame's moduli from Young's modulus and Poisson's ratio                                               (EL.1)
struct Moduli {
  double shear, lambda;
  constexpr double bulk() const { return lambda + shear * 2 / 3; }
};
constexpr Moduli moduli_of(double young, double poisson) {
  return {young / (2 * (1 + poisson)), young * poisson / ((1 + poisson) * (1 - 2 * poisson))};
}

// Every model with Young's modulus and Poisson's ratio also takes these.                               (EL.2)
inline constexpr Alternative shear_and_bulk{
    {"young_modulus", "poisson_ratio", nullptr},
    {{{"shear_modulus", "Pa", positive, "with bulk_modulus instead of young_modulus and poisson_ratio"},
      {"bulk_modulus", "Pa", positive, "with shear_modulus instead of young_modulus and poisson_ratio"}}},
    [](const double* others, double* own) {
      const double g = others[0], k = others[1];
      own[0] = 9 * k * g / (3 * k + g);
      own[1] = (3 * k - 2 * g) / (2 * (3 * k + g));
    },
    [](const double* own, double* others) {
      const Moduli m = moduli_of(own[0], own[1]);
      others[0] = m.shear, others[1] = m.bulk();
    }};

}  // namespace dollop::inline DOLLOP_ISA
