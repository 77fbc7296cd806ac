// The files of surface meshes: what is written can be read back, by this program and by others.
#include "io/body_mesh.h"

#include <gtest/gtest.h>

#include "boundary/mesh_file.h"
#include "io/mesh_obj.h"
#include "io/mesh_ply.h"
#include "io/mesh_usda.h"
#include "io/read_file.h"
#include "io/temporary_folder.h"

namespace dollop {
namespace {

// two bodies, the second one with layers
Scene sample_scene() {
  Scene scene;
  for (const char* name : {"core", "skin", "rubber"}) scene.materials.push_back({name, "hencky", {}});
  scene.bodies = {
      {.material = "rubber", .shape = Sphere{}},
      {.material = "rubber", .shape = Sphere{}, .surface_mesh = "shape"},
      {.material = "core", .shape = Sphere{}, .layers = {{"skin", 0.1}}, .surface_mesh = "shape"}};
  return scene;
}

std::vector<BodyMesh> sample_meshes() {
  BodyMesh first{.body = 1};
  first.position = {0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 4};
  first.normal = {-1, 0, 0, 0, -1, 0, 0, 0, -1, 0, 0, 1};
  first.velocity = {0.5f, 0.25f, 0.125f, 1.5f, 0, 0, 0, 2.5f, 0, 0, 0, 3.5f};
  first.uv = {0, 0, 0.25f, 0.5f, 1, 0.75f, 0.125f, 1};
  first.triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  BodyMesh second = first;
  second.body = 2;
  for (float& x : second.position) x += 10;
  for (float& t : second.uv) t *= 0.5f;
  return {first, second};
}

template <class Write>
void write_file_of(const std::filesystem::path& file, const SurfaceMesh& mesh, Write write) {
  AtomicFile out(file);
  write(out, mesh, FrameNotes{});
  out.commit();
}

void expect_equal(const std::vector<BodyMesh>& a, const std::vector<BodyMesh>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    EXPECT_EQ(a[k].body, b[k].body);
    EXPECT_EQ(a[k].position, b[k].position);
    EXPECT_EQ(a[k].normal, b[k].normal);
    EXPECT_EQ(a[k].velocity, b[k].velocity);
    EXPECT_EQ(a[k].uv, b[k].uv);
    EXPECT_EQ(a[k].triangles, b[k].triangles);
  }
}

TEST(BodyMeshes, AreReadBackAsTheyWereWritten) {
  const TemporaryFolder folder;
  std::vector<BodyMesh> meshes = sample_meshes();
  write_file_of(folder / "a.ply", join_meshes(sample_scene(), meshes, 0.5), write_mesh_ply);
  expect_equal(read_body_meshes(folder / "a.ply"), meshes);
  for (BodyMesh& mesh : meshes) mesh.uv.clear();
  write_file_of(folder / "b.ply", join_meshes(sample_scene(), meshes, 0.5), write_mesh_ply);
  expect_equal(read_body_meshes(folder / "b.ply"), meshes);
}

TEST(BodyMeshes, HaveTheMaterialOfTheirOutside) {
  const SurfaceMesh joined = join_meshes(sample_scene(), sample_meshes(), 0);
  EXPECT_EQ(joined.material, (std::vector<std::int32_t>{2, 2, 2, 2, 1, 1, 1, 1}));
  EXPECT_EQ(joined.body, (std::vector<std::int32_t>{1, 1, 1, 1, 2, 2, 2, 2}));
  EXPECT_EQ(enclosed_materials(sample_scene(), {sample_meshes()[1]}), (std::vector<bool>{true, true, false}));
}

// corner by corner, by the reader that scenes read meshes with
TEST(BodyMeshes, KeepTextureCoordinatesInPlyAndObj) {
  const TemporaryFolder folder;
  const SurfaceMesh mesh = join_meshes(sample_scene(), sample_meshes(), 0);
  write_file_of(folder / "a.ply", mesh, write_mesh_ply);
  write_file_of(folder / "a.obj", mesh, write_mesh_obj);
  for (const char* name : {"a.ply", "a.obj"}) {
    const TexturedMesh read = read_textured_mesh((folder / name).string());
    ASSERT_EQ(read.mesh.triangles.size(), mesh.triangles.size()) << name;
    ASSERT_EQ(read.uv.size(), read.mesh.points.size()) << name;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
      for (std::size_t k = 0; k < 3; ++k) {
        const auto v = std::size_t(read.mesh.triangles[t][k]), w = std::size_t(mesh.triangles[t][k]);
        EXPECT_EQ(read.mesh.points[v][0], mesh.positions[w].x) << name;
        EXPECT_EQ(read.uv[v][0], mesh.uv[w][0]) << name;
        EXPECT_EQ(read.uv[v][1], mesh.uv[w][1]) << name;
      }
  }
  const std::string obj = read_text(folder / "a.obj");
  EXPECT_NE(obj.find("\no body2\nf 5/5/5 7/7/7 6/6/6\n"), std::string::npos) << obj;
}

TEST(BodyMeshes, KeepTextureCoordinatesInUsd) {
  const TemporaryFolder folder;
  write_file_of(folder / "a.usda", join_meshes(sample_scene(), {sample_meshes()[0]}, 0), write_mesh_usda);
  const std::string text = read_text(folder / "a.usda");
  for (const char* words :
       {"def Mesh \"meshes\"", "texCoord2f[] primvars:st", "interpolation = \"vertex\"",
        "0: [(0, 0), (0.25, 0.5), (1, 0.75), (0.125, 1)],", "int[] primvars:body", "0: [1, 1, 1, 1],"})
    EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
}

TEST(BodyMeshes, DamagedFilesAreRefused) {
  const TemporaryFolder folder;
  write_file_of(folder / "a.ply", join_meshes(sample_scene(), sample_meshes(), 0), write_mesh_ply);
  const std::string whole = read_text(folder / "a.ply");
  const auto expect_refused = [&](const std::string& text, const char* why) {
    write_text(folder / "b.ply", text);
    EXPECT_THROW(read_body_meshes(folder / "b.ply"), InputError) << why;
  };
  expect_refused("", "empty");
  expect_refused(whole.substr(0, whole.size() - 1), "too short");
  expect_refused(whole + "x", "too long");
  std::string other = whole;
  other.replace(other.find("element vertex 8"), 16, "element vertex 9");
  expect_refused(other, "another number of vertices");
  other = whole, other[whole.size() - 2] = 77;  // a corner of the last triangle
  expect_refused(other, "no such vertex");
  other = whole, other[whole.size() - 4] = 0;
  expect_refused(other, "a triangle that joins two bodies");
  other = whole;
  other.replace(other.find("property int body"), 17, "property int bode");
  expect_refused(other, "no bodies");
}

}  // namespace
}  // namespace dollop
