// The text form of USD: prims whose attributes are arrays, one sample in time, and the stage metadata that all our
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

// An attribute of a prim. What the same attribute has at other times may differ; its declaration may not.
struct UsdaAttribute {
  std::string type;                            // such as "point3f[]"
  std::string name;                            // such as "points" or "primvars:mass"
  std::vector<std::string> metadata;           // such as "interpolation = \"vertex\""
  std::function<void(AtomicFile& out)> write;  // its value
};

struct UsdaPrim {
  std::string type, name;                   // such as "Points", "particles"
  std::vector<std::string> fixed = {};      // whole lines of attributes that do not change with time
  std::vector<UsdaAttribute> sampled = {};  // those that do
};

// Times and units of a layer: metres, y up.
struct UsdaTimes {
  double first = 0, last = 0;  // time codes
  double rate = 1;             // time codes in a second [1/s]
};
std::string usda_header(const std::string& default_prim, const std::string& comment, const UsdaTimes& times);

// What a prim has, without the values that change: the inside of its braces, for the layers that gather frames.
std::string usda_declaration(const UsdaPrim& prim, const std::string& indent);

// A layer with one prim and one sample of each of its attributes.
void write_usda_sample(AtomicFile& out, const UsdaPrim& prim, double time_code, double rate);

// A name as USD wants it: letters, digits and underscores.
std::string usda_identifier(std::string_view name);
std::string usda_string(std::string_view text);  // quoted

// An array of `count` numbers, or of tuples of `components` of them, from plain memory.
void write_usda_array(AtomicFile& out, const float* values, std::size_t count, int components);
void write_usda_array(AtomicFile& out, const std::int32_t* values, std::size_t count);
void write_usda_array(AtomicFile& out, const std::uint32_t* values, std::size_t count);
void write_usda_array(AtomicFile& out, const std::uint64_t* values, std::size_t count);

}  // namespace dollop
