// The text format of USD: prims whose attributes are arrays with one time sample, and the stage metadata that all our
// files share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "io/atomic_file.h"

namespace dollop {

// An attribute of a prim. Its value may differ between frames, its declaration may not.
struct UsdaAttribute {
  std::string type;                            // such as "point3f[]"
  std::string name;                            // such as "points" or "primvars:mass"
  std::vector<std::string> metadata;           // such as "interpolation = \"vertex\""
  std::function<void(AtomicFile& out)> write;  // writes its value
};

struct UsdaPrim {
  std::string type, name;                   // such as "Points", "particles"
  std::vector<std::string> fixed = {};      // complete lines of attributes that are constant in time
  std::vector<UsdaAttribute> sampled = {};  // attributes with time samples
};

// The time range of a layer.
struct UsdaTimes {
  double first = 0, last = 0;  // time codes
  double rate = 1;             // time codes per second [1/s]
};
std::string usda_header(const std::string& default_prim, const std::string& comment, const UsdaTimes& times);

// The declaration of a prim without time samples, the text inside its braces, for layers that combine frames.
std::string usda_declaration(const UsdaPrim& prim, const std::string& indent);

// Writes a layer with one prim and one time sample of each of its attributes.
void write_usda_sample(AtomicFile& out, const UsdaPrim& prim, double time_code, double rate);

// A valid USD identifier: letters, digits and underscores.
std::string usda_identifier(std::string_view name);
std::string usda_string(std::string_view text);  // quoted

// Writes an array of `count` numbers, or of tuples of `components` numbers.
void write_usda_array(AtomicFile& out, const float* values, std::size_t count, int components);
void write_usda_array(AtomicFile& out, const std::int32_t* values, std::size_t count);
void write_usda_array(AtomicFile& out, const std::uint32_t* values, std::size_t count);
void write_usda_array(AtomicFile& out, const std::uint64_t* values, std::size_t count);

}  // namespace dollop
