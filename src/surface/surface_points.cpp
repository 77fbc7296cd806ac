#include "surface/surface_points.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/frame_layout.h"
#include "particles/block_space.h"

namespace dollop {
namespace {

bool is_finite(const Vec3<float>& x) {
  return std::isfinite(x.x) && std::isfinite(x.y) && std::isfinite(x.z);
}

// The number of cubes of this width that contain a particle; 0: block keys cannot index cubes so small.
std::size_t occupied_cubes(const std::vector<Vec3<float>>& x, double width) {
  std::vector<BlockKey> keys(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    BlockCoord cube;
    for (int a = 0; a < 3; ++a) {
      const double coordinate = std::floor(double(x[i][a]) / width);
      if (std::abs(coordinate) >= double(block_limit)) return 0;
      cube[std::size_t(a)] = std::int32_t(coordinate);
    }
    keys[i] = key_of(cube);
  }
  std::sort(keys.begin(), keys.end());
  return std::size_t(std::unique(keys.begin(), keys.end()) - keys.begin());
}

// The volume of a particle if all are equal, by box counting: cubes are halved until they contain at most eight
// particles on average.
double estimate_volume(const std::vector<Vec3<float>>& x) {
  Vec3<float> low = x.front(), high = low;
  for (const Vec3<float>& p : x)
    for (int a = 0; a < 3; ++a) {
      low[a] = std::min(low[a], p[a]);
      high[a] = std::max(high[a], p[a]);
    }
  double width = std::max({double(high.x) - low.x, double(high.y) - low.y, double(high.z) - low.z});
  if (!(width > 0)) return 1e-9;  // a single particle of unknown size: a cubic millimetre
  constexpr double max_per_cube = 8;
  for (int round = 0; round < 60; ++round, width /= 2) {
    const std::size_t cubes = occupied_cubes(x, width);
    if (cubes == 0) break;
    const double per_cube = double(x.size()) / double(cubes);
    if (per_cube <= max_per_cube) return width * width * width / per_cube;
  }
  return width * width * width;
}

// Sets the total volume and the spacing.
void set_scale(SurfacePoints& points) {
  double squares = 0;
  points.total_volume = 0;
  for (const float v : points.volume) {
    points.total_volume += v;
    squares += double(v) * v;
  }
  // mean volume weighted by volume, so that many tiny particles do not set the scale
  points.spacing = std::cbrt(squares / points.total_volume);
}

// Removes particles so far away that voxel indices would overflow.
void remove_strays(SurfacePoints& points) {
  const double farthest = points.spacing * double(1 << 22);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3<float>& x = points.x[i];
    if (std::max({std::abs(x.x), std::abs(x.y), std::abs(x.z)}) > farthest) continue;
    points.x[kept] = x;
    points.volume[kept] = points.volume[i];
    points.from[kept++] = points.from[i];
  }
  if (kept == points.size()) return;
  points.x.resize(kept);
  points.volume.resize(kept);
  points.from.resize(kept);
  if (kept > 0) set_scale(points);
}

}  // namespace

SurfacePoints collect_points(const ParticleFrame& frame, const SurfaceOptions& options) {
  const std::size_t count = frame.position.size() / 3;
  const std::vector<float> volumes = present_volumes(frame);
  const auto is_surfaced = [&](std::size_t i) {
    if (options.surfaced.empty() || frame.material.size() != count) return true;
    const std::int32_t material = frame.material[i];
    return material >= 0 && std::size_t(material) < options.surfaced.size() &&
           options.surfaced[std::size_t(material)];
  };
  SurfacePoints points;
  points.x.reserve(count);
  points.volume.reserve(count);
  points.from.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3<float> x{frame.position[3 * i], frame.position[3 * i + 1], frame.position[3 * i + 2]};
    const float volume = volumes.empty() ? 1.0f : volumes[i];
    if (!is_surfaced(i) || !is_finite(x) || !std::isfinite(volume) || !(volume > 0)) continue;
    points.x.push_back(x);
    points.volume.push_back(volume);
    points.from.push_back(std::uint32_t(i));
  }
  if (points.empty()) return points;
  if (volumes.empty())
    std::fill(points.volume.begin(), points.volume.end(), float(estimate_volume(points.x)));

  set_scale(points);
  remove_strays(points);
  return points;
}

}  // namespace dollop
