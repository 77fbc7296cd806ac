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

namespace {

// the object that the vertices of a triangle belong to; none: the whole mesh is one
const std::vector<std::int32_t>* objects_of(const SurfaceMesh& mesh, const FrameNotes& notes) {
  if (!mesh.body.empty()) return &mesh.body;
  return notes.part != "material" ? &mesh.material : nullptr;
}

// "f a b c", with the same index for position, texture coordinates and normal; indices count from 1
void add_face(const SurfaceMesh& mesh, const std::array<std::uint32_t, 3>& triangle, TextBuffer& text) {
  const char* between = mesh.uv.empty() ? "//" : "/";
  text.push_back('f');
  for (const std::uint32_t v : triangle) {
    fmt::format_to(std::back_inserter(text), FMT_COMPILE(" {}"), v + 1);
    if (!mesh.uv.empty()) fmt::format_to(std::back_inserter(text), FMT_COMPILE("/{}"), v + 1);
    if (!mesh.normals.empty()) fmt::format_to(std::back_inserter(text), FMT_COMPILE("{}{}"), between, v + 1);
  }
  text.push_back('\n');
}

}  // namespace

void write_mesh_obj(AtomicFile& out, const SurfaceMesh& mesh, const FrameNotes& notes) {
  const std::size_t count = count_vertices(mesh);
  const std::string number = notes.frame ? fmt::format("frame {}, ", *notes.frame) : std::string();
  const std::vector<std::int32_t>* objects = objects_of(mesh, notes);
  out.write(fmt::format("# dollop, {}time {} s\n{}", number, mesh.time, objects ? "" : "o surface\n"));
  write_text_rows(out, count, [&](TextBuffer& text, std::size_t i) {
    const Vec3<float>& v = mesh.positions[i];
    fmt::format_to(std::back_inserter(text), FMT_COMPILE("v {} {} {}\n"), v.x, v.y, v.z);
  });
  write_text_rows(out, mesh.uv.size(), [&](TextBuffer& text, std::size_t i) {
    fmt::format_to(std::back_inserter(text), FMT_COMPILE("vt {} {}\n"), mesh.uv[i][0], mesh.uv[i][1]);
  });
  write_text_rows(out, mesh.normals.size(), [&](TextBuffer& text, std::size_t i) {
    const Vec3<float>& n = mesh.normals[i];
    fmt::format_to(std::back_inserter(text), FMT_COMPILE("vn {} {} {}\n"), n.x, n.y, n.z);
  });
  write_text_rows(out, mesh.triangles.size(), [&](TextBuffer& text, std::size_t i) {
    const std::uint32_t a = mesh.triangles[i][0];
    if (objects && (i == 0 || (*objects)[a] != (*objects)[mesh.triangles[i - 1][0]]))
      fmt::format_to(
          std::back_inserter(text), "o {}\n",
          mesh.body.empty() ? object_name(notes, mesh.material[a]) : fmt::format("body{}", mesh.body[a]));
    add_face(mesh, mesh.triangles[i], text);
  });
}

}  // namespace dollop
