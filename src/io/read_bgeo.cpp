#include "io/read_bgeo.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>
#include <string>

#include "io/read_rows.h"

namespace dollop {

namespace {

static_assert(std::endian::native == std::endian::little);
struct FromBigEndian {
  std::uint32_t operator()(std::uint32_t word) const { return __builtin_bswap32(word); }
};
using Rows = RowReader<FromBigEndian>;

enum Kind : std::uint32_t { real = 0, integer = 1, vector = 5 };

struct Column {
  std::string name;
  std::size_t components, offset;  // in words
  std::uint32_t kind;
  bool is_integer(const char* wanted) const { return name == wanted && kind == integer && components == 1; }
};

struct Header {
  std::size_t points = 0, words = 4;  // x y z w, then the columns
  std::vector<Column> columns = {};
};

// name, number of components, kind, defaults
Column read_column(ByteReader& in, std::size_t offset) {
  Column column;
  column.name = in.take(in.big_u16());
  column.components = in.big_u16();
  column.kind = in.big_u32();
  column.offset = offset;
  if (column.components == 0) in.fail(fmt::format("its attribute '{}' has no components", column.name));
  if (column.kind != real && column.kind != integer && column.kind != vector)
    in.fail(fmt::format("its attribute '{}' does not hold numbers", column.name));
  in.take(4 * column.components);
  return column;
}

Header read_header(ByteReader& in) {
  if (in.left() < 5 || in.take(5) != "BgeoV") in.fail("is not a classic .bgeo file");
  if (const std::uint32_t version = in.big_u32(); version != 5)
    in.fail(fmt::format("is of version {}, not 5", version));
  Header header;
  header.points = in.big_u32();
  const std::uint32_t primitives = in.big_u32(), point_groups = in.big_u32(), groups = in.big_u32();
  const std::uint32_t attributes = in.big_u32();
  const std::uint32_t others = std::max({in.big_u32(), in.big_u32(), in.big_u32()});
  if (std::max({primitives, point_groups, groups, others}) > 0)
    in.fail("holds more than points and their attributes");

  std::set<std::string> names;
  for (std::uint32_t i = 0; i < attributes; ++i) {
    Column column = read_column(in, header.words);
    if (!names.insert(column.name).second)
      in.fail(fmt::format("has two attributes of the name '{}'", column.name));
    header.words += column.components;
    header.columns.push_back(std::move(column));
  }
  return header;
}

std::vector<std::uint64_t> read_ids(const Rows& rows, const Header& header, const Column& low) {
  const auto high = std::find_if(header.columns.begin(), header.columns.end(),
                                 [](const Column& c) { return c.is_integer("id_high"); });
  std::vector<std::uint64_t> ids(header.points);
  for (std::size_t p = 0; p < ids.size(); ++p) {
    ids[p] = rows.at(p, low.offset);
    if (high != header.columns.end()) ids[p] |= std::uint64_t(rows.at(p, high->offset)) << 32;
  }
  return ids;
}

std::vector<float> read_values(const Rows& rows, const Column& column) {
  if (column.kind != integer) return rows.column<float>(column.offset, column.components);
  const auto numbers = rows.column<std::int32_t>(column.offset, column.components);
  return {numbers.begin(), numbers.end()};
}

}  // namespace

ParticleFrame read_bgeo(const std::filesystem::path& file) {
  const std::string bytes = read_whole_file(file);
  ByteReader in(bytes, file);
  const Header header = read_header(in);
  const std::size_t row_bytes = 4 * header.words;
  if (header.points > in.left() / row_bytes)
    in.fail(
        fmt::format("should hold {} points and ends too early: it is damaged or was not written to its end",
                    header.points));
  const Rows rows(in.take(header.points * row_bytes), header.points, header.words);
  if (in.take(2) != std::string_view("\x00\xff", 2) || in.left() > 0) in.fail("does not end where it should");

  ParticleFrame frame;
  frame.position = rows.column<float>(0, 3);
  for (const Column& column : header.columns) {
    if (column.is_integer("id"))
      frame.id = read_ids(rows, header, column);
    else if (column.is_integer("material"))
      frame.material = rows.column<std::int32_t>(column.offset, 1);
    else if (!column.is_integer("id_high"))
      frame.attributes.push_back({column.name == "v" && column.components == 3 ? "velocity" : column.name,
                                  int(column.components), read_values(rows, column)});
  }
  return frame;
}

}  // namespace dollop
