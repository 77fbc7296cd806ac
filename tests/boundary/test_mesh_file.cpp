#include "boundary/mesh_file.h"

#include <dollop/scene.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <sstream>
#include <utility>

#include "boundary/level_set.h"
#include "boundary/mesh_samples.h"
#include "boundary/sample_shapes.h"
#include "boundary/shape_distance.h"

namespace dollop {
namespace {

using namespace test;

std::string obj(const TriangleMesh& m) {
  std::ostringstream out;
  for (const auto& p : m.points) out << "v " << p[0] << " " << p[1] << " " << p[2] << "\n";
  for (const auto& t : m.triangles) out << "f " << t[0] + 1 << " " << t[1] + 1 << " " << t[2] + 1 << "\n";
  return out.str();
}

std::string stl(const TriangleMesh& m) {
  std::ostringstream out;
  out << "solid test\n";
  for (const auto& t : m.triangles) {
    out << "facet normal 0 0 0\nouter loop\n";
    for (const int c : t)
      out << "vertex " << m.points[c][0] << " " << m.points[c][1] << " " << m.points[c][2] << "\n";
    out << "endloop\nendfacet\n";
  }
  out << "endsolid test\n";
  return out.str();
}

std::string ply(const TriangleMesh& m) {
  std::ostringstream out;
  out << "ply\nformat ascii 1.0\nelement vertex " << m.points.size()
      << "\nproperty float x\nproperty float y\nproperty float z\nelement face " << m.triangles.size()
      << "\nproperty list uchar int vertex_indices\nend_header\n";
  for (const auto& p : m.points) out << p[0] << " " << p[1] << " " << p[2] << "\n";
  for (const auto& t : m.triangles) out << "3 " << t[0] << " " << t[1] << " " << t[2] << "\n";
  return out.str();
}

std::string off(const TriangleMesh& m) {
  std::ostringstream out;
  out << "OFF\n" << m.points.size() << " " << m.triangles.size() << " 0\n";
  for (const auto& p : m.points) out << p[0] << " " << p[1] << " " << p[2] << "\n";
  for (const auto& t : m.triangles) out << "3 " << t[0] << " " << t[1] << " " << t[2] << "\n";
  return out.str();
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const SceneError& e) {
    return e.what();
  }
  return "";
}

TEST(mesh_file, reads_every_common_format) {
  const MeshFolder folder("formats");
  const TriangleMesh torus = torus_mesh(0.6, 0.25, 40, 24);
  const Shape exact = Torus{.radius = 0.6, .tube_radius = 0.25};
  for (const std::string& file : {folder.file("a.obj", obj(torus)), folder.file("a.stl", stl(torus)),
                                  folder.file("a.ply", ply(torus)), folder.file("a.off", off(torus))}) {
    const Mesh mesh = load_mesh(file, 0.05);
    EXPECT_EQ(mesh.file, file);
    EXPECT_EQ(mesh.voxel_size, 0.05);
    EXPECT_NEAR(volume(mesh).value(), signed_volume(torus), 1e-5) << file;
    Random random;
    for (int i = 0; i < 1000; ++i) {
      const Double3 x = to_array(random.in_cube(0.9));
      const double d = signed_distance(mesh, x), truth = signed_distance(exact, x);
      if (std::abs(truth) > 0.3) continue;  // beyond its reach
      EXPECT_NEAR(d, truth, 0.4 * 0.05) << file;
    }
  }
}

TEST(mesh_file, splits_polygons_and_ignores_lines_and_points) {
  const MeshFolder folder("polygons");
  const std::string file =
      folder.file("cube.obj",
                  "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\nv 9 9 9\n"
                  "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\nl 1 9\np 9\n");
  const Mesh cube = load_mesh(file, 0.1);
  EXPECT_DOUBLE_EQ(volume(cube).value(), 1);
  EXPECT_NEAR(signed_distance(cube, {0.5, 1.25, 0.5}), 0.25, 1e-6);
}

TEST(mesh_file, places_parts_by_the_nodes_of_the_file) {
  const MeshFolder folder(
      "nodes");  // a tetrahedron, moved by (10, 0, 0) and twice as large, as glTF with inline data
  const std::string gltf = R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],
    "nodes":[{"mesh":0,"translation":[10,0,0],"scale":[2,2,2]}],
    "meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],
    "accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3","min":[0,0,0],"max":[1,1,1]},
                 {"bufferView":1,"componentType":5123,"count":12,"type":"SCALAR"}],
    "bufferViews":[{"buffer":0,"byteOffset":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":24}],
    "buffers":[{"byteLength":72,"uri":"data:application/octet-stream;base64,)"
                           "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/"
                           "AAACAAEAAAABAAMAAAADAAIAAQACAAMA"
                           R"("}]})";
  const Mesh mesh = load_mesh(folder.file("tetra.gltf", gltf), 0.05);
  EXPECT_NEAR(volume(mesh).value(), 8.0 / 6, 1e-6);
  EXPECT_NEAR(bounds(mesh).min[0], 10, 1e-5);
  EXPECT_NEAR(bounds(mesh).max[0], 12, 1e-5);
}

