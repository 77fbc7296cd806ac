// Feeds arbitrary bytes to the mesh loader, in the most common formats. It must refuse them with a SceneError, or build
// a level set whose distances and normals are finite. The first byte chooses the format.
#include <dollop/scene.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "boundary/shape_distance.h"

namespace {

void ask(const dollop::Mesh& mesh) {
  const dollop::Shape shape = mesh;
  for (const dollop::Double3& x : {dollop::Double3{0, 0, 0}, {0.3, -0.2, 5}, {-1e6, 0, 1}}) {
    const dollop::SurfaceSample s = dollop::sample_surface(shape, x);
    if (!std::isfinite(s.distance) || !std::isfinite(s.normal[0] + s.normal[1] + s.normal[2])) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  static const char* const suffixes[] = {".obj", ".stl", ".ply", ".off"};
  static const std::filesystem::path folder = std::filesystem::temp_directory_path();
  const std::string file =
      (folder / ("dollop-fuzz-" + std::to_string(getpid()) + suffixes[data[0] % 4])).string();
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(data + 1), std::streamsize(size - 1));
  try {
    ask(dollop::load_mesh(file, 0.25));
  } catch (const dollop::SceneError&) {
    // refused, as most bytes should be
  }
  std::filesystem::remove(file);
  return 0;
}
