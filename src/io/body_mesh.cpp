#include "io/body_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <string>
#include <string_view>

#include "io/read_file.h"

namespace dollop {
namespace {

std::size_t index_of(const Scene& scene, const std::string& material) {
  const auto found = std::find_if(scene.materials.begin(), scene.materials.end(),
                                  [&](const Material& m) { return m.name == material; });
  return std::size_t(found - scene.materials.begin());
}

Vec3<float> vector_at(const std::vector<float>& numbers, std::size_t i) {
  return {numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]};
}

// The header of a file: numbers of vertices and triangles, and the word of a vertex at which each property begins.
struct Header {
  std::size_t vertices = 0, triangles = 0, words = 0;
  std::map<std::string, std::size_t, std::less<>> at = {};
};

std::size_t count_after(ByteReader& in, std::string_view line, std::string_view start) {
  std::size_t count = 0;
  const char* end = line.data() + line.size();
  const auto [stop, error] = std::from_chars(line.data() + start.size(), end, count);
  if (error != std::errc() || stop != end) in.fail(fmt::format("its header holds '{}'", line));
  return count;
}

Header read_header(ByteReader& in) {
  if (in.left() < 4 || in.take(4) != "ply\n" || in.line() != "format binary_little_endian 1.0")
    in.fail("is not a binary .ply file of little-endian order");
  constexpr std::string_view vertex = "element vertex ", face = "element face ";
  Header header;
  for (std::string_view line = in.line(); line != "end_header"; line = in.line()) {
    if (line.starts_with("comment") || line == "property list uchar int vertex_indices") continue;
    if (line.starts_with(vertex))
      header.vertices = count_after(in, line, vertex);
    else if (line.starts_with(face))
      header.triangles = count_after(in, line, face);
    else if (line.starts_with("property float ") || line.starts_with("property int "))
      header.at[std::string(line.substr(line.rfind(' ') + 1))] = header.words++;
    else
      in.fail(fmt::format("its header holds '{}', which no file of surface meshes has", line.substr(0, 80)));
  }
  for (const char* name : {"x", "y", "z", "nx", "ny", "nz", "vx", "vy", "vz", "body"})
    if (!header.at.contains(name)) in.fail(fmt::format("has no property '{}'", name));
  return header;
}

// some columns of the vertices, as rows
template <class T>
std::vector<T> columns_of(std::string_view rows, const Header& header,
                          std::initializer_list<std::string_view> names) {
  std::vector<T> values(header.vertices * names.size());
  std::size_t column = 0;
  for (const std::string_view name : names) {
    const std::size_t at = header.at.find(name)->second;
    for (std::size_t v = 0; v < header.vertices; ++v)
      std::memcpy(&values[v * names.size() + column], rows.data() + 4 * (v * header.words + at), 4);
    ++column;
  }
  return values;
}

std::vector<std::array<std::uint32_t, 3>> triangles_of(ByteReader& in, const Header& header) {
  constexpr std::size_t row = 13;  // a byte for the number of corners, then the corners
  const std::string_view rows = in.take(row * header.triangles);
  std::vector<std::array<std::uint32_t, 3>> triangles(header.triangles);
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    std::memcpy(triangles[t].data(), rows.data() + row * t + 1, row - 1);
    const bool known = std::all_of(triangles[t].begin(), triangles[t].end(),
                                   [&](std::uint32_t v) { return v < header.vertices; });
    if (rows[row * t] != 3 || !known) in.fail(fmt::format("triangle {} is damaged", t));
  }
  return triangles;
}

// the vertices [begin, end) of all, which are those of one body
BodyMesh part_of(const BodyMesh& all, int body, std::size_t begin, std::size_t end) {
  const auto cut = [&](const std::vector<float>& from, std::size_t width) {
    if (from.empty()) return from;
    return std::vector<float>(from.begin() + std::ptrdiff_t(width * begin),
                              from.begin() + std::ptrdiff_t(width * end));
  };
  BodyMesh part{.body = body};
  part.position = cut(all.position, 3), part.normal = cut(all.normal, 3),
  part.velocity = cut(all.velocity, 3);
  part.uv = cut(all.uv, 2);
  for (const auto& t : all.triangles)
    if (t[0] >= begin && t[0] < end)
      part.triangles.push_back(
          {t[0] - std::uint32_t(begin), t[1] - std::uint32_t(begin), t[2] - std::uint32_t(begin)});
  return part;
}

}  // namespace

