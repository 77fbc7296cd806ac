#include "surface/kernels.h"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "math/eigen3.h"
#include "surface/density.h"
#include "surface/nearby_points.h"

namespace dollop {
namespace {

// Lengths are in particle spacings; the width of a kernel is its standard deviation.
constexpr float search_radius = 2;  // radius of the neighbour search
constexpr float full_variance =
    0.15f * search_radius * search_radius;  // of neighbours in a full ball, with weights 1 - (r / R)^3
constexpr float bulk_width = 0.95f;         // with neighbours on all sides
constexpr float max_width = 1;              // so that kernels end within the next block
constexpr float min_width = 0.4f;           // cells could not resolve thinner kernels
constexpr float isolated_width = 0.5f;      // of particles without neighbours
constexpr float isolated_weight =
    1;  // weight of isolated_width in neighbours: the covariance of few particles is unreliable
constexpr float max_aspect = 4;       // largest aspect ratio of a kernel
constexpr float smoothing = 0.7f;     // fraction of the way from a particle to the mean of its neighbours
constexpr float min_density = 0.95f;  // at any particle
constexpr float support = 3.3166f;  // radius of the kernel (1 - q^2)^3 over its standard deviation: sqrt(11)
constexpr float integral = 0.638302f;  // of (1 - q^2)^3 over the unit ball: 64 pi / 315
constexpr int reach = 7;               // nodes: support * max_width in voxels of half a spacing, and rounding

// how much a particle belongs to the surface: 0 deep inside, 1 where the density is lower
float surface_weight(float density) {
  const float t = std::clamp((0.97f - density) / 0.15f, 0.0f, 1.0f);
  return t * t * (3 - 2 * t);
}

// The weighted mean and covariance of the neighbours of a particle, in voxels.
struct Neighbours {
  float weight = 0;
  Vec3<float> sum{0, 0, 0};
  SymMat3<float> squares{0, 0, 0, 0, 0, 0};

