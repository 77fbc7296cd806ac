#include "io/usda_text.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "io/text_rows.h"

namespace dollop {

namespace {

// USD spells inf and nan like this
void append_number(TextBuffer& text, float value) {
  if (std::isnan(value))
    text.append(std::string_view("nan"));
  else
    fmt::format_to(std::back_inserter(text), FMT_COMPILE("{}"), value);
}

template <class T>
void write_integers(AtomicFile& out, const T* values, std::size_t count) {
  out.write("[");
  write_text_rows(out, count, [&](TextBuffer& text, std::size_t i) {
    if (i > 0) text.append(std::string_view(", "));
    fmt::format_to(std::back_inserter(text), FMT_COMPILE("{}"), values[i]);
  });
  out.write("]");
}

std::string declaration_line(const UsdaAttribute& attribute, const std::string& indent) {
  std::string text = fmt::format("{}{} {}", indent, attribute.type, attribute.name);
  if (attribute.metadata.empty()) return text + "\n";
  text += " (\n";
  for (const std::string& line : attribute.metadata) text += fmt::format("{}    {}\n", indent, line);
  return text + indent + ")\n";
}

}  // namespace

std::string usda_header(const std::string& default_prim, const std::string& comment, const UsdaTimes& times) {
  return fmt::format(
      "#usda 1.0\n(\n    defaultPrim = \"{}\"\n    doc = {}\n    endTimeCode = {}\n    framesPerSecond = {}\n"
      "    metersPerUnit = 1\n    startTimeCode = {}\n    timeCodesPerSecond = {}\n    upAxis = \"Y\"\n)\n",
      default_prim, usda_string(comment), times.last, times.rate, times.first, times.rate);
}

std::string usda_declaration(const UsdaPrim& prim, const std::string& indent) {
  std::string text;
  for (const std::string& line : prim.fixed) text += fmt::format("{}{}\n", indent, line);
  for (const UsdaAttribute& attribute : prim.sampled) text += declaration_line(attribute, indent);
  return text;
}

void write_usda_sample(AtomicFile& out, const UsdaPrim& prim, double time_code, double rate) {
  const std::string indent = "    ";
  out.write(usda_header(prim.name, "written by dollop", {time_code, time_code, rate}));
  out.write(fmt::format("\ndef {} \"{}\"\n{{\n", prim.type, prim.name));
  for (const std::string& line : prim.fixed) out.write(fmt::format("{}{}\n", indent, line));
  for (const UsdaAttribute& attribute : prim.sampled) {
    if (!attribute.metadata.empty()) out.write(declaration_line(attribute, indent));
    out.write(fmt::format("{0}{1} {2}.timeSamples = {{\n{0}    {3}: ", indent, attribute.type, attribute.name,
                          time_code));
    attribute.write(out);
    out.write(fmt::format(",\n{}}}\n", indent));
  }
  out.write("}\n");
}

std::string usda_identifier(std::string_view name) {
  std::string word;
  for (const char c : name) word += std::isalnum((unsigned char)(c)) ? c : '_';
  if (word.empty() || std::isdigit((unsigned char)(word[0]))) word.insert(word.begin(), '_');
  return word;
}

std::string usda_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += (unsigned char)(c) < 32 ? ' ' : c;
  }
  return quoted + "\"";
}

void write_usda_array(AtomicFile& out, const float* values, std::size_t count, int components) {
  out.write("[");
  write_text_rows(out, count, [&](TextBuffer& text, std::size_t i) {
    if (i > 0) text.append(std::string_view(", "));
    if (components > 1) text.push_back('(');
    for (int k = 0; k < components; ++k) {
      if (k > 0) text.append(std::string_view(", "));
      append_number(text, values[i * std::size_t(components) + std::size_t(k)]);
    }
    if (components > 1) text.push_back(')');
  });
  out.write("]");
}

void write_usda_array(AtomicFile& out, const std::int32_t* values, std::size_t count) {
  write_integers(out, values, count);
}
void write_usda_array(AtomicFile& out, const std::uint32_t* values, std::size_t count) {
  write_integers(out, values, count);
}
void write_usda_array(AtomicFile& out, const std::uint64_t* values, std::size_t count) {
  write_integers(out, values, count);
}

}  // namespace dollop
