// Fuzzes the scene reader: any text must give a scene or a SceneError, and a scene that is written must read back.
//   clang++ -fsanitize=fuzzer,address,undefined ... fuzz/fuzz_scene.cpp, with tests/scene/good and bad as corpus
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "scene/read_scene.h"

namespace {

// refuses meshes: building their level sets, which have a fuzzer of their own, would take most of the time
dollop::Mesh no_mesh(const std::string& file, double) { throw dollop::SceneError(file + ": no meshes here"); }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::string resolved;
  try {
    resolved = dollop::parse_scene(text, "fuzz.toml", {}, no_mesh).resolved;
  } catch (const dollop::SceneError&) {
    return 0;
  }
  // a SceneError from here on escapes: the reader must accept what it wrote
  if (dollop::parse_scene(resolved, "fuzz.toml", {}, no_mesh).resolved != resolved) {
    std::fputs("the resolved scene does not read back\n", stderr);
    std::abort();
  }
  return 0;
}