  void add(const Vec3<float>& d, float w) {
    weight += w;
    sum = sum + w * d;
    squares = squares + SymMat3<float>{w * d.x * d.x, w * d.y * d.y, w * d.z * d.z,
                                       w * d.x * d.y, w * d.x * d.z, w * d.y * d.z};
  }
  Vec3<float> mean() const { return (1 / weight) * sum; }
  SymMat3<float> covariance() const {
    const Vec3<float> m = mean();
    return (1 / weight) * squares -
           SymMat3<float>{m.x * m.x, m.y * m.y, m.z * m.z, m.x * m.y, m.x * m.z, m.y * m.z};
  }
};

Neighbours neighbours_of(const NearbyPoints& nearby, const Vec3<float>& x, float radius) {
  Neighbours found;
  nearby.visit(x, int(std::ceil(radius + 0.5f)), [&](std::uint32_t, const Vec3<float>& d) {
    const float q = std::sqrt(dot(d, d)) / radius;
    if (q < 1) found.add(d, 1 - q * q * q);
  });
  return found;
}

// The widths of the kernel along the principal axes of a covariance, both in spacings. As in the paper, widths are
// proportional to the variances, not to the standard deviations: thin features become thinner.
Vec3<float> kernel_lengths(const Vec3<float>& variances, float least) {
  const float largest = std::max({variances.x, variances.y, variances.z});
  Vec3<float> lengths;
  for (int a = 0; a < 3; ++a)
    lengths[a] = std::clamp(bulk_width / full_variance * std::max(variances[a], largest / max_aspect), least,
                            std::max(max_width, least));
  return lengths;
}

// axes: columns of a rotation; lengths in metres
Kernel3 make_kernel(const Vec3<float>& centre, const Mat3<float>& axes, const Vec3<float>& lengths) {
  Kernel3 kernel{centre, {}, {}, 0};
  const Vec3<float> radius = support * lengths;
  kernel.shape = assemble(
      axes, Vec3<float>{1 / (radius.x * radius.x), 1 / (radius.y * radius.y), 1 / (radius.z * radius.z)});
  for (int a = 0; a < 3; ++a) {
    float square = 0;
    for (int k = 0; k < 3; ++k) square += axes(a, k) * axes(a, k) * radius[k] * radius[k];
    kernel.reach[a] = std::sqrt(square);
  }
  kernel.height = 1 / (integral * radius.x * radius.y * radius.z);
  return kernel;
}

struct Scale {
  float spacing, coarse, min_width;  // [m]; voxel of the isotropic splat [m]; [spacings]
};

// The kernel of a particle at the surface; weight: its surface_weight().
Kernel3 surface_kernel(const Neighbours& found, const Vec3<float>& x, float weight, const Scale& scale) {
  // blend the covariance, in spacings, with that of an isolated particle, and deep inside with that of a full ball
  const float units = scale.coarse * scale.coarse / (scale.spacing * scale.spacing);
  const float confidence = (found.weight - 1) / (found.weight - 1 + isolated_weight);
  const float isotropic_part = weight * (1 - confidence) * isolated_width / bulk_width + (1 - weight);
  const Eigen3<float> principal = eigen((weight * confidence * units) * found.covariance() +
                                        SymMat3<float>::diagonal(isotropic_part * full_variance));
  return make_kernel(x + (weight * smoothing * scale.coarse) * found.mean(), principal.vectors,
                     scale.spacing * kernel_lengths(principal.values, scale.min_width));
}

// Adds one kernel to the nodes of a block; centre: from the first node of the block [m].
void add_kernel(const Kernel3& kernel, float amount, const Vec3<float>& centre, float voxel, float* nodes) {
  int low[3], high[3];
  for (int a = 0; a < 3; ++a) {
    low[a] = std::max(int(std::ceil((centre[a] - kernel.reach[a]) / voxel)), 0);
    high[a] = std::min(int(std::floor((centre[a] + kernel.reach[a]) / voxel)), voxels_on_edge - 1);
    if (low[a] > high[a]) return;
  }
  const SymMat3<float>& s = kernel.shape;
  const float n = amount * kernel.height;
  for (int i = low[0]; i <= high[0]; ++i)
    for (int j = low[1]; j <= high[1]; ++j) {
      const float dx = voxel * float(i) - centre.x, dy = voxel * float(j) - centre.y;
      const float rest = 1 - (s.xx * dx * dx + s.yy * dy * dy + 2 * s.xy * dx * dy),
                  slope = 2 * (s.xz * dx + s.yz * dy);
      float* row = nodes + (i * voxels_on_edge + j) * voxels_on_edge;
      for (int k = 0; k < voxels_on_edge; ++k) {
        const float dz = voxel * float(k) - centre.z;
        const float q = std::max(rest - dz * (slope + s.zz * dz), 0.0f);
        row[k] += n * q * q * q;
      }
    }
}

// Kernels sorted by the nearest node of their centres.
struct SortedKernels {
  std::vector<Kernel3> kernels = {};
  SurfacePoints centres = {};  // one for each kernel
  SortedPoints sorted = {};
};

// Adds the kernels to a field.
void gather(const SortedKernels& from, const std::vector<float>& weights, SplineField& field) {
  const float voxel = float(from.sorted.voxel);
  const BlockTable occupied =
      make_blocks(from.sorted.keys);  // blocks that contain centres, in the order of `sorted`
  parallel_for(field.blocks.size(), 4, [&](std::size_t slot) {
    const BlockCoord block = coord_of(field.blocks.keys[slot]);
    for (int dx = -1; dx <= 1; ++dx)
      for (int dy = -1; dy <= 1; ++dy)
        for (int dz = -1; dz <= 1; ++dz) {
          const std::int32_t b = occupied.find(key_of({block[0] + dx, block[1] + dy, block[2] + dz}));
          if (b < 0) continue;
          const Vec3<float> offset{float(voxels_on_edge * dx), float(voxels_on_edge * dy),
                                   float(voxels_on_edge * dz)};
          for (std::uint32_t i = from.sorted.first[std::size_t(b)]; i < from.sorted.first[std::size_t(b) + 1];
               ++i)
            add_kernel(from.kernels[from.sorted.index[i]], weights[i],
                       voxel * (from.sorted.local[i] + offset), voxel,
                       &field.coefficients[slot * voxels_in_block]);
        }
  });
}

// Resamples the field `coarse` on voxels half as wide, in the blocks of `field`.
void refine(const SplineField& coarse, SplineField& field) {
  field.coefficients.assign(field.blocks.size() * voxels_in_block, 0);
  tbb::enumerable_thread_specific<FineSamples> scratch([] { return FineSamples(2); });
  parallel_for(coarse.blocks.size(), 4, [&](std::size_t from) {
    SplineTile tile;
    load_tile(coarse, from, tile);
    FineSamples& samples = scratch.local();
    samples.load(tile);
    const BlockCoord block = coord_of(coarse.blocks.keys[from]);
    for (int part = 0; part < 8; ++part) {
      const int at[3]{part >> 2, part >> 1 & 1, part & 1};
      const std::int32_t slot =
          field.blocks.find(key_of({2 * block[0] + at[0], 2 * block[1] + at[1], 2 * block[2] + at[2]}));
      if (slot < 0) continue;
      float* to = &field.coefficients[std::size_t(slot) * voxels_in_block];
      for (int node = 0; node < voxels_in_block; ++node)
        to[node] = samples(voxels_on_edge * at[0] + (node >> 6), voxels_on_edge * at[1] + (node >> 3 & 7),
                           voxels_on_edge * at[2] + (node & 7));
    }
  });
}

// The particles, divided into those at the surface and those inside.
struct Division {
  SortedKernels surface;            // kernels of the particles at the surface
  std::vector<float> volumes = {};  // of these, in sorted order
  SplineField inside;               // the density of the others
};

Division divide(const SurfacePoints& points, double voxel) {
  const SortedPoints sorted = sort_points(points, 2 * voxel);
  std::vector<float> weights(sorted.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) weights[i] = points.volume[sorted.index[i]];
  const std::vector<float> density = sample(splat(sorted, weights, points.spacing), sorted);

  Division division;
  std::vector<std::uint32_t> at_surface;  // indices into `sorted`
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (surface_weight(density[i]) > 0) {
      at_surface.push_back(std::uint32_t(i));
      weights[i] = 0;
    } else {
      weights[i] *= weight_factor(density[i], 1, 0);  // less where particles are too dense
    }
  }
  division.inside = splat(sorted, weights, points.spacing);

