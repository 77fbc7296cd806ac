#include "boundary/mesh_file.h"

#include <assimp/DefaultIOSystem.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <dollop/scene.h>

#include <assimp/IOStream.hpp>
#include <assimp/Importer.hpp>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "boundary/level_set.h"

namespace dollop {
namespace {

std::string name_of(const std::string& file) { return "mesh '" + file + "'"; }

[[noreturn]] void unreadable(const std::string& file, const std::string& reason) {
  throw SceneError(name_of(file) + " cannot be read: " + reason +
                   "; check the file, or export it again as OBJ, PLY, STL or glTF");
}

void check_file(const std::string& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status))
    throw SceneError(name_of(file) + " does not exist; check its path, which is relative to the scene file");
  if (std::filesystem::is_directory(status))
    throw SceneError(name_of(file) + " is a folder; name a file in it");
}

// A truncated file may make assimp read for ever: this stream throws after too many empty reads.
class LimitedStream : public Assimp::IOStream {
 public:
  explicit LimitedStream(Assimp::IOStream* stream) : stream_(stream) {}

  std::size_t Read(void* to, std::size_t size, std::size_t count) override {
    const std::size_t read = stream_->Read(to, size, count);
    constexpr int most_empty_reads = 1000;
    if (read == 0 && size * count > 0 && ++empty_reads_ > most_empty_reads)
      throw std::runtime_error("it ends too early");
    return read;
  }
  std::size_t Write(const void* from, std::size_t size, std::size_t count) override {
    return stream_->Write(from, size, count);
  }
  aiReturn Seek(std::size_t offset, aiOrigin origin) override { return stream_->Seek(offset, origin); }
  std::size_t Tell() const override { return stream_->Tell(); }
  std::size_t FileSize() const override { return stream_->FileSize(); }
  void Flush() override { stream_->Flush(); }

 private:
  std::unique_ptr<Assimp::IOStream> stream_;
  int empty_reads_ = 0;
};

class LimitedFiles : public Assimp::DefaultIOSystem {
 public:
  Assimp::IOStream* Open(const char* file, const char* mode) override {
    Assimp::IOStream* stream = Assimp::DefaultIOSystem::Open(file, mode);
    return stream ? new LimitedStream(stream) : nullptr;  // assimp gives it back to Close()
  }
};

// A PLY file that ends within its header would make assimp read for ever.
void check_ply_header(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string line;
  if (!std::getline(in, line) || (line.rfind("ply", 0) != 0 && line.rfind("PLY", 0) != 0)) return;
  constexpr int most_lines = 10000;  // real headers have a few dozen
  for (int i = 0; i < most_lines && std::getline(in, line); ++i)
    if ((line == "end_header" || line == "end_header\r") && in.peek() != std::ifstream::traits_type::eof())
      return;
  unreadable(file, "its PLY header has no end");
}

// An OFF header may announce more points and faces than memory can hold, and assimp would allocate them.
void check_off_counts(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string word;
  if (!(in >> word) || word.size() < 3 || word.compare(word.size() - 3, 3, "OFF") != 0) return;
  const double bytes = double(std::filesystem::file_size(file));
  for (int count = 0; count < 2 && in >> word;) {
    if (word[0] == '#') {  // a comment to the end of the line
      std::getline(in, word);
      continue;
    }
    if (std::strtod(word.c_str(), nullptr) > bytes)
      unreadable(file, "its header promises more than it holds");
    ++count;
  }
}

// assimp's post-processing ends the program on parts without faces and faces without corners
void check_faces(const aiScene& scene, const std::string& file) {
  for (unsigned i = 0; i < scene.mNumMeshes; ++i) {
    const aiMesh& part = *scene.mMeshes[i];
    if (part.mNumFaces == 0) unreadable(file, "it has a part without faces");
    for (unsigned f = 0; f < part.mNumFaces; ++f) {
      const aiFace& face = part.mFaces[f];
      if (face.mNumIndices == 0) unreadable(file, "it has a face without corners");
      for (unsigned k = 0; k < face.mNumIndices; ++k)
        if (face.mIndices[k] >= part.mNumVertices)
          unreadable(file, "a face names a vertex that is not there");
    }
  }
}

void append(const aiMesh& part, const std::string& file, TriangleMesh& all) {
  const int first = int(all.points.size());
  for (unsigned i = 0; i < part.mNumVertices; ++i) {
    const aiVector3D& v = part.mVertices[i];
    const Double3 p{v.x, v.y, v.z};
    if (!std::isfinite(p[0]) || !std::isfinite(p[1]) || !std::isfinite(p[2]))
      throw SceneError(name_of(file) + " has a vertex that is not finite; mend it and export it again");
    all.points.push_back(p);
  }
  for (unsigned i = 0; i < part.mNumFaces; ++i) {
    const aiFace& face = part.mFaces[i];
    if (face.mNumIndices != 3) continue;  // points and lines
    std::array<int, 3> corners{};
    for (unsigned k = 0; k < 3; ++k) corners[k] = first + int(face.mIndices[k]);
    all.triangles.push_back(corners);
  }
}

}  // namespace

TriangleMesh read_triangles(const std::string& file) {
  check_file(file);
  check_ply_header(file);
  check_off_counts(file);
  Assimp::Importer importer;
  importer.SetIOHandler(new LimitedFiles);  // the importer owns it
  const aiScene* scene = nullptr;
  try {
    scene = importer.ReadFile(file, 0);
    if (scene) {
      check_faces(*scene, file);
      scene = importer.ApplyPostProcessing(aiProcess_Triangulate | aiProcess_PreTransformVertices);
    }
  } catch (const SceneError&) {
    throw;
  } catch (const std::exception& e) {
    unreadable(file, e.what());
  }
  if (!scene) unreadable(file, importer.GetErrorString());
  TriangleMesh all;
  for (unsigned i = 0; i < scene->mNumMeshes; ++i) append(*scene->mMeshes[i], file, all);
  all = merge_equal_points(all);
  if (all.triangles.empty())
    throw SceneError(name_of(file) + " has no triangles; it must hold a closed surface");
  return all;
}

Mesh load_mesh(const std::string& file, double voxel_size) {
  if (!(voxel_size > 0) || !std::isfinite(voxel_size)) {
    std::ostringstream text;
    text << name_of(file) << ": voxel_size must be positive, it is " << voxel_size;
    throw SceneError(text.str());
  }
  const TriangleMesh triangles = read_triangles(file);
  const std::string fault = closed_fault(triangles);
  if (!fault.empty()) throw SceneError(name_of(file) + " " + fault);
  return {file, voxel_size, make_level_set(triangles, voxel_size, name_of(file))};
}

}  // namespace dollop
