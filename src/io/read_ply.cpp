#include "io/read_ply.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <string>

#include "io/frame_layout.h"
#include "io/read_rows.h"

namespace dollop {

namespace {

static_assert(std::endian::native == std::endian::little);
struct FromLittleEndian {
  std::uint32_t operator()(std::uint32_t word) const { return word; }
};
using Rows = RowReader<FromLittleEndian>;

struct Property {
  std::string type, name;
  std::size_t offset;  // in words
};

struct Header {
  double time = 0;
  std::size_t count = 0, words = 0;
  std::vector<Property> properties = {};
};

template <class T>
bool to_number(std::string_view text, T& value) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && stop == text.data() + text.size();
}

// "property float x"
void read_property(ByteReader& in, std::string_view text, Header& header) {
  const std::size_t blank = text.find(' ');
  if (blank == std::string_view::npos) in.fail(fmt::format("its header holds 'property {}'", text));
  Property property{std::string(text.substr(0, blank)), std::string(text.substr(blank + 1)), header.words};
  const bool wide = property.type == "double";
  if (!wide && property.type != "float" && property.type != "uint" && property.type != "int")
    in.fail(fmt::format("its property '{}' is a {}; only float, double, int and uint are read", property.name,
                        property.type));
  for (const Property& other : header.properties)
    if (other.name == property.name)
      in.fail(fmt::format("has two properties of the name '{}'", property.name));
  header.words += wide ? 2 : 1;
  header.properties.push_back(std::move(property));
}

Header read_header(ByteReader& in) {
  if (in.left() < 4 || in.take(4) != "ply\n") in.fail("is not a .ply file");
  if (in.line() != "format binary_little_endian 1.0")
    in.fail("is not a binary .ply file of little-endian order");
  constexpr std::string_view time = "comment dollop, time ", vertex = "element vertex ",
                             property = "property ";
  Header header;
  bool has_vertices = false;
  for (std::string_view line = in.line(); line != "end_header"; line = in.line()) {
    if (line.starts_with(time) && line.ends_with(" s")) {
      to_number(line.substr(time.size(), line.size() - time.size() - 2), header.time);
    } else if (line.starts_with("comment")) {
      continue;
    } else if (line.starts_with(vertex) && !has_vertices) {
      has_vertices = to_number(line.substr(vertex.size()), header.count);
      if (!has_vertices) in.fail(fmt::format("its header holds '{}'", line));
    } else if (line.starts_with(property) && has_vertices) {
      read_property(in, line.substr(property.size()), header);
    } else {
      in.fail(fmt::format("its header holds '{}', which no file of particles has", line.substr(0, 80)));
    }
  }
  return header;
}

// The number of components, and the name, of the attribute that begins at property `first`; 0: no attribute begins
// there.
int components_at(const std::vector<Property>& properties, std::size_t first, std::string& name) {
  const auto matches = [&](int components) {
    const std::vector<std::string> suffixes = component_names(components);
    if (first + suffixes.size() > properties.size()) return false;
    for (std::size_t k = 0; k < suffixes.size(); ++k)
      if (properties[first + k].type != "float" || properties[first + k].name != name + "_" + suffixes[k])
        return false;
    return true;
  };
  const std::string& start = properties[first].name;
  const std::size_t underscore = start.rfind('_');
  if (underscore == std::string::npos) return 0;
  name = start.substr(0, underscore);
  for (const int components : {9, 6, 3})
    if (matches(components)) return components;
  int numbered = 0;
  while (first + std::size_t(numbered) < properties.size() &&
         properties[first + std::size_t(numbered)].type == "float" &&
         properties[first + std::size_t(numbered)].name == fmt::format("{}_{}", name, numbered))
    ++numbered;
  return numbered;
}

bool is_velocity(const std::vector<Property>& properties, std::size_t first) {
  return first + 2 < properties.size() && properties[first].name == "vx" &&
         properties[first + 1].name == "vy" && properties[first + 2].name == "vz" &&
         properties[first].type == "float" && properties[first + 1].type == "float" &&
         properties[first + 2].type == "float";
}

// ids are integers, stored as double if they need more than 32 bits
std::vector<std::uint64_t> read_ids(ByteReader& in, const Rows& rows, const Property& id, std::size_t count) {
  std::vector<std::uint64_t> ids(count);
  for (std::size_t p = 0; p < count; ++p) {
    if (id.type == "double") {
      const auto bits = std::uint64_t(rows.at(p, id.offset + 1)) << 32 | rows.at(p, id.offset);
      const auto number = std::bit_cast<double>(bits);
      if (!(number >= 0 && number < 0x1p64)) in.fail(fmt::format("the id of particle {} is {}", p, number));
      ids[p] = std::uint64_t(number);
    } else {
      ids[p] = rows.at(p, id.offset);
    }
  }
  return ids;
}

std::vector<float> read_numbers(const Rows& rows, const Property& property, std::size_t count) {
  if (property.type == "float") return rows.column<float>(property.offset, 1);
  std::vector<float> values(count);
  for (std::size_t p = 0; p < count; ++p) {
    const std::uint32_t low = rows.at(p, property.offset);
    values[p] =
        property.type == "int" ? float(std::int32_t(low))
        : property.type == "uint"
            ? float(low)
            : float(std::bit_cast<double>(std::uint64_t(rows.at(p, property.offset + 1)) << 32 | low));
  }
  return values;
}

void read_columns(ByteReader& in, const Rows& rows, const Header& header, ParticleFrame& frame) {
  const std::vector<Property>& properties = header.properties;
  std::string name;
  for (std::size_t i = 3; i < properties.size();) {
    const Property& property = properties[i];
    int components = 1;
    if (property.name == "id" && property.type != "float" && property.type != "int") {
      frame.id = read_ids(in, rows, property, header.count);
    } else if (property.name == "material" && property.type == "int") {
      frame.material = rows.column<std::int32_t>(property.offset, 1);
    } else if (is_velocity(properties, i)) {
      components = 3;
      frame.attributes.push_back({"velocity", 3, rows.column<float>(property.offset, 3)});
    } else if (const int found = components_at(properties, i, name); found > 0) {
      components = found;
      frame.attributes.push_back({name, found, rows.column<float>(property.offset, std::size_t(found))});
    } else {
      frame.attributes.push_back({property.name, 1, read_numbers(rows, property, header.count)});
    }
    i += std::size_t(components);
  }
}

}  // namespace

ParticleFrame read_ply(const std::filesystem::path& file) {
  const std::string bytes = read_whole_file(file);
  ByteReader in(bytes, file);
  const Header header = read_header(in);
  for (std::size_t k = 0; k < 3; ++k)
    if (header.properties.size() < 3 || header.properties[k].name != std::string(1, "xyz"[k]) ||
        header.properties[k].type != "float")
      in.fail("its first three properties are not the floats x, y, z");
  const std::size_t row_bytes = 4 * header.words;
  if (header.count > in.left() / row_bytes)
    in.fail(fmt::format(
        "should hold {} particles and ends too early: it is damaged or was not written to its end",
        header.count));
  const Rows rows(in.take(header.count * row_bytes), header.count, header.words);
  if (in.left() > 0) in.fail("does not end where it should");

  ParticleFrame frame;
  frame.time = header.time;
  frame.position = rows.column<float>(0, 3);
  read_columns(in, rows, header, frame);
  return frame;
}

}  // namespace dollop
