#include "surface/smooth_spheres.h"

#include <algorithm>
#include <cmath>

#include "core/assert.h"
#include "core/parallel.h"
#include "surface/density.h"

namespace dollop {
namespace {

constexpr double search_radius = 2;  // for the mean of the particles [spacings]
// radius of the spheres over that of a sphere of the particle's volume: near a flat surface the mean of the particles
// within the search radius lies half a spacing deep
constexpr double radius_scale = 0.8;
constexpr double inflation = 0.5;  // added to the radii during filtering [spacings]
constexpr double widening = 0.3;   // added to the radii of threads and crumbs, which the filter shrinks
constexpr double filter_passes =
    6;  // for voxels of half a spacing; each is a step of a third of a voxel squared

// Radii of the spheres, in the order of the points [m].
std::vector<float> sphere_radii(const SurfacePoints& points) {
  const SortedPoints sorted = sort_points(points, points.spacing);
  const std::vector<float> factors = weight_factors(points, sorted);
  std::vector<float> radii(points.size(), 0);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const std::uint32_t p = sorted.index[i];
    // tiny particles get no wider sphere; an isolated particle of typical size has a factor of 14
    const double size = points.volume[p] / (points.spacing * points.spacing * points.spacing);
    const double deficit = std::min(1.0, size / 0.2) * std::log(std::clamp(factors[i], 1.0f, 14.0f));
    const double added = inflation + widening * deficit;
    radii[p] = float(radius_scale * std::cbrt(0.75 * points.volume[p] / M_PI) + added * points.spacing);
  }
  return radii;
}

// Sums over the particles around each node of a block, with the weights (1 - s^2)^3; s: the distance over the search
// radius. In voxels, from the first node of the block.
struct NodeSums {
  alignas(64) float weight[voxels_in_block] = {};
  alignas(64) float x[3][voxels_in_block] = {};
  alignas(64) float radius[voxels_in_block] = {};

  // the search radius is `reach`
  void add(const Vec3<float>& g, float r, float reach) {
    int low[2], high[2];
    for (int a = 0; a < 2; ++a) {
      low[a] = std::max(int(std::ceil(g[a] - reach)), 0);
      high[a] = std::min(int(std::floor(g[a] + reach)), voxels_on_edge - 1);
    }
    const float square = reach * reach, inverse = 1 / square;
    for (int i = low[0]; i <= high[0]; ++i)
      for (int j = low[1]; j <= high[1]; ++j) {
        const float dx = float(i) - g.x, dy = float(j) - g.y, off_row = dx * dx + dy * dy;
        if (off_row >= square) continue;
        const int row = (i * voxels_on_edge + j) * voxels_on_edge;
        for (int k = 0; k < voxels_on_edge; ++k) {
          const float dz = float(k) - g.z;
          const float s = std::max(1 - (off_row + dz * dz) * inverse, 0.0f), w = s * s * s;
          weight[row + k] += w;
          for (int a = 0; a < 3; ++a) x[a][row + k] += w * g[a];
          radius[row + k] += w * r;
        }
      }
  }

  // the distance of a node to the sphere around the mean; `none` if there are no particles
  float distance(int node, float none) const {
    if (!(weight[node] > 0)) return none;
    const float inverse = 1 / weight[node];
    const float dx = x[0][node] * inverse - float(node >> 6),
                dy = x[1][node] * inverse - float(node >> 3 & 7), dz = x[2][node] * inverse - float(node & 7);
    return std::sqrt(dx * dx + dy * dy + dz * dz) - radius[node] * inverse;
  }
};

}  // namespace

DistanceField distance_to_spheres(const SurfacePoints& points, const std::vector<float>& radii,
                                  double voxel) {
  const SortedPoints sorted = sort_points(points, voxel);
  const auto reach = float(search_radius * points.spacing / voxel);
  DOLLOP_ASSERT(reach + 0.5f < voxels_on_edge);
  DistanceField field;
  field.voxel = voxel;
  field.blocks = blocks_within_reach(sorted, int(reach + 0.5f));
  field.distance.resize(field.blocks.size() * voxels_in_block);
  std::vector<std::int32_t> particles_of(field.blocks.size(), -1);  // number in `sorted` of each block
  for (std::size_t b = 0; b < sorted.keys.size(); ++b)
    particles_of[std::size_t(field.blocks.find(sorted.keys[b]))] = std::int32_t(b);

  parallel_for(field.blocks.size(), 4, [&](std::size_t slot) {
    NodeSums sums;
    for (int neighbour = 0; neighbour < neighbour_count; ++neighbour) {
      const std::int32_t other = field.blocks.neighbours[slot][std::size_t(neighbour)];
      const std::int32_t b = other < 0 ? -1 : particles_of[std::size_t(other)];
      if (b < 0) continue;
      const auto [x, y, z] = neighbour_offset(neighbour);
      const Vec3<float> corner{float(voxels_on_edge * x), float(voxels_on_edge * y),
                               float(voxels_on_edge * z)};
      for (std::uint32_t i = sorted.first[std::size_t(b)]; i < sorted.first[std::size_t(b) + 1]; ++i) {
        const Vec3<float> g = sorted.local[i] + corner;
        if (g.z <= -reach || g.z >= float(voxels_on_edge - 1) + reach) continue;
        sums.add(g, float(radii[sorted.index[i]] / voxel), reach);
      }
    }
    for (int node = 0; node < voxels_in_block; ++node)
      field.distance[slot * voxels_in_block + std::size_t(node)] =
          float(voxel) * std::clamp(sums.distance(node, level_set_band), -level_set_band, level_set_band);
  });
  return field;
}

SplineField smooth_spheres(const SurfacePoints& points, double voxel) {
  const double relative_voxel = 2 * voxel / points.spacing;
  const int passes = std::max(1, int(std::lround(filter_passes / (relative_voxel * relative_voxel))));
  return filter_level_set(distance_to_spheres(points, sphere_radii(points), voxel), passes,
                          inflation * points.spacing);
}

}  // namespace dollop
