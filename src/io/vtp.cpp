#include "io/vtp.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "io/frame_layout.h"
#include "io/mesh_columns.h"
#include "io/xml.h"

namespace dollop {

namespace {

static_assert(std::endian::native == std::endian::little);

// One array of the appended data: its XML element, its size, and the function that writes it.
struct Block {
  std::string attributes;  // of the DataArray element
  std::uint64_t bytes;
  std::function<void(AtomicFile&)> write;
};

// writes value(i) for i in [0, count), in chunks
template <class Value>
void write_values(AtomicFile& out, std::size_t count, Value&& value) {
  std::vector<decltype(value(std::size_t(0)))> piece;
  piece.resize(std::min<std::size_t>(count, 1 << 13));
  for (std::size_t first = 0; first < count; first += piece.size()) {
    const std::size_t n = std::min(piece.size(), count - first);
    for (std::size_t i = 0; i < n; ++i) piece[i] = value(first + i);
    out.write(piece.data(), n * sizeof(piece[0]));
  }
}

template <class Value>
Block computed_block(const std::string& attributes, std::size_t count, Value value) {
  return {attributes, count * sizeof(value(0)),
          [count, value](AtomicFile& out) { write_values(out, count, value); }};
}

Block plain_block(const std::string& attributes, const std::vector<float>& values) {
  return {attributes, values.size() * sizeof(float),
          [&values](AtomicFile& out) { out.write(values.data(), values.size() * sizeof(float)); }};
}

std::string upper_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) { return char(c >= 'a' ? c - 32 : c); });
  return text;
}

Block attribute_block(const Attribute& attribute) {
  std::string text = fmt::format(R"(type="Float32" Name="{}" NumberOfComponents="{}")",
                                 escape_xml(attribute.name), attribute.components);
  std::vector<std::string> names = component_names(attribute.components);
  const bool symmetric = attribute.components == 6;
  if (symmetric) std::swap(names[4], names[5]);  // VTK's order has yz before xz
  if (names.size() > 1)
    for (std::size_t k = 0; k < names.size(); ++k)
      text += fmt::format(R"( ComponentName{}="{}")", k, upper_case(names[k]));
  if (!symmetric) return plain_block(text, attribute.values);
  const float* values = attribute.values.data();
  return computed_block(text, attribute.values.size(), [values](std::size_t i) {
    const std::size_t k = i % 6;
    return values[k < 4 ? i : k == 4 ? i + 1 : i - 1];
  });
}

std::vector<Block> point_data(const ParticleFrame& frame, std::size_t count) {
  std::vector<Block> blocks;
  for (const Attribute& attribute : frame.attributes) blocks.push_back(attribute_block(attribute));
  const std::uint64_t* id = frame.id.data();
  if (has_ids(frame))
    blocks.push_back(computed_block(R"(type="Int64" Name="id" NumberOfComponents="1")", count,
                                    [id](std::size_t p) { return std::int64_t(id[p]); }));
  const std::int32_t* material = frame.material.data();
  if (has_materials(frame))
    blocks.push_back(computed_block(R"(type="Int32" Name="material" NumberOfComponents="1")", count,
                                    [material](std::size_t p) { return material[p]; }));
  return blocks;
}

// one vertex cell per particle, so that ParaView shows them
template <class Index>
std::vector<Block> vertices(const char* type, std::size_t count) {
  return {computed_block(fmt::format(R"(type="{}" Name="connectivity")", type), count,
                         [](std::size_t p) { return Index(p); }),
          computed_block(fmt::format(R"(type="{}" Name="offsets")", type), count,
                         [](std::size_t p) { return Index(p + 1); })};
}

bool has_velocity(const ParticleFrame& frame) {
  return std::any_of(frame.attributes.begin(), frame.attributes.end(),
                     [](const Attribute& a) { return a.name == "velocity" && a.components == 3; });
}

// A PolyData file: the sections of its one piece, and the number of its cells of each kind.
struct PolyData {
  double time;
  std::size_t points, vertices = 0, polygons = 0;
  std::vector<std::pair<std::string, std::vector<Block>>> sections = {};  // name with attributes, arrays
};

