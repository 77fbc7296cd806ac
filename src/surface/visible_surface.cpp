#include "surface/visible_surface.h"

#include <algorithm>
#include <utility>

#include "io/body_mesh.h"
#include "surface/vertex_attributes.h"

namespace dollop {
namespace {

std::vector<bool> all_if_empty(std::vector<bool> surfaced, const Scene& scene) {
  if (surfaced.empty()) surfaced.assign(scene.materials.size(), true);
  return surfaced;
}

// The meshes whose material is surfaced, with values that are interpolated from the particles that they enclose.
SurfaceMesh shown_meshes(const Scene& scene, const ParticleFrame& frame, const SurfaceOptions& options) {
  const std::vector<bool> surfaced = all_if_empty(options.surfaced, scene);
  std::vector<BodyMesh> shown;
  for (const BodyMesh& mesh : frame.meshes)
    if (surfaced[std::size_t(outer_material(scene, scene.bodies[std::size_t(mesh.body)]))])
      shown.push_back(mesh);
  SurfaceMesh joined = join_meshes(scene, shown, frame.time);
  if (options.value.empty()) return joined;
  SurfaceOptions inside = options;
  inside.surfaced = enclosed_materials(scene, shown);
  SurfaceMesh valued = joined;
  interpolate_attributes(frame, collect_points(frame, inside), inside, valued);
  joined.values = std::move(valued.values);
  return joined;
}

template <class T>
void append(const std::vector<T>& from, std::size_t count, std::vector<T>& to, std::size_t before) {
  if (from.empty() && to.empty()) return;
  to.resize(before, T{});
  to.insert(to.end(), from.begin(), from.end());
  to.resize(before + count, T{});
}

void append(const SurfaceMesh& part, SurfaceMesh& mesh) {
  const std::size_t before = mesh.positions.size(), count = part.positions.size();
  append(part.positions, count, mesh.positions, before);
  append(part.normals, count, mesh.normals, before);
  append(part.velocities, count, mesh.velocities, before);
  append(part.material, count, mesh.material, before);
  append(part.values, count, mesh.values, before);
  const auto first = std::uint32_t(before);
  for (const auto& [a, b, c] : part.triangles) mesh.triangles.push_back({first + a, first + b, first + c});
}

}  // namespace

SurfaceOptions beside_meshes(const Scene& scene, const ParticleFrame& frame, SurfaceOptions options) {
  if (frame.meshes.empty()) return options;
  options.surfaced = all_if_empty(std::move(options.surfaced), scene);
  const std::vector<bool> enclosed = enclosed_materials(scene, frame.meshes);
  for (std::size_t m = 0; m < enclosed.size(); ++m)
    if (enclosed[m]) options.surfaced[m] = false;
  return options;
}

bool any_surfaced(const SurfaceOptions& options) {
  return options.surfaced.empty() ||
         std::find(options.surfaced.begin(), options.surfaced.end(), true) != options.surfaced.end();
}

SurfaceMesh visible_surface(const Scene& scene, const ParticleFrame& frame, const SurfaceOptions& options) {
  if (frame.meshes.empty()) return make_surface(frame, options);
  const SurfaceOptions beside = beside_meshes(scene, frame, options);
  SurfaceMesh mesh{.time = frame.time};
  if (any_surfaced(beside)) mesh = make_surface(frame, beside);
  append(shown_meshes(scene, frame, options), mesh);
  return mesh;
}

}  // namespace dollop
