// Types and defaults of keys as text, for the reference page and the schema.
#pragma once

#include <string>

#include "materials/registry.h"
#include "scene/keys.h"

namespace dollop {

enum class ValueKind {
  number,
  integer,
  boolean,
  text,
  word,
  vector,
  animated,
  animated_vector,
  list,
  shape,
  table,
  scale,
  rotation,
  layers
};
ValueKind kind_of(const Section& section, const Key& key);
std::string kind_text(ValueKind kind);
std::string default_text(const Section& section, const Key& key);  // as TOML; empty: none

// A material parameter's value as a scene may give it: a word, an angle in degrees, or a number in SI with six digits.
struct ShownValue {
  std::string text, unit;
};
ShownValue shown_value(const ParameterInfo& parameter, double value);
std::string shown_range(const ParameterInfo& parameter);  // of a number: "> 0", "0 to 89 deg"

// Markdown of all models and presets: docs/materials.md.
std::string materials_page();

}  // namespace dollop
