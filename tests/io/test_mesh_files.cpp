#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <gtest/gtest.h>

#include <assimp/Importer.hpp>
#include <bit>
#include <cstdint>
#include <cstring>

#include "io/mesh_obj.h"
#include "io/mesh_ply.h"
#include "io/mesh_usda.h"
#include "io/sample_mesh.h"
#include "io/temporary_folder.h"

namespace dollop {
namespace {

using Writer = void (*)(AtomicFile& out, const SurfaceMesh& mesh, const FrameNotes& notes);

std::string write_and_read(Writer write, const SurfaceMesh& mesh, const FrameNotes& notes = {}) {
  const TemporaryFolder folder;
  AtomicFile out(folder / "a");
  write(out, mesh, notes);
  out.commit();
  return read_text(folder / "a");
}

// by another program's reader
void expect_read_by_assimp(Writer write, const char* name) {
  const TemporaryFolder folder;
  const SurfaceMesh mesh = sample_mesh();
  AtomicFile out(folder / name);
  write(out, mesh, {});
  out.commit();
  Assimp::Importer importer;
  const aiScene* scene = importer.ReadFile((folder / name).string(), aiProcess_JoinIdenticalVertices);
  ASSERT_NE(scene, nullptr) << importer.GetErrorString();
  ASSERT_EQ(scene->mNumMeshes, 1u);
  const aiMesh& read = *scene->mMeshes[0];
  ASSERT_EQ(read.mNumFaces, mesh.triangles.size());
  ASSERT_TRUE(read.HasNormals());
  for (unsigned t = 0; t < read.mNumFaces; ++t) {
    ASSERT_EQ(read.mFaces[t].mNumIndices, 3u);
    for (unsigned k = 0; k < 3; ++k) {
      const aiVector3D& x = read.mVertices[read.mFaces[t].mIndices[k]];
      const aiVector3D& n = read.mNormals[read.mFaces[t].mIndices[k]];
      const Vec3<float>& corner = mesh.positions[mesh.triangles[t][k]];
      const Vec3<float>& normal = mesh.normals[mesh.triangles[t][k]];
      EXPECT_TRUE(x.x == corner.x && x.y == corner.y && x.z == corner.z);
      EXPECT_TRUE(n.x == normal.x && n.y == normal.y && n.z == normal.z);
    }
  }
}

TEST(mesh_ply, another_reader_finds_the_triangles) { expect_read_by_assimp(write_mesh_ply, "a.ply"); }

TEST(mesh_obj, another_reader_finds_the_triangles) { expect_read_by_assimp(write_mesh_obj, "a.obj"); }

TEST(mesh_ply, rows_have_the_layout_of_the_header) {
  const std::string text = write_and_read(write_mesh_ply, sample_mesh(), {.value = "speed"});
  const std::string end = "end_header\n";
  const std::size_t body = text.find(end) + end.size();
  EXPECT_NE(text.find("property float vz\nproperty float speed\nproperty int material\nelement face 4\n"),
            std::string::npos);
  ASSERT_EQ(text.size(), body + 4 * 11 * 4 + 4 * 13);
  float row[11];
  std::memcpy(row, text.data() + body + 3 * sizeof(row), sizeof(row));
  EXPECT_EQ(row[2], 4);                                // z
  EXPECT_EQ(row[5], 1);                                // nz
  EXPECT_EQ(row[8], 3.5f);                             // vz
  EXPECT_EQ(row[9], 40);                               // value
  EXPECT_EQ(std::bit_cast<std::int32_t>(row[10]), 1);  // material
}

TEST(mesh_files, columns_that_are_not_there_are_left_out) {
  SurfaceMesh mesh = sample_mesh();
  mesh.normals.clear(), mesh.velocities.clear(), mesh.material.clear(), mesh.values.clear();
  const std::string ply = write_and_read(write_mesh_ply, mesh);
  EXPECT_EQ(ply.find("property float nx"), std::string::npos);
  EXPECT_EQ(ply.find("material"), std::string::npos);
  EXPECT_NE(write_and_read(write_mesh_obj, mesh).find("\nf 1 3 2\n"), std::string::npos);
  const std::string usda = write_and_read(write_mesh_usda, mesh);
  EXPECT_EQ(usda.find("velocities"), std::string::npos);
  EXPECT_NE(usda.find("primvars:displayColor = [(0.5, 0.5, 0.5)]"), std::string::npos);
}

TEST(mesh_files, empty_meshes_are_files_too) {
  for (const Writer write : {write_mesh_ply, write_mesh_obj, write_mesh_usda})
    EXPECT_FALSE(write_and_read(write, SurfaceMesh{}).empty());
}

TEST(mesh_usda, has_topology_velocities_and_names) {
  FrameNotes notes;
  notes.frame = 12, notes.frame_rate = 24;
  notes.materials = {"foam", "dark \"sand\""};
  notes.colors = {{1, 1, 1}, {0.25f, 0.5f, 0.75f}};
  const std::string text = write_and_read(write_mesh_usda, sample_mesh(), notes);
  for (const char* words :
       {"def Mesh \"surface\"", "startTimeCode = 12\n", "timeCodesPerSecond = 24\n", "metersPerUnit = 1\n",
        "upAxis = \"Y\"", "uniform token subdivisionScheme = \"none\"", "12: [3, 3, 3, 3],",
        "12: [0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3],", "vector3f[] velocities.timeSamples",
        "12: [(0.5, 0.25, 0.125), (1.5, 0, 0), (0, 2.5, 0), (0, 0, 3.5)],",
        "12: [(1, 1, 1), (0.25, 0.5, 0.75), (1, 1, 1), (0.25, 0.5, 0.75)],",
        "token[] primvars:materialName = [\"foam\", \"dark \\\"sand\\\"\"]", "12: [0, 1, 0, 1],",
        "12: [(0, 0, 0), (1, 2, 4)],"})
    EXPECT_NE(text.find(words), std::string::npos) << words;
}

}  // namespace
}  // namespace dollop
