// Feeds arbitrary bytes to the mesh loader, in the formats that its errors recommend and OFF. It must refuse them with a
// SceneError, or build a level set whose distances and normals are finite. The first byte chooses the format.
#include <dollop/scene.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "boundary/shape_distance.h"
#include "target.h"

namespace dollop::fuzz {

namespace {

constexpr std::array suffixes{".obj", ".stl", ".ply", ".off", ".gltf", ".glb"};

// a cube of two metres
constexpr int corners = 8;
constexpr int triangles[][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
float coordinate(int corner, int axis) { return (corner >> axis & 1) != 0 ? 1.0f : -1.0f; }

template <class Number>
void append(std::string& bytes, Number number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

void append_corner(std::string& bytes, int corner) {
  for (int axis = 0; axis < 3; ++axis) append(bytes, coordinate(corner, axis));
}

// the corners and faces as text: a line each, with a word before it
std::string text_cube(const std::string& corner, const std::string& face, int first) {
  std::ostringstream out;
  for (int c = 0; c < corners; ++c)
    out << corner << coordinate(c, 0) << " " << coordinate(c, 1) << " " << coordinate(c, 2) << "\n";
  for (const auto& t : triangles)
    out << face << first + t[0] << " " << first + t[1] << " " << first + t[2] << "\n";
  return out.str();
}

std::string stl_text() {
  std::ostringstream out;
  out << "solid cube\n";
  for (const auto& t : triangles) {
    out << "facet normal 0 0 0\nouter loop\n";
    for (const int c : t)
      out << "vertex " << coordinate(c, 0) << " " << coordinate(c, 1) << " " << coordinate(c, 2) << "\n";
    out << "endloop\nendfacet\n";
  }
  out << "endsolid cube\n";
  return out.str();
}

std::string stl_bytes() {
  std::string bytes(80, '\0');
  append(bytes, std::uint32_t(std::size(triangles)));
  for (const auto& t : triangles) {
    bytes.append(12, '\0');
    for (const int c : t) append_corner(bytes, c);
    bytes.append(2, '\0');
  }
  return bytes;
}

std::string ply_header(const std::string& format) {
  return "ply\nformat " + format +
         " 1.0\nelement vertex 8\nproperty float x\nproperty float y\nproperty float z\nelement face 12\n"
         "property list uchar int vertex_indices\nend_header\n";
}

std::string ply_bytes() {
  std::string bytes = ply_header("binary_little_endian");
  for (int c = 0; c < corners; ++c) append_corner(bytes, c);
  for (const auto& t : triangles) {
    append(bytes, std::uint8_t(3));
    for (const int c : t) append(bytes, std::int32_t(c));
  }
  return bytes;
}

// the buffer of glTF: 96 bytes of corners, 72 of faces
std::string gltf_buffer() {
  std::string bytes;
  for (int c = 0; c < corners; ++c) append_corner(bytes, c);
  for (const auto& t : triangles)
    for (const int c : t) append(bytes, std::uint16_t(c));
  return bytes;
}

std::string gltf_text(const std::string& uri) {
  return R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0,"translation":[1,0,0]}],)"
         R"("meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],"accessors":[)"
         R"({"bufferView":0,"componentType":5126,"count":8,"type":"VEC3","min":[-1,-1,-1],"max":[1,1,1]},)"
         R"({"bufferView":1,"componentType":5123,"count":36,"type":"SCALAR"}],"bufferViews":[)"
         R"({"buffer":0,"byteOffset":0,"byteLength":96},{"buffer":0,"byteOffset":96,"byteLength":72}],)"
         R"("buffers":[{)" +
         uri + R"("byteLength":168}]})";
}

std::string base64(const std::string& bytes) {
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {  // a multiple of three
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k) three = three << 8 | static_cast<unsigned char>(bytes[i + k]);
    for (const int shift : {18, 12, 6, 0}) text += digits[three >> shift & 63];
  }
  return text;
}

std::string glb_bytes() {
  std::string json = gltf_text("");
  json.append((4 - json.size() % 4) % 4, ' ');
  const std::string buffer = gltf_buffer();
  std::string bytes = "glTF";
  append(bytes, std::uint32_t(2));
  append(bytes, std::uint32_t(12 + 8 + json.size() + 8 + buffer.size()));
  append(bytes, std::uint32_t(json.size()));
  bytes += "JSON" + json;
  append(bytes, std::uint32_t(buffer.size()));
  bytes += std::string("BIN\0", 4) + buffer;
  return bytes;
}

void ask(const Mesh& mesh) {
  const Shape shape = mesh;
  for (const Double3& x : {Double3{0, 0, 0}, {0.3, -0.2, 5}, {-1e6, 0, 1}}) {
    const SurfaceSample s = sample_surface(shape, x);
    require(std::isfinite(s.distance) && std::isfinite(s.normal[0] + s.normal[1] + s.normal[2]),
            "a distance or a normal is not finite");
  }
}

// The name of a file in memory, whose suffix tells assimp the format.
struct NamedFile {
  NamedFile() {
    for (const char* suffix : suffixes) std::filesystem::create_symlink(file.path(), folder / named(suffix));
  }
  static std::string named(const std::string& suffix) { return "mesh" + suffix; }
  TemporaryFolder folder;
  MemoryFile file;
};

}  // namespace

std::vector<std::string> seeds() {
  const std::string uri = "\"uri\":\"data:application/octet-stream;base64," + base64(gltf_buffer()) + "\",";
  return {'\0' + text_cube("v ", "f ", 1),
          '\0' + text_cube("v ", "f ", 1) + "o second\nl 1 2\np 3\n",
          '\1' + stl_text(),
          '\1' + stl_bytes(),
          '\2' + ply_header("ascii") + text_cube("", "3 ", 0),
          '\2' + ply_bytes(),
          '\3' + ("OFF\n8 12 0\n" + text_cube("", "3 ", 0)),
          '\4' + gltf_text(uri),
          '\5' + glb_bytes()};
}

bool accepts(const std::string& input) {
  if (input.size() < 2) return false;
  static const NamedFile named;
  const std::string suffix = suffixes[static_cast<unsigned char>(input[0]) % suffixes.size()];
  named.file.hold(std::string_view(input).substr(1));
  try {
    ask(load_mesh(named.folder / NamedFile::named(suffix), 0.25));
    return true;
  } catch (const SceneError&) {
    return false;  // refused, as most bytes should be
  }
}

}  // namespace dollop::fuzz
