// Feeds damaged frames of particles to their readers, and what these accept to the surfaces and the pictures. A frame must
// be refused with an InputError or by frame_fault(), or else give a finite surface and pictures. The first byte chooses the
// format; if it is even the rest are edits of a whole frame, each of two bytes that choose a place and four that go there,
// and otherwise the rest is the file.
#include <unistd.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "io/formats.h"
#include "io/read_bgeo.h"
#include "io/read_ply.h"
#include "io/read_vtp.h"
#include "render/tracer/picture.h"
#include "run/frame_check.h"
#include "scene/read_scene.h"
#include "surface/surface.h"

namespace {

namespace fs = std::filesystem;
using namespace dollop;

struct Format {
  const char* name;
  ParticleFrame (*read)(const fs::path& file);
};
constexpr Format formats[] = {{"bgeo", read_bgeo}, {"vtp", read_vtp}, {"ply", read_ply}};

const Scene& scene() {
  static const Scene made = parse_scene(R"([simulation]
duration = 1
cell_size = 0.02
[materials.cream]
model = "neo-hookean"
young_modulus = 1e4
[materials.sand]
model = "drucker-prager"
[[bodies]]
material = "cream"
shape = { box = { center = [0, 0, 0], size = [0.04, 0.04, 0.04] } }
)",
                                        "fuzz.toml")
                                .scene;
  return made;
}

// 64 particles on a lattice
ParticleFrame whole_frame() {
  ParticleFrame frame;
  Attribute velocity{"velocity", 3, {}}, volume{"volume", 1, {}}, ratio{"J", 1, {}};
  for (int p = 0; p < 64; ++p) {
    for (const int k : {p / 16, p / 4 % 4, p % 4}) {
      frame.position.push_back(0.01f * float(k));
      velocity.values.push_back(float(k) - 1);
    }
    frame.id.push_back(std::uint64_t(p));
    frame.material.push_back(p % 2);
    volume.values.push_back(1e-6f);
    ratio.values.push_back(1);
  }
  frame.attributes = {velocity, volume, ratio};
  return frame;
}

const fs::path& folder() {
  static const fs::path made = [] {
    const fs::path path = fs::temp_directory_path() / ("dollop-fuzz-frame-" + std::to_string(getpid()));
    fs::create_directories(path);
    return path;
  }();
  return made;
}

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string whole_file(const Format& format) {
  const fs::path file = folder() / "whole";
  write_particles(*find_particle_format(format.name), file, whole_frame());
  return bytes_of(file);
}

void require(bool holds) {
  if (!holds) std::abort();
}

bool is_finite(const Vec3<float>& x) { return std::isfinite(x.x + x.y + x.z); }

void use(const ParticleFrame& frame) {
  for (const SurfaceMethod method : {SurfaceMethod::fast, SurfaceMethod::smooth, SurfaceMethod::sharp}) {
    SurfaceOptions options;
    options.method = method;
    options.surfaced = {true, false};
    const SurfaceMesh mesh = make_surface(frame, options);
    for (const Vec3<float>& x : mesh.positions) require(is_finite(x));
    const PreviewView view = frame_run(scene(), {frame}, 32, 18);
    trace_picture({scene(), view, frame, mesh, nullptr, 0.02}, {.samples = 1});
  }
  render_preview(scene(), frame_scene(scene(), frame, 32, 18), frame);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const Format& format = formats[data[0] / 2 % 3];
  std::string bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  if (data[0] % 2 == 0) {
    bytes = whole_file(format);
    for (std::size_t i = 1; i + 6 <= size; i += 6) {
      const std::size_t at = std::size_t(data[i] | data[i + 1] << 8) % (bytes.size() - 4);
      std::memcpy(bytes.data() + at, data + i + 2, 4);
    }
  }
  const fs::path file = folder() / "frame";
  std::ofstream(file, std::ios::binary).write(bytes.data(), std::streamsize(bytes.size()));
  try {
    const ParticleFrame frame = format.read(file);
    if (frame_fault(frame, scene()).empty()) use(frame);
  } catch (const InputError&) {
    // refused, as most bytes should be
  }
  return 0;
}
