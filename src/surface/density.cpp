#include "surface/density.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"

namespace dollop {
namespace {

constexpr int halo = 2;                         // nodes: the support of the blur
constexpr int splat_side = voxels_on_edge + 2;  // nodes that the particles of a block add to, along each axis
constexpr int splat_nodes = splat_side * splat_side * splat_side;
constexpr double spline_variance = 0.25;  // of a quadratic B-spline, in voxels squared
constexpr float max_blur = 0.3f;          // above 1/3 the blur would cause ripples

// The kernel's standard deviation in particle spacings: wide enough that irregular particles form an even surface.
constexpr double kernel_width = 1.3;
constexpr float min_density =
    0.57f;  // at any particle: with the kernel's width this gives threads their thickness
constexpr float max_density = 1.25f;  // above, particles are too dense

// Adds one particle to the nodes -1 to 8 of its block.
void add_point(const Vec3<float>& g, float amount, float* tile) {
  int base[3];
  SplineWeights weights[3];
  for (int a = 0; a < 3; ++a) {
    const int nearest = std::clamp(int(std::floor(g[a] + 0.5f)), 0, voxels_on_edge - 1);
    base[a] = nearest;  // node nearest - 1, counted from node -1
    weights[a] = spline_weights(g[a] - float(nearest));
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const float w = amount * weights[0].w[i] * weights[1].w[j];
      float* row = tile + ((base[0] + i) * splat_side + base[1] + j) * splat_side + base[2];
      for (int k = 0; k < 3; ++k) row[k] += w * weights[2].w[k];
    }
}

// The contribution of each block's particles, [block with particles][node of its tile].
std::vector<float> splat_tiles(const SortedPoints& points, const std::vector<float>& weights) {
  const float inverse = float(1 / (points.voxel * points.voxel * points.voxel));
  std::vector<float> tiles(points.keys.size() * splat_nodes);
  parallel_for(points.keys.size(), 8, [&](std::size_t b) {
    for (std::uint32_t i = points.first[b]; i < points.first[b + 1]; ++i)
      add_point(points.local[i], weights[i] * inverse, &tiles[b * splat_nodes]);
  });
  return tiles;
}

// Sums up the overlapping tiles, in a fixed order.
std::vector<float> sum_tiles(const SortedPoints& points, const BlockTable& blocks,
                             const std::vector<float>& tiles) {
  std::vector<std::int32_t> tile_of(blocks.size(), -1);
  for (std::size_t b = 0; b < points.keys.size(); ++b)
    tile_of[std::size_t(blocks.find(points.keys[b]))] = std::int32_t(b);
  std::vector<float> sums(blocks.size() * voxels_in_block);
  parallel_for(blocks.size(), 16, [&](std::size_t slot) {
    for (int dx = -1; dx <= 1; ++dx)
      for (int dy = -1; dy <= 1; ++dy)
        for (int dz = -1; dz <= 1; ++dz) {
          const std::int32_t other = blocks.neighbours[slot][std::size_t(neighbour_at(dx, dy, dz))];
          if (other < 0 || tile_of[std::size_t(other)] < 0) continue;
          const float* tile = &tiles[std::size_t(tile_of[std::size_t(other)]) * splat_nodes];
          // nodes of this block that lie in the other's tile; node i here is tile node i + 1 - 8 d there
          const auto begin = [](int d) { return d > 0 ? voxels_on_edge - 1 : 0; };
          const auto end = [](int d) { return d < 0 ? 1 : voxels_on_edge; };
          for (int i = begin(dx); i < end(dx); ++i)
            for (int j = begin(dy); j < end(dy); ++j) {
              const float* row =
                  tile +
                  ((i + 1 - voxels_on_edge * dx) * splat_side + j + 1 - voxels_on_edge * dy) * splat_side +
                  1 - voxels_on_edge * dz;
              float* to =
                  &sums[slot * voxels_in_block + std::size_t((i * voxels_on_edge + j) * voxels_on_edge)];
              for (int k = begin(dz); k < end(dz); ++k) to[k] += row[k];
            }
        }
  });
  return sums;
}

// Blurs along one axis: `in` has `rows` slices of 12 by `stride` numbers, `out` has 8 of the 12.
void blur_axis(const float* in, int rows, int stride, const float* taps, float* out) {
  constexpr int n = voxels_on_edge + 2 * halo;
  for (int r = 0; r < rows; ++r)
    for (int m = 0; m < voxels_on_edge; ++m) {
      const float* from = in + (r * n + m) * stride;
      for (int q = 0; q < stride; ++q)
        out[q] = taps[0] * (from[q] + from[q + 4 * stride]) +
                 taps[1] * (from[q + stride] + from[q + 3 * stride]) + taps[2] * from[q + 2 * stride];
      out += stride;
    }
}

// Applies (a, 1 - 2a, a) twice along each axis, which adds 4a voxels squared to the variance of the kernel.
std::vector<float> blur(const BlockTable& blocks, const std::vector<float>& field, float a) {
  constexpr int n = voxels_on_edge + 2 * halo;
  const float b = 1 - 2 * a, taps[3]{a * a, 2 * a * b, b * b + 2 * a * a};
  std::vector<float> blurred(field.size());
  parallel_for(blocks.size(), 16, [&](std::size_t slot) {
    float tile[n * n * n], along_x[voxels_on_edge * n * n], along_xy[voxels_on_edge * voxels_on_edge * n];
    load_nodes(blocks, field.data(), slot, -halo, voxels_on_edge + halo, tile);
    blur_axis(tile, 1, n * n, taps, along_x);
    blur_axis(along_x, voxels_on_edge, n, taps, along_xy);
    blur_axis(along_xy, voxels_on_edge * voxels_on_edge, 1, taps, &blurred[slot * voxels_in_block]);
  });
  return blurred;
}

std::vector<float> volumes_of(const SurfacePoints& points, const SortedPoints& sorted) {
  std::vector<float> volumes(sorted.size());
  parallel_for(sorted.size(), 8192, [&](std::size_t i) { volumes[i] = points.volume[sorted.index[i]]; });
  return volumes;
}

}  // namespace

float weight_factor(float density, float size, float target) {
  constexpr float small = 0.2f;  // smaller particles get no surface of their own
  const float rho = std::max(density, 1e-12f), ratio = target * std::min(1.0f, size / small) / rho;
  const float square = ratio * ratio;
  const float raised = ratio > 16 ? ratio : std::cbrt(std::sqrt(1 + square * square * square));
  return raised * std::min(1.0f, max_density / rho);
}

SplineField splat(const SortedPoints& points, const std::vector<float>& weights, double width) {
  SplineField field;
  field.voxel = points.voxel;
  field.blocks = blocks_within_reach(points, 1 + halo);
  // the splat and the field's own splines add their variance
  const double variance = width * width / (points.voxel * points.voxel);
  const float a = std::clamp(float((variance - 2 * spline_variance) / 4), 0.0f, max_blur);
  field.coefficients = blur(field.blocks, sum_tiles(points, field.blocks, splat_tiles(points, weights)), a);
  return field;
}

std::vector<float> sample(const SplineField& field, const SortedPoints& points) {
  std::vector<float> values(points.size());
  parallel_for(points.keys.size(), 8, [&](std::size_t b) {
    SplineTile tile;
    load_tile(field, std::size_t(field.blocks.find(points.keys[b])), tile);
    for (std::uint32_t i = points.first[b]; i < points.first[b + 1]; ++i)
      values[i] = tile.at(points.local[i]);
  });
  return values;
}

std::vector<float> weight_factors(const SurfacePoints& points, const SortedPoints& sorted) {
  const float typical = float(points.spacing * points.spacing * points.spacing);
  const SplineField field = splat(sorted, volumes_of(points, sorted), kernel_width * points.spacing);
  std::vector<float> factors = sample(field, sorted);
  parallel_for(sorted.size(), 8192, [&](std::size_t i) {
    factors[i] = weight_factor(factors[i], points.volume[sorted.index[i]] / typical, min_density);
  });
  return factors;
}

SplineField make_density(const SurfacePoints& points, const SortedPoints& sorted) {
  std::vector<float> weights = volumes_of(points, sorted);
  {
    const std::vector<float> factors = weight_factors(points, sorted);
    parallel_for(sorted.size(), 8192, [&](std::size_t i) { weights[i] *= factors[i]; });
  }
  return splat(sorted, weights, kernel_width * points.spacing);
}

}  // namespace dollop
