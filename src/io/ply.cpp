#include "io/ply.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>

#include "io/frame_layout.h"

namespace dollop {

namespace {

static_assert(std::endian::native == std::endian::little);
struct LittleEndian {
  std::uint32_t operator()(std::uint32_t word) const { return word; }
};

std::string property_names(const Attribute& attribute) {
  const bool velocity = attribute.name == "velocity" && attribute.components == 3;
  std::string text;
  for (const std::string& component : component_names(attribute.components))
    text += velocity            ? fmt::format("property float v{}\n", component)
            : component.empty() ? fmt::format("property float {}\n", attribute.name)
                                : fmt::format("property float {}_{}\n", attribute.name, component);
  return text;
}

std::string ply_header(const ParticleFrame& frame, std::size_t count, bool wide_ids) {
  std::string text = fmt::format(
      "ply\nformat binary_little_endian 1.0\ncomment dollop, time {} s\nelement vertex {}\n"
      "property float x\nproperty float y\nproperty float z\n",
      frame.time, count);
  for (const Attribute& attribute : frame.attributes) text += property_names(attribute);
  if (has_ids(frame)) text += wide_ids ? "property double id\n" : "property uint id\n";
  if (has_materials(frame)) text += "property int material\n";
  return text + "end_header\n";
}

}  // namespace

void write_ply(AtomicFile& out, const ParticleFrame& frame) {
  const std::size_t count = count_particles(frame);
  const bool has_id = has_ids(frame), has_material = has_materials(frame);
  // PLY has no integers of 64 bits; a double is exact up to 2^53
  const bool wide_ids = std::any_of(frame.id.begin(), frame.id.end(), [](std::uint64_t id) {
    return id > std::numeric_limits<std::uint32_t>::max();
  });
  std::size_t words = 3 + std::size_t(has_id + wide_ids + has_material);
  for (const Attribute& attribute : frame.attributes) words += std::size_t(attribute.components);

  out.write(ply_header(frame, count, wide_ids));
  const auto wide = [&](std::size_t p) { return std::bit_cast<std::uint64_t>(double(frame.id[p])); };
  RowWriter<LittleEndian> rows(out, words);
  rows.write(count, [&] {
    rows.column(frame.position.data(), 3);
    for (const Attribute& attribute : frame.attributes)
      rows.column(attribute.values.data(), std::size_t(attribute.components));
    if (wide_ids) {
      rows.computed_column([&](std::size_t p) { return std::uint32_t(wide(p)); });
      rows.computed_column([&](std::size_t p) { return std::uint32_t(wide(p) >> 32); });
    } else if (has_id) {
      rows.computed_column([&](std::size_t p) { return std::uint32_t(frame.id[p]); });
    }
    if (has_material) rows.column(frame.material.data(), 1);
  });
}

}  // namespace dollop