  const NearbyPoints nearby(sorted);
  const Scale scale{float(points.spacing), float(2 * voxel),
                    std::max(min_width, float(0.8 * voxel / points.spacing))};
  SortedKernels& surface = division.surface;
  surface.kernels.resize(at_surface.size());
  surface.centres.x.resize(at_surface.size());
  parallel_for(at_surface.size(), 256, [&](std::size_t k) {
    const Vec3<float>& x = points.x[sorted.index[at_surface[k]]];
    const float radius = search_radius * scale.spacing / scale.coarse;
    surface.kernels[k] =
        surface_kernel(neighbours_of(nearby, x, radius), x, surface_weight(density[at_surface[k]]), scale);
    surface.centres.x[k] = surface.kernels[k].centre;
  });
  surface.sorted = sort_points(surface.centres, voxel);
  for (const std::uint32_t k : surface.sorted.index)
    division.volumes.push_back(points.volume[sorted.index[at_surface[k]]]);
  return division;
}

// The union of the blocks of the surface's kernels and of the inner density.
BlockTable blocks_of(const Division& division) {
  std::vector<BlockKey> keys = blocks_within_reach(division.surface.sorted, reach).keys;
  for (const BlockKey key : division.inside.blocks.keys) {
    const BlockCoord block = coord_of(key);
    for (int part = 0; part < 8; ++part)
      keys.push_back(
          key_of({2 * block[0] + (part >> 2), 2 * block[1] + (part >> 1 & 1), 2 * block[2] + (part & 1)}));
  }
  return make_blocks(std::move(keys));
}

}  // namespace

SplineField make_sharp_density(const SurfacePoints& points, double voxel) {
  const Division division = divide(points, voxel);
  SplineField field;
  field.voxel = voxel;
  field.blocks = blocks_of(division);

  std::vector<float> weights = division.volumes;
  refine(division.inside, field);
  gather(division.surface, weights, field);
  const std::vector<float> density = sample(field, division.surface.sorted);
  const float typical = float(points.spacing * points.spacing * points.spacing);
  for (std::size_t i = 0; i < weights.size(); ++i)
    weights[i] *= weight_factor(density[i], weights[i] / typical, min_density);
  refine(division.inside, field);
  gather(division.surface, weights, field);
  return field;
}

}  // namespace dollop
