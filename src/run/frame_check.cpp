#include "run/frame_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/frame_layout.h"
#include "solvers/setup/scene_space.h"

namespace dollop {
namespace {

constexpr double speed_of_light =
    3e8;  // [m/s]; far above any simulation, and far below what float overflows at
// largest volume of a particle over that of the largest that the scene makes: merged, or estimated at a corner
constexpr double volume_range = 1000;

// the largest volume of a particle that the scene makes [m^3]
double seeded_volume(const Scene& scene) {
  double fewest = 1;  // particles per cell
  for (const Body& body : scene.bodies) fewest = std::min(fewest, body.particles_per_cell);
  for (const Emitter& emitter : scene.emitters) fewest = std::min(fewest, emitter.particles_per_cell);
  return std::pow(scene.settings.cell_size, 3) / fewest;
}

// the first of the values that is wrong; values.size(): none is
template <class Wrong>
std::size_t first_fault(const std::vector<float>& values, Wrong&& wrong) {
  return std::size_t(std::find_if(values.begin(), values.end(), wrong) - values.begin());
}

std::string fault_text(const char* what, const std::vector<float>& values, std::size_t at,
                       std::size_t components, const char* unit, const char* why) {
  return fmt::format("is damaged: {} of particle {} is {} {}, {}", what, at / components, values[at], unit,
                     why);
}

}  // namespace

std::string frame_fault(const ParticleFrame& frame, const Scene& scene) {
  if (!has_ids(frame)) return "has no ids of its particles";
  if (!has_materials(frame)) return "has no materials of its particles";

  const BlockSpace space = space_of(scene);
  double reach = 0;  // from the origin
  for (std::size_t d = 0; d < 3; ++d)
    reach = std::max(
        {reach, std::abs(space.to_world(block_limit, 0, d)), std::abs(space.to_world(-block_limit, 0, d))});
  const auto beyond = [](double most) { return [most](float x) { return !(std::abs(double(x)) <= most); }; };
  if (const std::size_t at = first_fault(frame.position, beyond(reach)); at < frame.position.size())
    return fault_text("a coordinate", frame.position, at, 3, "m", "beyond the reach of the grid");

  if (const Attribute* velocity = find_attribute(frame, "velocity", 3)) {
    const std::size_t at = first_fault(velocity->values, beyond(speed_of_light));
    if (at < velocity->values.size())
      return fault_text("a velocity", velocity->values, at, 3, "m/s", "faster than light");
  }
  if (const Attribute* volume = find_attribute(frame, "volume", 1)) {
    const double most = volume_range * seeded_volume(scene);
    const std::size_t at =
        first_fault(volume->values, [&](float v) { return !(v >= 0 && double(v) <= most); });
    if (at < volume->values.size())
      return fault_text("the volume", volume->values, at, 1, "m^3",
                        "which no particle of its scene can have");
  }
  return "";
}

std::string mesh_fault(const std::vector<BodyMesh>& meshes, const Scene& scene) {
  std::size_t expected = 0;
  for (const Body& body : scene.bodies) expected += !body.surface_mesh.empty();
  if (meshes.size() != expected)
    return fmt::format("holds {} surface meshes; the scene has {}", meshes.size(), expected);
  int last = -1;
  for (const BodyMesh& mesh : meshes) {
    if (mesh.body <= last || std::size_t(mesh.body) >= scene.bodies.size() ||
        scene.bodies[std::size_t(mesh.body)].surface_mesh.empty())
      return fmt::format("holds a surface mesh of body {}, which has none", mesh.body);
    last = mesh.body;
    for (const std::vector<float>* numbers : {&mesh.position, &mesh.normal, &mesh.velocity, &mesh.uv})
      if (!std::all_of(numbers->begin(), numbers->end(), [](float x) { return std::isfinite(x); }))
        return fmt::format("is damaged: a number of the surface mesh of body {} is not finite", mesh.body);
  }
  return "";
}

}  // namespace dollop
