#include "io/mesh_obj.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <iterator>

#include "io/mesh_columns.h"
#include "io/text_rows.h"

namespace dollop {

namespace {

// a name on one line, without blanks, at which the format's readers would cut it off
std::string object_name(const FrameNotes& notes, std::int32_t part) {
  const auto index = std::size_t(part);
  std::string name = index < notes.materials.size() ? notes.materials[index] : fmt::format("{}", part);
  for (char& c : name)
    if (static_cast<unsigned char>(c) <= ' ') c = '_';
  return name;
}

}  // namespace

void write_mesh_obj(AtomicFile& out, const SurfaceMesh& mesh, const FrameNotes& notes) {
  const std::size_t count = count_vertices(mesh);
  const std::string number = notes.frame ? fmt::format("frame {}, ", *notes.frame) : std::string();
  const bool parts = notes.part != "material";  // each becomes an object; otherwise the surface is one
  out.write(fmt::format("# dollop, {}time {} s\n{}", number, mesh.time, parts ? "" : "o surface\n"));
  write_text_rows(out, count, [&](TextBuffer& text, std::size_t i) {
    const Vec3<float>& v = mesh.positions[i];
    fmt::format_to(std::back_inserter(text), FMT_COMPILE("v {} {} {}\n"), v.x, v.y, v.z);
  });
  write_text_rows(out, mesh.normals.size(), [&](TextBuffer& text, std::size_t i) {
    const Vec3<float>& n = mesh.normals[i];
    fmt::format_to(std::back_inserter(text), FMT_COMPILE("vn {} {} {}\n"), n.x, n.y, n.z);
  });
  // indices count from 1
  write_text_rows(out, mesh.triangles.size(), [&](TextBuffer& text, std::size_t i) {
    const auto [a, b, c] = mesh.triangles[i];
    if (parts && (i == 0 || mesh.material[a] != mesh.material[mesh.triangles[i - 1][0]]))
      fmt::format_to(std::back_inserter(text), "o {}\n", object_name(notes, mesh.material[a]));
    if (mesh.normals.empty())
      fmt::format_to(std::back_inserter(text), FMT_COMPILE("f {} {} {}\n"), a + 1, b + 1, c + 1);
    else
      fmt::format_to(std::back_inserter(text), FMT_COMPILE("f {0}//{0} {1}//{1} {2}//{2}\n"), a + 1, b + 1,
                     c + 1);
  });
}

}  // namespace dollop