int outer_material(const Scene& scene, const Body& body) {
  return int(index_of(scene, body.layers.empty() ? body.material : body.layers.front().material));
}

std::vector<bool> enclosed_materials(const Scene& scene, const std::vector<BodyMesh>& meshes) {
  std::vector<bool> enclosed(scene.materials.size(), false);
  const auto mark = [&](const std::string& material) {
    if (const std::size_t m = index_of(scene, material); m < enclosed.size()) enclosed[m] = true;
  };
  for (const BodyMesh& mesh : meshes) {
    const Body& body = scene.bodies[std::size_t(mesh.body)];
    mark(body.material);
    for (const Layer& layer : body.layers) mark(layer.material);
  }
  return enclosed;
}

SurfaceMesh join_meshes(const Scene& scene, const std::vector<BodyMesh>& meshes, double time) {
  SurfaceMesh joined{.time = time};
  const bool any_uv =
      std::any_of(meshes.begin(), meshes.end(), [](const BodyMesh& m) { return !m.uv.empty(); });
  for (const BodyMesh& mesh : meshes) {
    const auto first = std::uint32_t(joined.positions.size());
    const std::size_t count = mesh.position.size() / 3;
    for (std::size_t v = 0; v < count; ++v) {
      joined.positions.push_back(vector_at(mesh.position, v));
      joined.normals.push_back(vector_at(mesh.normal, v));
      joined.velocities.push_back(vector_at(mesh.velocity, v));
      if (any_uv)
        joined.uv.push_back(mesh.uv.empty() ? std::array<float, 2>{0, 0}
                                            : std::array<float, 2>{mesh.uv[2 * v], mesh.uv[2 * v + 1]});
    }
    joined.body.resize(joined.positions.size(), mesh.body);
    joined.material.resize(joined.positions.size(),
                           outer_material(scene, scene.bodies[std::size_t(mesh.body)]));
    for (const auto& [a, b, c] : mesh.triangles)
      joined.triangles.push_back({first + a, first + b, first + c});
  }
  return joined;
}

std::vector<BodyMesh> read_body_meshes(const std::filesystem::path& file) {
  const std::string bytes = read_whole_file(file);
  ByteReader in(bytes, file);
  const Header header = read_header(in);
  const std::size_t row = 4 * header.words;
  if (header.vertices > in.left() / row || header.triangles > in.left() / 13 ||
      row * header.vertices + 13 * header.triangles != in.left())
    in.fail("does not have the length that its header says: it is damaged or was not written to its end");
  const std::string_view rows = in.take(row * header.vertices);
  BodyMesh all;
  all.position = columns_of<float>(rows, header, {"x", "y", "z"});
  all.normal = columns_of<float>(rows, header, {"nx", "ny", "nz"});
  all.velocity = columns_of<float>(rows, header, {"vx", "vy", "vz"});
  if (header.at.contains("s") && header.at.contains("t"))
    all.uv = columns_of<float>(rows, header, {"s", "t"});
  const auto body = columns_of<std::int32_t>(rows, header, {"body"});
  all.triangles = triangles_of(in, header);
  for (const auto& [a, b, c] : all.triangles)
    if (body[a] != body[b] || body[a] != body[c]) in.fail("a triangle joins two bodies");
  std::vector<BodyMesh> meshes;
  for (std::size_t begin = 0, end = 0; begin < body.size(); begin = end) {
    while (end < body.size() && body[end] == body[begin]) ++end;
    meshes.push_back(part_of(all, body[begin], begin, end));
  }
  return meshes;
}

}  // namespace dollop
