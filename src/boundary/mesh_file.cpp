#include "boundary/mesh_file.h"

#include <assimp/DefaultIOSystem.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <dollop/scene.h>
#include <fmt/format.h>

#include <algorithm>
#include <assimp/IOStream.hpp>
#include <assimp/Importer.hpp>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <sstream>
#include <stdexcept>

#include "boundary/level_set.h"
#include "boundary/off_file.h"
#include "core/input_file.h"

namespace dollop {
namespace {

std::string name_of(const std::string& file) { return "mesh '" + file + "'"; }

[[noreturn]] void unreadable(const std::string& file, const std::string& reason) {
  throw SceneError(name_of(file) + " cannot be read: " + reason +
                   "; check the file, or export it again as OBJ, PLY, STL or glTF");
}

constexpr std::uint64_t largest_file = std::uint64_t(2) << 30;  // bytes; about thirty million triangles

// A file that assimp reads: regular, of a limited size, and rejected after too many empty reads, since a truncated file
// may make assimp read for ever.
class MeshStream : public Assimp::IOStream {
 public:
  explicit MeshStream(const std::string& file) : file_(file) {
    if (file_.size() > largest_file)
      throw UnreadableFile(
          fmt::format("it has {} bytes; at most {} can be read", file_.size(), largest_file));
  }

  std::size_t Read(void* to, std::size_t size, std::size_t count) override {
    if (size == 0 || count == 0) return 0;
    const std::size_t most = std::size_t(file_.size()) / size + 1;
    const std::size_t got = file_.read(position_, to, size * std::min(count, most));
    position_ += got;
    constexpr int most_empty_reads = 1000;
    if (got < size && ++empty_reads_ > most_empty_reads) throw std::runtime_error("it ends too early");
    return got / size;
  }
  std::size_t Write(const void*, std::size_t, std::size_t) override { return 0; }
  aiReturn Seek(std::size_t offset, aiOrigin origin) override {
    const std::uint64_t from = origin == aiOrigin_SET ? 0 : origin == aiOrigin_CUR ? position_ : file_.size();
    if (from + offset > file_.size()) return aiReturn_FAILURE;
    position_ = from + offset;
    return aiReturn_SUCCESS;
  }
  std::size_t Tell() const override { return std::size_t(position_); }
  std::size_t FileSize() const override { return std::size_t(file_.size()); }
  void Flush() override {}

 private:
  InputFile file_;
  std::uint64_t position_ = 0;
  int empty_reads_ = 0;
};

// also of the files that a mesh names, such as the buffers of glTF
class MeshFiles : public Assimp::DefaultIOSystem {
 public:
  bool Exists(const char* file) const override {
    std::error_code error;
    return std::filesystem::is_regular_file(file, error);
  }
  Assimp::IOStream* Open(const char* file, const char* mode) override {
    if (mode[0] != 'r') return nullptr;
    try {
      return new MeshStream(file);  // assimp gives it back to Close()
    } catch (const UnreadableFile&) {
      return nullptr;
    }
  }
};

// The start of a file with the headers that are checked before assimp reads it. Throws for what is not a mesh file.
std::string start_of(const std::string& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status))
    throw SceneError(name_of(file) + " does not exist; check its path, which is relative to the scene file");
  if (std::filesystem::is_directory(status))
    throw SceneError(name_of(file) + " is a folder; name a file in it");
  try {
    MeshStream stream(file);
    std::string text(std::size_t(1) << 20, '\0');
    text.resize(stream.Read(text.data(), 1, text.size()));
    return text;
  } catch (const UnreadableFile& e) {
    unreadable(file, e.what());
  }
}

// A PLY file that ends within its header would make assimp read for ever.
void check_ply_header(const std::string& file, const std::string& start) {
  std::istringstream in(start);
  std::string line;
  if (!std::getline(in, line) || (line.rfind("ply", 0) != 0 && line.rfind("PLY", 0) != 0)) return;
  constexpr int most_lines = 10000;  // real headers have a few dozen
  for (int i = 0; i < most_lines && std::getline(in, line); ++i)
    if ((line == "end_header" || line == "end_header\r") && in.peek() != std::istream::traits_type::eof())
      return;
  unreadable(file, "its PLY header has no end");
}

// assimp allocates what the lengths in a binary glTF file say: of the file, and of its parts, which lie one after the other
void check_glb_lengths(const std::string& file, const std::string& start) {
  if (!start.starts_with("glTF")) return;
  const InputFile in(file);
  const auto require = [&](bool holds) {
    if (!holds) unreadable(file, "its header promises more than it holds");
  };
  struct Header {
    char magic[4];
    std::uint32_t version, length;
  } header{};
  require(in.read(0, &header, sizeof(header)) == sizeof(header) && header.length <= in.size());
  const int parts =
      header.version == 1 ? 1 : 2;  // JSON and the buffer, which has no length of its own in version 1
  std::uint64_t at = sizeof(header);
  for (int k = 0; k < parts && at < header.length; ++k) {
    struct Part {
      std::uint32_t length, kind;
    } part{};
    require(in.read(at, &part, sizeof(part)) == sizeof(part));
    at += sizeof(part);
    require(part.length <= in.size() - at);
    at += (std::uint64_t(part.length) + 3) / 4 * 4;
  }
}

