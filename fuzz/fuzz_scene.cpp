// Fuzzes the scene reader: any text must give a scene or a SceneError, and a scene that is written must read back. Its seeds
// are the scenes of the project; tests/scene/test_fuzz.cpp runs it without libFuzzer.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "boundary/level_set.h"
#include "scene/read_scene.h"

namespace {

// every mesh is the same tetrahedron: files, which have a fuzz target of their own, would take most of the time
dollop::Mesh any_mesh(const std::string& file, double voxel_size) {
  static const auto level_set = dollop::make_level_set(
      {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}}, 0.2,
      "fuzz");
  return {file, voxel_size, level_set};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::string resolved;
  try {
    resolved = dollop::parse_scene(text, "fuzz.toml", {}, any_mesh).resolved;
  } catch (const dollop::SceneError&) {
    return 0;
  }
  // a SceneError from here on escapes: the reader must accept what it wrote
  if (dollop::parse_scene(resolved, "fuzz.toml", {}, any_mesh).resolved != resolved) {
    std::fputs("the resolved scene does not read back\n", stderr);
    std::abort();
  }
  return 0;
}
