#include "io/bgeo.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>

#include "io/frame_layout.h"

namespace dollop {

namespace {

static_assert(std::endian::native == std::endian::little);
struct BigEndian {
  std::uint32_t operator()(std::uint32_t word) const { return __builtin_bswap32(word); }
};

enum class Kind : std::uint32_t { real = 0, integer = 1, vector = 5 };

void append_u16(std::string& header, std::size_t value) {
  header += char(value >> 8 & 0xff);
  header += char(value & 0xff);
}
void append_u32(std::string& header, std::size_t value) {
  append_u16(header, value >> 16);
  append_u16(header, value);
}

// name, number of components, kind and a default for each component
void append_attribute(std::string& header, const std::string& name, int components, Kind kind) {
  append_u16(header, name.size());
  header += name;
  append_u16(header, std::size_t(components));
  append_u32(header, std::size_t(kind));
  for (int k = 0; k < components; ++k) append_u32(header, 0);
}

constexpr std::uint64_t largest_integer = std::numeric_limits<std::int32_t>::max();

bool ids_need_two_words(const ParticleFrame& frame) {
  return std::any_of(frame.id.begin(), frame.id.end(), [](std::uint64_t id) { return id > largest_integer; });
}

}  // namespace

void write_bgeo(AtomicFile& out, const ParticleFrame& frame) {
  const std::size_t count = count_particles(frame);
  if (count > largest_integer)
    throw OutputError(out.path(), "a .bgeo file holds at most 2147483647 particles; choose vtp or ply");
  const bool has_id = has_ids(frame), has_material = has_materials(frame);
  const bool has_high = ids_need_two_words(frame);

  // attributes, in the order of the columns below
  std::string attributes;
  std::size_t words = 4, attribute_count = frame.attributes.size() + has_id + has_high + has_material;
  for (const Attribute& attribute : frame.attributes) {
    if (attribute.name == "velocity" && attribute.components == 3)
      append_attribute(attributes, "v", 3, Kind::vector);
    else
      append_attribute(attributes, attribute.name, attribute.components, Kind::real);
    words += std::size_t(attribute.components);
  }
  if (has_id) append_attribute(attributes, "id", 1, Kind::integer);
  if (has_high) append_attribute(attributes, "id_high", 1, Kind::integer);
  if (has_material) append_attribute(attributes, "material", 1, Kind::integer);
  words += std::size_t(has_id + has_high + has_material);

  // points, primitives, groups of points and of primitives; attributes of points, vertices, primitives, the whole
  std::string header = "BgeoV";
  for (const std::size_t number : {std::size_t(5), count, std::size_t(0), std::size_t(0), std::size_t(0),
                                   attribute_count, std::size_t(0), std::size_t(0), std::size_t(0)})
    append_u32(header, number);
  out.write(header);
  out.write(attributes);

  RowWriter<BigEndian> rows(out, words);
  rows.write(count, [&] {
    rows.column(frame.position.data(), 3);
    rows.computed_column([](std::size_t) { return std::bit_cast<std::uint32_t>(1.0f); });  // w
    for (const Attribute& attribute : frame.attributes)
      rows.column(attribute.values.data(), std::size_t(attribute.components));
    if (has_id) rows.computed_column([&](std::size_t p) { return std::uint32_t(frame.id[p]); });
    if (has_high) rows.computed_column([&](std::size_t p) { return std::uint32_t(frame.id[p] >> 32); });
    if (has_material) rows.column(frame.material.data(), 1);
  });
  out.write("\x00\xff", 2);  // end of the file, no further sections
}

}  // namespace dollop