// assimp takes a file for OFF by its name; or, if it does not know the name, by its first bytes
bool is_off(const Assimp::Importer& importer, const std::string& file, std::string start) {
  constexpr std::size_t searched = 200;  // bytes
  start.resize(std::min(start.size(), searched));
  std::string suffix = std::filesystem::path(file).extension().string();
  for (std::string* text : {&start, &suffix})
    for (char& c : *text) c = char(std::tolower(static_cast<unsigned char>(c)));
  if (importer.IsExtensionSupported(suffix)) return suffix == ".off";
  return start.find("off") != std::string::npos;
}

// what assimp makes of a file; null if it refuses it
const aiScene* read_with(Assimp::Importer& importer, const std::string& file, const std::string& start) {
  if (!is_off(importer, file, start)) return importer.ReadFile(file, 0);
  const std::string plain = plain_off(read_input_file(file, largest_file));
  return importer.ReadFileFromMemory(plain.data(), plain.size(), 0, "off");
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

void append(const aiMesh& part, const std::string& file, TexturedMesh& textured) {
  TriangleMesh& all = textured.mesh;
  const int first = int(all.points.size());
  const auto require_finite = [&](std::initializer_list<double> numbers, const char* what) {
    for (const double x : numbers)
      if (!std::isfinite(x))
        throw SceneError(
            fmt::format("{} has a {} that is not finite; mend it and export it again", name_of(file), what));
  };
  for (unsigned i = 0; i < part.mNumVertices; ++i) {
    const aiVector3D& v = part.mVertices[i];
    require_finite({v.x, v.y, v.z}, "vertex");
    all.points.push_back({v.x, v.y, v.z});
  }
  if (part.HasTextureCoords(0)) {
    textured.uv.resize(std::size_t(first), {0, 0});  // parts before this one have none
    for (unsigned i = 0; i < part.mNumVertices; ++i) {
      const aiVector3D& t = part.mTextureCoords[0][i];
      require_finite({t.x, t.y}, "texture coordinate");
      textured.uv.push_back({t.x, t.y});
    }
  }
  for (unsigned i = 0; i < part.mNumFaces; ++i) {
    const aiFace& face = part.mFaces[i];
    if (face.mNumIndices != 3) continue;  // points and lines
    std::array<int, 3> corners{};
    for (unsigned k = 0; k < 3; ++k) corners[k] = first + int(face.mIndices[k]);
    all.triangles.push_back(corners);
  }
}

// all triangles of a file, with the points as they are there
TexturedMesh read_parts(const std::string& file) {
  const std::string start = start_of(file);
  check_ply_header(file, start);
  check_glb_lengths(file, start);
  Assimp::Importer importer;
  importer.SetIOHandler(new MeshFiles);  // the importer owns it
  const aiScene* scene = nullptr;
  try {
    scene = read_with(importer, file, start);
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
  TexturedMesh all;
  for (unsigned i = 0; i < scene->mNumMeshes; ++i) append(*scene->mMeshes[i], file, all);
  if (!all.uv.empty()) all.uv.resize(all.mesh.points.size(), {0, 0});
  return all;
}

TriangleMesh merged(const TriangleMesh& parts, const std::string& file) {
  TriangleMesh mesh = merge_equal_points(parts);
  if (mesh.triangles.empty())
    throw SceneError(name_of(file) + " has no triangles; it must hold a closed surface");
  return mesh;
}

}  // namespace

TriangleMesh read_triangles(const std::string& file) { return merged(read_parts(file).mesh, file); }

TexturedMesh read_textured_mesh(const std::string& file) {
  TexturedMesh textured = read_parts(file);
  if (textured.mesh.triangles.empty()) throw SceneError(name_of(file) + " has no triangles");
  return textured;
}

Mesh load_mesh(const std::string& file, double voxel_size) {
  if (!(voxel_size > 0) || !std::isfinite(voxel_size)) {
    std::ostringstream text;
    text << name_of(file) << ": voxel_size must be positive, it is " << voxel_size;
    throw SceneError(text.str());
  }
  const TriangleMesh parts = read_parts(file).mesh, triangles = merged(parts, file);
  const std::string fault = closed_fault(triangles);
  if (!fault.empty()) throw SceneError(name_of(file) + " " + fault);
  return {file, voxel_size, make_level_set(triangles, voxel_size, name_of(file), merge_in_order(parts))};
}

}  // namespace dollop
