// Feeds damaged frames of particles that their readers accept to the surfaces and the pictures, whose numbers must be
// finite. Each input goes to one of them, chosen by its bytes.
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "frame_input.h"
#include "render/tracer/picture.h"
#include "surface/surface.h"
#include "target.h"

namespace dollop::fuzz {

namespace {

bool is_finite(const Vec3<float>& x) { return std::isfinite(x.x + x.y + x.z); }

void draw_particles(const ParticleFrame& frame) {
  render_preview(scene_of_frames(), frame_scene(scene_of_frames(), frame, 32, 18), frame);
}

void draw_surface(const ParticleFrame& frame, SurfaceMethod method) {
  SurfaceOptions options;
  options.method = method;
  options.surfaced = {true, false};
  const SurfaceMesh mesh = make_surface(frame, options);
  for (const Vec3<float>& x : mesh.positions) require(is_finite(x), "a surface is not finite");
  const PreviewView view = frame_run(scene_of_frames(), {frame}, 32, 18);
  trace_picture({scene_of_frames(), view, frame, mesh, nullptr, 0.02}, {.samples = 1});
}

}  // namespace

std::vector<std::string> seeds() { return frame_seeds(); }

bool accepts(const std::string& input) {
  const std::optional<ParticleFrame> frame = read_frame(input);
  if (!frame) return false;
  constexpr SurfaceMethod methods[] = {SurfaceMethod::fast, SurfaceMethod::smooth, SurfaceMethod::sharp};
  const std::size_t use = std::hash<std::string>{}(input) % 4;
  use < 3 ? draw_surface(*frame, methods[use]) : draw_particles(*frame);
  return true;
}

}  // namespace dollop::fuzz
