// What a key takes, in words: shared by the reference and the schema.
#pragma once

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

// Markdown of all models and presets: docs/materials.md.
std::string materials_page();

}  // namespace dollop
