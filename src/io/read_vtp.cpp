#include "io/read_vtp.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace dollop {

namespace {

// An XML tag: its name and its attributes. The name of a closing tag begins with a slash.
struct Tag {
  std::string name;
  std::map<std::string, std::string> attributes = {};
  std::string get(const char* key) const {
    const auto found = attributes.find(key);
    return found == attributes.end() ? std::string() : found->second;
  }
};

std::string unescape_xml(std::string_view text) {
  constexpr std::pair<std::string_view, char> entities[] = {
      {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
  std::string plain;
  while (!text.empty()) {
    std::size_t length = 1;
    char c = text[0];
    for (const auto& [entity, character] : entities)
      if (text.starts_with(entity)) length = entity.size(), c = character;
    plain += c;
    text.remove_prefix(length);
  }
  return plain;
}

// reads the tag that begins after '<' and advances the text beyond its '>'; false if it is malformed
bool read_tag(std::string_view& text, Tag& tag) {
  const auto skip_blanks = [&] {
    while (!text.empty() && std::string_view(" \t\r\n").find(text[0]) != std::string_view::npos)
      text.remove_prefix(1);
  };
  const std::size_t end = text.find_first_of(" \t\r\n>", 1);
  if (end == std::string_view::npos) return false;
  tag.name = text.substr(0, end);
  text.remove_prefix(end);
  for (skip_blanks(); !text.empty(); skip_blanks()) {
    if (text[0] == '>') return text.remove_prefix(1), true;
    if (text[0] == '/' || text[0] == '?') {
      text.remove_prefix(1);
      continue;
    }
    const std::size_t equal = text.find("=\"");
    const std::size_t quote = equal == std::string_view::npos ? equal : text.find('"', equal + 2);
    if (quote == std::string_view::npos) return false;
    tag.attributes[std::string(text.substr(0, equal))] =
        unescape_xml(text.substr(equal + 2, quote - equal - 2));
    text.remove_prefix(quote + 1);
  }
  return false;
}

struct Array {
  std::string section, name, type;
  std::size_t components = 1, offset = 0;
};

struct Description {
  std::size_t points = 0;
  std::vector<Array> arrays = {};
};

class VtpFile {
 public:
  VtpFile(std::string_view bytes, const std::filesystem::path& file) : bytes_(bytes), file_(file) {}

  ParticleFrame read() {
    const Description found = describe();
    ParticleFrame frame;
    std::set<std::string> names;
    bool has_points = false;
    for (const Array& array : found.arrays) {
      if (array.section == "FieldData" && array.name == "TimeValue" && array.type == "Float64")
        frame.time = values<double>(array, 1)[0];
      if (array.section == "Points" && array.type == "Float32" && array.components == 3) {
        frame.position = values<float>(array, found.points * 3);
        has_points = true;
      }
      if (array.section != "PointData") continue;
      if (!names.insert(array.name).second) fail(fmt::format("has two arrays of the name '{}'", array.name));
      add_column(array, found.points, frame);
    }
    if (!has_points) fail("has no array of points with three numbers of type Float32");
    return frame;
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const { throw InputError(file_, reason); }

  std::size_t number(const Tag& tag, const char* key) const {
    const std::string text = tag.get(key);
    std::size_t value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || stop != text.data() + text.size())
      fail(fmt::format("{}=\"{}\" of <{}> is not a number", key, text, tag.name));
    return value;
  }

  // parses the XML up to the appended data, which begins after an underscore
  Description describe() {
    Description found;
    std::string_view text = bytes_;
    std::string section;
    bool is_vtp = false, has_piece = false;
    for (std::size_t open = text.find('<'); open != std::string_view::npos; open = text.find('<')) {
      text.remove_prefix(open + 1);
      Tag tag;
      if (!read_tag(text, tag)) break;
      if (tag.name == "VTKFile") {
        is_vtp = tag.get("type") == "PolyData" && tag.get("byte_order") == "LittleEndian" &&
                 tag.get("header_type") == "UInt64" && tag.get("compressor").empty();
        if (!is_vtp)
          fail("is not VTK PolyData, little-endian, with headers of UInt64 and without compression");
      } else if (tag.name == "Piece") {
        if (std::exchange(has_piece, true)) fail("has more than one piece");
        found.points = number(tag, "NumberOfPoints");
        // guards the products below against overflow: a particle has more than a byte
        if (found.points > bytes_.size())
          fail(fmt::format("should hold {} particles and ends too early", found.points));
      } else if (tag.name == "DataArray") {
        found.arrays.push_back(array_of(tag, section));
      } else if (tag.name == "AppendedData") {
        const std::size_t start = text.find('_');
        if (tag.get("encoding") != "raw" || start == std::string_view::npos)
          fail("its appended data are not raw bytes");
        appended_ = text.substr(start + 1);
        if (!is_vtp || !has_piece) fail("is not a .vtp file");
        return found;
      } else {
        section = tag.name;
      }
    }
    fail(is_vtp ? "ends within its XML: it is damaged or was not written to its end" : "is not a .vtp file");
  }

  Array array_of(const Tag& tag, const std::string& section) const {
    if (tag.get("format") != "appended") fail(fmt::format("its array '{}' is not appended", tag.get("Name")));
    Array array{section, tag.get("Name"), tag.get("type")};
    if (tag.attributes.contains("NumberOfComponents")) array.components = number(tag, "NumberOfComponents");
    array.offset = number(tag, "offset");
    constexpr std::size_t max_components = 1 << 16;  // guards the products below against overflow
    if (array.components == 0 || array.components > max_components)
      fail(fmt::format("its array '{}' has {} components", array.name, array.components));
    return array;
  }

  // the block at the array's offset, whose size must match `count` values
  template <class T>
  std::vector<T> values(const Array& array, std::size_t count) const {
    if (array.offset > appended_.size()) fail(fmt::format("its array '{}' lies beyond its end", array.name));
    ByteReader in(appended_.substr(array.offset), file_);
    const std::uint64_t bytes = in.little_u64();
    const std::string_view block = in.take(bytes);
    if (bytes / sizeof(T) != count || bytes % sizeof(T) != 0)
      fail(fmt::format("its array '{}' has {} bytes, not the {} numbers that it should", array.name, bytes,
                       count));
    std::vector<T> numbers(count);
    if (count > 0) std::memcpy(numbers.data(), block.data(), bytes);
    return numbers;
  }

  void add_column(const Array& array, std::size_t points, ParticleFrame& frame) const {
    if (array.name == "id" && array.type == "Int64" && array.components == 1) {
      frame.id = values<std::uint64_t>(array, points);
    } else if (array.name == "material" && array.type == "Int32" && array.components == 1) {
      frame.material = values<std::int32_t>(array, points);
    } else if (array.type == "Float32") {
      Attribute attribute{array.name, int(array.components), values<float>(array, points * array.components)};
      if (attribute.components == 6)  // VTK's order has yz before xz
        for (std::size_t p = 0; p < points; ++p)
          std::swap(attribute.values[6 * p + 4], attribute.values[6 * p + 5]);
      frame.attributes.push_back(std::move(attribute));
    } else {
      fail(fmt::format("its array '{}' is of the type '{}', which is not read", array.name, array.type));
    }
  }

  std::string_view bytes_, appended_;
  const std::filesystem::path& file_;
};

}  // namespace

ParticleFrame read_vtp(const std::filesystem::path& file) {
  const std::string bytes = read_whole_file(file);
  // the last arrays are not read, so the closing tag must show that the file is complete
  if (bytes.find("</VTKFile>", bytes.size() - std::min<std::size_t>(bytes.size(), 32)) == std::string::npos)
    throw InputError(file, bytes.starts_with("<?xml") || bytes.starts_with("<VTKFile")
                               ? "ends too early: it is damaged or was not written to its end"
                               : "is not a .vtp file");
  return VtpFile(bytes, file).read();
}

}  // namespace dollop