TEST(mesh_file, turns_an_inside_out_mesh_round) {
  const MeshFolder folder("turned");
  const Mesh mesh = load_mesh(folder.file("a.obj", obj(inside_out(cube_mesh({0, 0, 0}, {1, 1, 1})))), 0.1);
  EXPECT_DOUBLE_EQ(volume(mesh).value(), 1);
  EXPECT_LT(signed_distance(mesh, {0.5, 0.5, 0.5}), 0);
}

TEST(mesh_file, says_what_is_wrong_with_a_file) {
  const MeshFolder folder("faults");
  const auto fault = [](const std::string& file, double voxel_size = 0.1) {
    return message_of([&] { load_mesh(file, voxel_size); });
  };
  const std::string missing = folder.path("none.obj");
  EXPECT_EQ(fault(missing),
            "mesh '" + missing + "' does not exist; check its path, which is relative to the scene file");
  EXPECT_EQ(fault(folder.path(".")), "mesh '" + folder.path(".") + "' is a folder; name a file in it");

  TriangleMesh open = cube_mesh({0, 0, 0}, {1, 1, 1});
  open.triangles.pop_back();
  const std::string holed = folder.file("open.obj", obj(open));
  EXPECT_EQ(fault(holed),
            "mesh '" + holed +
                "' is not closed: 3 edges belong to one triangle only; fill its holes and merge its "
                "double vertices");

  const std::string cube = folder.file("cube.obj", obj(cube_mesh({0, 0, 0}, {1, 1, 1})));
  EXPECT_EQ(fault(cube, 0), "mesh '" + cube + "': voxel_size must be positive, it is 0");
  EXPECT_NE(fault(cube, 0.7).find("less than two voxels"), std::string::npos);
  EXPECT_NE(fault(cube, 1e-6).find("voxel_size"), std::string::npos);
  EXPECT_EQ(fault(cube), "");

  const std::string points = folder.file("points.obj", "v 0 0 0\nv 1 0 0\np 1\n");
  EXPECT_NE(fault(points).find("mesh '" + points + "' "), std::string::npos);
  const std::string unknown = folder.file("what.xyz123", "hello");
  EXPECT_NE(fault(unknown).find("cannot be read: "), std::string::npos);
  EXPECT_NE(fault(unknown).find("export it again as OBJ"), std::string::npos);
}

TEST(mesh_file, garbage_is_an_error_and_not_a_crash) {
  const MeshFolder folder("garbage");
  Random random;
  for (const char* ending : {"obj", "stl", "ply", "off", "gltf", "glb", "dae", "3ds"})
    for (int n = 0; n < 5; ++n) {
      std::string bytes = n == 0 ? "" : std::string(1000, ' ');
      for (char& c : bytes) c = char(random.in(0, 256));
      const std::string file = folder.file(std::string("a.") + ending, bytes);
      EXPECT_NE(message_of([&] { load_mesh(file, 0.1); }), "") << ending;
    }
}

