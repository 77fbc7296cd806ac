#include "render/tracer/medium.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "core/random.h"
#include "surface/density.h"

namespace dollop {
namespace {

constexpr int refine = 2;               // nodes per particle spacing
constexpr double max_bricks = 1 << 24;  // of the table: beyond, voxels get wider
constexpr float step_length = 0.8f;     // of the march along a ray [voxels]

// Pores: balls around some particles; radii in particle spacings. They take about half of the volume.
constexpr double pore_fraction = 0.045;  // of the particles
constexpr float least_pore = 1.0f, largest_pore = 2.5f, pore_rim = 0.4f;
constexpr std::uint64_t pore_seed = 71;

// from 0 to 1 between a and b
float smooth_step(float a, float b, float x) {
  const float s = std::clamp((x - a) / (b - a), 0.0f, 1.0f);
  return s * s * (3 - 2 * s);
}

// The kernel of the density is wide, so that its surface is even; this makes the surface of the medium thin again.
float sharpened(float density) { return smooth_step(0.36f, 0.62f, density); }

// The albedo of single scattering of a medium that reflects this part of diffuse light (Kulla and Conty 2017).
float albedo_for(float reflectance) {
  const float r = std::clamp(reflectance, 0.0f, 0.98f);  // at 1 light would never be absorbed
  const float s = 4.09712f + 4.20863f * r - std::sqrt(9.59217f + 41.6808f * r + 17.7126f * r * r);
  return 1 - s * s;
}

struct Pore {  // in voxels
  Vec3<float> center;
  float radius;
};

}  // namespace

Medium::Medium(const SurfacePoints& points, const std::vector<std::uint64_t>& ids, double optical_depth,
               const Vec3<float>& color)
    : color_(color), albedo_{albedo_for(color.x), albedo_for(color.y), albedo_for(color.z)} {
  if (points.empty()) return;
  extinction_ = float(optical_depth / points.spacing);
  lay_out(points);
  cut_pores(points, ids);
  drop_empty_bricks();
}

// the density of the particles at the nodes of bricks
void Medium::lay_out(const SurfacePoints& points) {
  SplineField field;
  BlockCoord first{};
  for (double voxel = points.spacing;; voxel *= 2) {
    field = make_density(points, sort_points(points, voxel));
    if (field.blocks.size() == 0) return;
    BlockCoord last = first = coord_of(field.blocks.keys[0]);
    for (const BlockKey key : field.blocks.keys)
      for (std::size_t a = 0; a < 3; ++a) {
        first[a] = std::min(first[a], coord_of(key)[a]);
        last[a] = std::max(last[a], coord_of(key)[a]);
      }
    double all = 1;
    for (std::size_t a = 0; a < 3; ++a) count_[a] = last[a] - first[a] + 1, all *= count_[a];
    if (all <= max_bricks) break;
  }
  static_assert(refine * voxels_on_edge == cells);
  voxel_ = float(field.voxel / refine);
  for (int a = 0; a < 3; ++a) low_[a] = field.voxel * voxels_on_edge * double(first[std::size_t(a)]);
  brick_.assign(std::size_t(count_[0]) * std::size_t(count_[1]) * std::size_t(count_[2]), -1);
  density_.resize(field.blocks.size() * nodes);
  burial_.resize(field.blocks.size() * nodes);
  parallel_for(field.blocks.size(), 4, [&](std::size_t slot) {
    const BlockCoord b = coord_of(field.blocks.keys[slot]);
    brick_[entry_of({b[0] - first[0], b[1] - first[1], b[2] - first[2]})] = std::int32_t(slot);
    SplineTile tile;
    load_tile(field, slot, tile);
    FineSamples samples(refine);
    samples.load(tile);
    std::size_t node = slot * nodes;
    for (int i = 0; i < side; ++i)
      for (int j = 0; j < side; ++j)
        for (int k = 0; k < side; ++k, ++node) {
          burial_[node] = samples(i, j, k);
          density_[node] = sharpened(burial_[node]);
        }
  });
}

// Pores move with the particles in their middle, which their ids choose.
void Medium::cut_pores(const SurfacePoints& points, const std::vector<std::uint64_t>& ids) {
  std::vector<Pore> pores;
  std::vector<std::vector<std::uint32_t>> pores_of(brick_.size());
  for (std::size_t p = 0; p < points.size() && !brick_.empty(); ++p) {
    const std::size_t i = points.from[p];
    const std::uint64_t id = i < ids.size() ? ids[i] : i;
    if (random_uniform(pore_seed, id, 0) >= pore_fraction) continue;
    const float u = float(random_uniform(pore_seed, id, 1));
    const Pore pore{in_voxels(points.x[p]),
                    (least_pore + u * u * (largest_pore - least_pore)) * float(points.spacing) / voxel_};
    Number low, high;
    for (std::size_t a = 0; a < 3; ++a) {
      const float x = pore.center[int(a)];
      low[a] = std::clamp(std::int32_t((x - pore.radius) / cells), 0, count_[a] - 1);
      high[a] = std::clamp(std::int32_t((x + pore.radius) / cells), 0, count_[a] - 1);
    }
    for (std::int32_t x = low[0]; x <= high[0]; ++x)
      for (std::int32_t y = low[1]; y <= high[1]; ++y)
        for (std::int32_t z = low[2]; z <= high[2]; ++z)
          pores_of[entry_of({x, y, z})].push_back(std::uint32_t(pores.size()));
    pores.push_back(pore);
  }
  const float rim = pore_rim * float(points.spacing) / voxel_;
  parallel_for(brick_.size(), 1, [&](std::size_t b) {
    if (brick_[b] < 0) return;
    float* density = density_.data() + std::size_t(brick_[b]) * nodes;
    const std::size_t ny = std::size_t(count_[1]), nz = std::size_t(count_[2]);
    const Vec3<float> first{float(b / (ny * nz)), float(b / nz % ny), float(b % nz)};
    for (const std::uint32_t p : pores_of[b]) {
      const Vec3<float> middle = pores[p].center - float(cells) * first;
      const float radius = pores[p].radius;
      int low[3], high[3];  // nodes in the bounding box of the pore
      for (int a = 0; a < 3; ++a) {
        low[a] = std::max(0, int(std::ceil(middle[a] - radius)));
        high[a] = std::min(cells, int(std::floor(middle[a] + radius)));
      }
      for (int i = low[0]; i <= high[0]; ++i)
        for (int j = low[1]; j <= high[1]; ++j)
          for (int k = low[2]; k <= high[2]; ++k)
            density[(i * side + j) * side + k] *=
                smooth_step(radius - rim, radius, norm(Vec3<float>{float(i), float(j), float(k)} - middle));
    }
  });
}

// rays skip bricks that are not in the table
void Medium::drop_empty_bricks() {
  for (std::int32_t& brick : brick_) {
    if (brick < 0) continue;
    const auto begin = density_.begin() + std::ptrdiff_t(brick) * nodes;
    if (std::all_of(begin, begin + nodes, [](float d) { return d == 0; })) brick = -1;
  }
}

Vec3<float> Medium::in_voxels(const Vec3<float>& x) const {
  Vec3<float> g;
  for (int a = 0; a < 3; ++a) g[a] = float((double(x[a]) - low_[a]) / double(voxel_));
  return g;
}

std::size_t Medium::entry_of(const Number& b) const {
  return (std::size_t(b[0]) * std::size_t(count_[1]) + std::size_t(b[1])) * std::size_t(count_[2]) +
         std::size_t(b[2]);
}

inline Medium::Place Medium::place_of(const Vec3<float>& g) const {
  Place place;
  if (!(g.x >= 0 && g.y >= 0 && g.z >= 0)) return place;
  const int x = int(g.x), y = int(g.y), z = int(g.z);
  const Number b{x / cells, y / cells, z / cells};
  if (b[0] >= count_[0] || b[1] >= count_[1] || b[2] >= count_[2]) return place;
  place.brick = brick_[entry_of(b)];
  place.node =
      std::size_t(place.brick) * nodes + std::size_t(((x % cells) * side + y % cells) * side + z % cells);
  place.part = g - Vec3<float>{float(x), float(y), float(z)};
  return place;
}

inline float Medium::interpolated(const std::vector<float>& field, const Place& place) {
  const float* f = field.data() + place.node;
  const auto& [x, y, z] = place.part;
  const auto along_z = [&](const float* a) { return a[0] + z * (a[1] - a[0]); };
  const auto along_y = [&](const float* a) {
    const float low = along_z(a);
    return low + y * (along_z(a + side) - low);
  };
  const float low = along_y(f);
  return low + x * (along_y(f + side * side) - low);
}

float Medium::density_at(const Vec3<float>& x) const {
  const Place place = place_of(in_voxels(x));
  return place.brick < 0 ? 0 : interpolated(density_, place);
}

float Medium::burial(const Vec3<float>& x) const {
  const Place place = place_of(in_voxels(x));
  return place.brick < 0 ? 0 : interpolated(burial_, place);
}

// Marches in steps of less than a voxel, with the density in the middle of each.
Medium::Passage Medium::follow(const Ray& ray, float target) const {
  Passage passage{false, ray.far, 0};
  if (brick_.empty()) return passage;
  const Vec3<float> origin = in_voxels(ray.origin), direction = (1 / voxel_) * ray.direction;
  const float length = norm(direction);
  float t = ray.near, end = ray.far;
  for (int a = 0; a < 3; ++a) {  // within the bounds of all bricks
    const float d = std::abs(direction[a]) < 1e-12f * length ? 1e-12f * length : direction[a];
    const float x = -origin[a] / d, y = (float(cells * count_[std::size_t(a)]) - origin[a]) / d;
    t = std::max(t, std::min(x, y));
    end = std::min(end, std::max(x, y));
  }
  const float full_step = step_length / length, extinction = extinction_ * voxel_ * length;
  while (t < end) {
    const float step = std::min(full_step, end - t);
    const Vec3<float> g = origin + (t + 0.5f * step) * direction;
    const Place place = place_of(g);
    if (place.brick < 0) {  // on to where the ray leaves this brick
      float leave = end;
      for (int a = 0; a < 3; ++a) {
        if (direction[a] == 0) continue;
        const float brick = std::floor(g[a] / cells) + (direction[a] > 0 ? 1.0f : 0.0f);
        leave = std::min(leave, (cells * brick - origin[a]) / direction[a]);
      }
      t = std::max(leave, t + step);
      continue;
    }
    const float depth = extinction * step * interpolated(density_, place);
    if (depth > 0 && passage.depth + depth >= target)
      return {true, t + step * ((target - passage.depth) / depth), target};
    passage.depth += depth;
    t += step;
  }
  return passage;
}

}  // namespace dollop
