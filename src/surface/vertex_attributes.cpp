#include "surface/vertex_attributes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>

#include "core/parallel.h"
#include "io/frame_layout.h"
#include "io/quantities.h"
#include "surface/nearby_points.h"

namespace dollop {
namespace {

bool one_material(const ParticleFrame& frame, const SurfacePoints& points) {
  return std::all_of(points.from.begin(), points.from.end(), [&](std::uint32_t i) {
    return frame.material[i] == frame.material[points.from.front()];
  });
}

// Averages over the particles near a vertex, weighted by volume and a radial kernel.
struct Interpolator {
  const ParticleFrame& frame;
  const SurfacePoints& points;
  const SortedPoints& sorted;
  const Attribute* velocity;
  const std::vector<float>& values;  // one per particle of the frame, or empty
  std::size_t materials;             // number of materials; 0: all particles have the same

  // returns false if no particle lies within reach
  bool interpolate(const NearbyPoints& nearby, int reach, std::size_t v, std::span<float> material_weights,
                   SurfaceMesh& mesh) const {
    const float inverse = 1 / float(reach * reach);
    float total = 0, value = 0;
    Vec3<float> weighted_velocity{0, 0, 0};
    std::fill(material_weights.begin(), material_weights.end(), 0.0f);
    nearby.visit(mesh.positions[v], reach, [&](std::uint32_t p, const Vec3<float>& d) {
      const float q = 1 - dot(d, d) * inverse;
      if (q <= 0) return;
      const std::size_t i = points.from[sorted.index[p]];
      const float w = q * q * q * points.volume[sorted.index[p]];
      total += w;
      if (velocity) {
        const float* u = &velocity->values[3 * i];
        weighted_velocity = weighted_velocity + w * Vec3<float>{u[0], u[1], u[2]};
      }
      if (!values.empty()) value += w * values[i];
      if (materials > 0) material_weights[std::size_t(frame.material[i])] += w;
    });
    if (!(total > 0)) return false;
    if (velocity) mesh.velocities[v] = (1 / total) * weighted_velocity;
    if (!values.empty()) mesh.values[v] = value / total;
    if (materials > 0)
      mesh.material[v] = std::int32_t(std::max_element(material_weights.begin(), material_weights.end()) -
                                      material_weights.begin());
    return true;
  }
};

}  // namespace

std::vector<float> quantity_of(const ParticleFrame& frame, const std::string& name) {
  if (name.empty() || frame.position.empty()) return {};
  if (auto values = quantity(frame, name)) return *std::move(values);
  throw std::invalid_argument(
      fmt::format("the particles have no '{}'; they have: {}", name, fmt::join(quantity_names(frame), ", ")));
}

void interpolate_attributes(const ParticleFrame& frame, const SurfacePoints& points,
                            const SurfaceOptions& options, SurfaceMesh& mesh) {
  const std::size_t vertices = mesh.positions.size();
  const std::vector<float> values = quantity_of(frame, options.value);
  const Attribute* velocity = find_attribute(frame, "velocity", 3);
  const bool has_materials = frame.material.size() == frame.position.size() / 3 && !points.empty();
  std::size_t materials = 0;
  std::int32_t only = 0;
  if (has_materials && one_material(frame, points)) only = frame.material[points.from.front()];
  if (has_materials && !one_material(frame, points))
    for (const std::uint32_t i : points.from)
      materials = std::max(materials, std::size_t(std::max(frame.material[i], 0)) + 1);

  mesh.material.assign(vertices, only);
  if (velocity) mesh.velocities.assign(vertices, {0, 0, 0});
  if (!values.empty()) mesh.values.assign(vertices, 0);
  if (points.empty() || (!velocity && values.empty() && materials == 0)) return;
  const SortedPoints sorted = sort_points(points, points.spacing);
  const Interpolator interpolator{frame, points, sorted, velocity, values, materials};
  const NearbyPoints nearby(sorted);
  parallel_ranges(vertices, 1024, [&](std::size_t begin, std::size_t end) {
    std::vector<float> material_weights(materials);
    for (std::size_t v = begin; v < end; ++v)
      for (const int reach : {2, 4, 8})  // [voxels]; only stretched material needs more than the first
        if (interpolator.interpolate(nearby, reach, v, material_weights, mesh)) break;
  });
}

}  // namespace dollop