// assimp alone would never return, or end the program
TEST(mesh_file, counts_beyond_the_file_are_refused) {
  const MeshFolder folder("counts");
  for (const char* text : {"OFF\n8 99999999999 0\n0 0 0\n", "OFF # cube\n# more\n999999999 12 0\n0 0 0\n"}) {
    const std::string message = message_of([&] { load_mesh(folder.file("a.off", text), 0.1); });
    EXPECT_NE(message.find("promises more"), std::string::npos) << message;
  }
  // binary glTF: lengths of the file, of its JSON, of its buffer; assimp alone takes 4 GB
  const std::string json = "JSON{\"asset\":{\"version\":\"2.0\"}} ";  // 28 bytes after the first word
  const auto word = [](unsigned number) {
    std::string bytes;
    for (int k = 0; k < 4; ++k) bytes += char(number >> 8 * k & 255);
    return bytes;
  };
  constexpr unsigned huge = 0xfffe1f00;
  for (const auto& [whole, first, second] : {std::array{huge, 28u, 8u}, {64u, huge, 8u}, {64u, 28u, huge}}) {
    const std::string glb = "glTF" + word(2) + word(whole) + word(first) + json + word(second) +
                            std::string("BIN\0", 4) + std::string(8, '\0');
    const std::string message = message_of([&] { load_mesh(folder.file("a.glb", glb), 0.1); });
    EXPECT_NE(message.find("promises more"), std::string::npos) << message;
  }
}

// where there are more of them than the header has faces, assimp's count would wrap around and end the program
TEST(mesh_file, faces_without_corners_are_left_out) {
  const MeshFolder folder("empty-faces");
  std::string text = off(cube_mesh({0, 0, 0}, {1, 1, 1}));
  const std::size_t faces = text.find("\n3 ") + 1;
  for (int i = 0; i < 20; ++i) text.insert(faces, "0\n");
  EXPECT_NE(message_of([&] { load_mesh(folder.file("a.off", text), 0.1); }), "");
  text.replace(text.find("12 0"), 4, "32 0");
  EXPECT_DOUBLE_EQ(volume(load_mesh(folder.file("a.off", text), 0.1)).value(), 1);
}

// it would keep the library that reads it busy for ever
TEST(mesh_file, a_header_that_does_not_end_in_its_own_line_is_an_error) {
  const MeshFolder folder("header");
  const std::string start =
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
      "property float z\nelement face 20\nproperty list uchar int vertex_indices\n";
  for (const std::string& rest : {std::string("end_header x 0 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"),
                                  std::string("end_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n")})
    EXPECT_THROW(load_mesh(folder.file("bad.ply", start + rest), 0.1), SceneError) << rest;
}

TEST(mesh_file, a_file_that_was_cut_short_is_an_error) {
  const MeshFolder folder("cut");
  const TriangleMesh cube = cube_mesh({0, 0, 0}, {1, 1, 1});
  for (const auto& [name, text] : {std::pair{"a.ply", ply(cube)}, std::pair{"a.off", off(cube)}})
    for (std::size_t length = 0; length + 10 < text.size(); length += 11) {
      const std::string file = folder.file(name, text.substr(0, length));
      EXPECT_NE(message_of([&] { load_mesh(file, 0.1); }), "") << name << " " << length;
    }
}

TEST(mesh_file, numbers_that_are_not_finite_are_refused) {
  const MeshFolder folder("finite");
  std::string text = ply(cube_mesh({0, 0, 0}, {1, 1, 1}));
  text.replace(text.find("0 0 0\n"), 6, "nan 0 0\n");
  const std::string file = folder.file("a.ply", text);
  EXPECT_NE(message_of([&] { load_mesh(file, 0.1); }), "");
}

}  // namespace
}  // namespace dollop
