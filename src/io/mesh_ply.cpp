#include "io/mesh_ply.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "io/frame_layout.h"
#include "io/mesh_columns.h"

namespace dollop {

namespace {

static_assert(std::endian::native == std::endian::little);
struct LittleEndian {
  std::uint32_t operator()(std::uint32_t word) const { return word; }
};

std::string mesh_header(const SurfaceMesh& mesh, const FrameNotes& notes) {
  std::string text = fmt::format(
      "ply\nformat binary_little_endian 1.0\ncomment dollop, time {} s\nelement vertex {}\n"
      "property float x\nproperty float y\nproperty float z\n",
      mesh.time, mesh.positions.size());
  if (!mesh.normals.empty()) text += "property float nx\nproperty float ny\nproperty float nz\n";
  if (!mesh.velocities.empty()) text += "property float vx\nproperty float vy\nproperty float vz\n";
  if (!mesh.uv.empty()) text += "property float s\nproperty float t\n";
  if (!mesh.values.empty()) text += fmt::format("property float {}\n", notes.value);
  if (!mesh.material.empty()) text += fmt::format("property int {}\n", notes.part);
  if (!mesh.body.empty()) text += "property int body\n";
  return text + fmt::format("element face {}\nproperty list uchar int vertex_indices\nend_header\n",
                            mesh.triangles.size());
}

// for each triangle, a byte with the number of vertices, then their indices
void write_triangles(AtomicFile& out, const SurfaceMesh& mesh) {
  constexpr std::size_t bytes = 1 + 3 * sizeof(std::uint32_t), piece = 4096;
  std::vector<char> rows(bytes * piece);
  for (std::size_t first = 0; first < mesh.triangles.size(); first += piece) {
    const std::size_t count = std::min(piece, mesh.triangles.size() - first);
    for (std::size_t t = 0; t < count; ++t) {
      char* row = rows.data() + t * bytes;
      row[0] = 3;
      std::memcpy(row + 1, mesh.triangles[first + t].data(), bytes - 1);
    }
    out.write(rows.data(), count * bytes);
  }
}

}  // namespace

void write_mesh_ply(AtomicFile& out, const SurfaceMesh& mesh, const FrameNotes& notes) {
  const std::size_t count = count_vertices(mesh);
  if (count > std::size_t(std::numeric_limits<std::int32_t>::max()))
    throw OutputError(out.path(), "a .ply mesh holds at most 2147483647 vertices; make the cells larger");
  out.write(mesh_header(mesh, notes));
  const bool has_normals = !mesh.normals.empty(), has_velocities = !mesh.velocities.empty();
  const std::size_t words =
      3 + std::size_t(3 * has_normals + 3 * has_velocities + 2 * !mesh.uv.empty() + !mesh.values.empty() +
                      !mesh.material.empty() + !mesh.body.empty());
  static_assert(sizeof(Vec3<float>) == 3 * sizeof(float));
  RowWriter<LittleEndian> rows(out, words);
  const auto vectors = [&](const std::vector<Vec3<float>>& column) {
    for (int k = 0; k < 3; ++k)
      rows.computed_column([&](std::size_t i) { return std::bit_cast<std::uint32_t>(column[i][k]); });
  };
  rows.write(count, [&] {
    vectors(mesh.positions);
    if (has_normals) vectors(mesh.normals);
    if (has_velocities) vectors(mesh.velocities);
    if (!mesh.uv.empty()) rows.column(mesh.uv.data()->data(), 2);
    if (!mesh.values.empty()) rows.column(mesh.values.data(), 1);
    if (!mesh.material.empty()) rows.column(mesh.material.data(), 1);
    if (!mesh.body.empty()) rows.column(mesh.body.data(), 1);
  });
  write_triangles(out, mesh);
}

}  // namespace dollop
