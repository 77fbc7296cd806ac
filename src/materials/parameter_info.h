// The parameters of a model, of tearing or of a method as data.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "materials/parameter.h"

namespace dollop {

struct ParameterInfo {
  std::string name, unit, help;
  double default_value, low, high;
  bool low_open, high_open;
  bool whole = false;                   // it counts something
  bool infinite = false;                // infinity is allowed too
  std::vector<std::string> words = {};  // if there are any, the value is the index of one of them
};

// the parameters that `Described::parameters` lists
template <class Described>
std::vector<ParameterInfo> parameters_of() {
  std::vector<ParameterInfo> result;
  const Described defaults;
  const auto add = [&](const Parameter<Described>& p) {
    result.push_back({p.name, p.unit, p.help, defaults.*(p.value), p.range.low, p.range.high,
                      p.range.low_open, p.range.high_open, p.range.whole, p.range.infinite});
    for (const char* word : p.words)
      if (word) result.back().words.emplace_back(word);
  };
  std::apply([&](const auto&... p) { (add(p), ...); }, Described::parameters);
  return result;
}

// an object whose parameters have the given values, in their order
template <class Described>
Described with_parameters(const double* values) {
  Described result;
  std::apply([&](const auto&... p) { ((void)(result.*(p.value) = *values++), ...); }, Described::parameters);
  return result;
}

// whether a value is finite or may be infinite, in range, and whole where it counts something or is the index of a word
bool is_allowed(const ParameterInfo& parameter, double value);

}  // namespace dollop