void write_poly_data(AtomicFile& out, PolyData data) {
  std::vector<Block> appended;
  std::uint64_t offset = 0;
  // an XML element for each block; its bytes follow at `offset` in the appended data, after their count
  const auto section = [&](const std::string& name, std::vector<Block> blocks) {
    std::string text = fmt::format("      <{}>\n", name);
    for (Block& block : blocks) {
      text += fmt::format("        <DataArray {} format=\"appended\" offset=\"{}\"/>\n", block.attributes,
                          offset);
      offset += sizeof(std::uint64_t) + block.bytes;
      appended.push_back(std::move(block));
    }
    return text + fmt::format("      </{}>\n", name.substr(0, name.find(' ')));
  };

  std::string xml =
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
      "  <PolyData>\n";
  const double time = data.time;
  xml += section("FieldData", {computed_block(R"(type="Float64" Name="TimeValue" NumberOfTuples="1")", 1,
                                              [time](std::size_t) { return time; })});
  xml += fmt::format(
      "    <Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"0\" "
      "NumberOfStrips=\"0\" NumberOfPolys=\"{}\">\n",
      data.points, data.vertices, data.polygons);
  for (auto& [name, blocks] : data.sections) xml += section(name, std::move(blocks));
  xml += "    </Piece>\n  </PolyData>\n  <AppendedData encoding=\"raw\">\n_";

  out.write(xml);
  for (const Block& block : appended) {
    out.write(&block.bytes, sizeof(block.bytes));
    block.write(out);
  }
  out.write("\n  </AppendedData>\n</VTKFile>\n");
}

Block vector_block(const char* name, const std::vector<Vec3<float>>& values) {
  static_assert(sizeof(Vec3<float>) == 3 * sizeof(float));
  return {fmt::format(R"(type="Float32" Name="{}" NumberOfComponents="3")", name),
          values.size() * sizeof(values[0]),
          [&values](AtomicFile& out) { out.write(values.data(), values.size() * sizeof(values[0])); }};
}

}  // namespace

void write_vtp(AtomicFile& out, const ParticleFrame& frame) {
  const std::size_t count = count_particles(frame);
  PolyData data{.time = frame.time, .points = count, .vertices = count};
  data.sections.emplace_back(has_velocity(frame) ? "PointData Vectors=\"velocity\"" : "PointData",
                             point_data(frame, count));
  data.sections.emplace_back(
      "Points",
      std::vector{plain_block(R"(type="Float32" Name="Points" NumberOfComponents="3")", frame.position)});
  const bool narrow = count <= std::size_t(std::numeric_limits<std::int32_t>::max());
  data.sections.emplace_back(
      "Verts", narrow ? vertices<std::int32_t>("Int32", count) : vertices<std::int64_t>("Int64", count));
  write_poly_data(out, std::move(data));
}

void write_mesh_vtp(AtomicFile& out, const SurfaceMesh& mesh, const FrameNotes& notes) {
  PolyData data{.time = mesh.time, .points = count_vertices(mesh), .polygons = mesh.triangles.size()};
  std::vector<Block> of_points;
  if (!mesh.normals.empty()) of_points.push_back(vector_block("normal", mesh.normals));
  if (!mesh.velocities.empty()) of_points.push_back(vector_block("velocity", mesh.velocities));
  const std::int32_t* part = mesh.material.data();
  if (!mesh.material.empty())
    of_points.push_back(computed_block(
        fmt::format(R"(type="Int32" Name="{}" NumberOfComponents="1")", escape_xml(notes.part)),
        mesh.material.size(), [part](std::size_t i) { return part[i]; }));
  const auto* triangles = mesh.triangles.data();
  const std::vector<Block> polygons{
      computed_block(R"(type="Int32" Name="connectivity")", 3 * mesh.triangles.size(),
                     [triangles](std::size_t i) { return std::int32_t(triangles[i / 3][i % 3]); }),
      computed_block(R"(type="Int32" Name="offsets")", mesh.triangles.size(),
                     [](std::size_t i) { return std::int32_t(3 * (i + 1)); })};
  data.sections.emplace_back("PointData", std::move(of_points));
  data.sections.emplace_back("Points", std::vector{vector_block("Points", mesh.positions)});
  data.sections.emplace_back("Polys", polygons);
  write_poly_data(out, std::move(data));
}

PvdCollection::PvdCollection(std::filesystem::path file, std::vector<Entry> earlier)
    : file_(std::move(file)), entries_(std::move(earlier)) {}

void PvdCollection::add(double time, const std::filesystem::path& frame_file) {
  entries_.push_back({time, frame_file});
  write();
}

void PvdCollection::write() const {
  std::string xml =
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
      "  <Collection>\n";
  const std::filesystem::path folder = std::filesystem::absolute(file_).lexically_normal().parent_path();
  for (const Entry& entry : entries_) {
    const auto name = std::filesystem::absolute(entry.file).lexically_normal().lexically_relative(folder);
    xml += fmt::format("    <DataSet timestep=\"{}\" part=\"0\" file=\"{}\"/>\n", entry.time,
                       escape_xml(name.generic_string()));
  }
  write_file(file_, xml + "  </Collection>\n</VTKFile>\n");
}

}  // namespace dollop
