#include "render/occlusion.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "core/parallel.h"
#include "render/camera.h"

namespace dollop {
namespace {

using Level = OcclusionVolume::Level;

constexpr double max_cells = 3e6;

std::size_t cell_count(const Level& level) {
  return std::size_t(level.cells[0]) * level.cells[1] * level.cells[2];
}

// the next level of the pyramid: means of 2 x 2 x 2 cells
Level downsampled(const Level& fine) {
  Level coarse;
  for (int a = 0; a < 3; ++a) coarse.cells[a] = (fine.cells[a] + 1) / 2;
  coarse.occupancy.assign(cell_count(coarse), 0);
  const auto& [nx, ny, nz] = fine.cells;
  for (int i = 0; i < nx; ++i)
    for (int j = 0; j < ny; ++j)
      for (int k = 0; k < nz; ++k)
        coarse.occupancy[(std::size_t(i / 2) * coarse.cells[1] + j / 2) * std::size_t(coarse.cells[2]) +
                         k / 2] += 0.125f * fine.occupancy[(std::size_t(i) * ny + j) * std::size_t(nz) + k];
  return coarse;
}

// trilinear interpolation between cell centres, zero outside; g: position in cells of this level
float sample_level(const Level& level, const Vec3<float>& g) {
  int base[3];
  float f[3];
  bool inside = true;  // all eight cells around g exist
  for (int a = 0; a < 3; ++a) {
    const float shifted = g[a] - 0.5f;
    if (!(shifted > -1 && shifted < float(level.cells[a]))) return 0;
    base[a] = int(shifted + 1) - 1;  // rounds down, faster than floor
    f[a] = shifted - float(base[a]);
    inside = inside && base[a] >= 0 && base[a] + 1 < level.cells[a];
  }
  const std::ptrdiff_t along_y = level.cells[2], along_x = along_y * level.cells[1];
  const std::ptrdiff_t first = base[0] * along_x + base[1] * along_y + base[2];
  if (inside) {
    const float* p = &level.occupancy[std::size_t(first)];
    const auto on_line = [&](const float* q) { return q[0] + f[2] * (q[1] - q[0]); };
    const auto on_face = [&](const float* q) {
      const float low = on_line(q);
      return low + f[1] * (on_line(q + along_y) - low);
    };
    const float low = on_face(p);
    return low + f[0] * (on_face(p + along_x) - low);
  }
  float sum = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const int i = corner >> 2, j = corner >> 1 & 1, k = corner & 1;
    const auto exists = [&](int a, int offset) {
      return base[a] + offset >= 0 && base[a] + offset < level.cells[a];
    };
    if (exists(0, i) && exists(1, j) && exists(2, k))
      sum += (i ? f[0] : 1 - f[0]) * (j ? f[1] : 1 - f[1]) * (k ? f[2] : 1 - f[2]) *
             level.occupancy[std::size_t(first + i * along_x + j * along_y + k)];
  }
  return sum;
}

// the interval of the cone's axis within the volume; empty if the first exceeds the second
std::array<float, 2> clip(const OcclusionVolume& volume, const LightCone& cone) {
  float first = cone.start, last = cone.end;
  for (int a = 0; a < 3; ++a) {
    const float low = volume.origin[a], high = low + volume.cell * float(volume.levels[0].cells[a]);
    const float inverse = 1 / (std::abs(cone.direction[a]) < 1e-9f ? 1e-9f : cone.direction[a]);
    const float s = (low - cone.tip[a]) * inverse, t = (high - cone.tip[a]) * inverse;
    const float margin =
        cone.slope * std::max(0.0f, std::max(s, t));  // a wide cone touches the box before its axis does
    first = std::max(first, std::min(s, t) - std::min(margin, volume.cell));
    last = std::min(last, std::max(s, t));
  }
  return {first, last};
}

}  // namespace

OcclusionVolume make_occlusion_volume(const std::vector<const SmoothField*>& fields) {
  OcclusionVolume volume;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  Vec3<float> low{infinity, infinity, infinity}, high{-infinity, -infinity, -infinity};
  float finest = infinity;
  for (const SmoothField* field : fields) {
    if (field->empty()) continue;
    finest = std::min(finest, field->voxel);
    for (int a = 0; a < 3; ++a) {
      const float end = field->origin[a] + field->voxel * float(field->blocks[a] * SmoothField::block_size);
      low[a] = std::min(low[a], field->origin[a]);
      high[a] = std::max(high[a], end);
    }
  }
  if (finest == infinity) return volume;

  Level level;
  volume.origin = low;
  for (volume.cell = 2 * finest;; volume.cell *= 2) {
    double count = 1;
    for (int a = 0; a < 3; ++a) count *= std::ceil((high[a] - low[a]) / volume.cell);
    if (count > max_cells) continue;
    for (int a = 0; a < 3; ++a) level.cells[a] = int(std::ceil((high[a] - low[a]) / volume.cell));
    break;
  }
  level.occupancy.assign(cell_count(level), 0);
  const std::size_t ny = level.cells[1], nz = level.cells[2];
  parallel_for(std::size_t(level.cells[0]) * ny, 16, [&](std::size_t row) {
    for (std::size_t k = 0; k < nz; ++k) {
      const Vec3<float> centre =
          low + volume.cell * Vec3<float>{float(row / ny) + 0.5f, float(row % ny) + 0.5f, float(k) + 0.5f};
      float occupancy = 0;
      for (const SmoothField* field : fields) occupancy += occupancy_at(*field, centre);
      level.occupancy[row * nz + k] = std::min(occupancy, 1.0f);
    }
  });
  volume.levels.push_back(std::move(level));
  while (volume.levels.size() < 6) volume.levels.push_back(downsampled(volume.levels.back()));
  return volume;
}

float cone_visibility(const OcclusionVolume& volume, const LightCone& cone) {
  if (volume.empty()) return 1;
  const auto [first, last] = clip(volume, cone);
  float transmittance = 1;
  for (float t = first; t < last && transmittance > 0.01f;) {
    const float radius = std::max(t * cone.slope, 0.5f * volume.cell);
    const float mip_level = std::log2(2 * radius / volume.cell);  // at least 0
    const int fine = std::min(int(mip_level), int(volume.levels.size()) - 1);
    const int coarse = std::min(fine + 1, int(volume.levels.size()) - 1);
    const Vec3<float> g = (1 / volume.cell) * (cone.tip + t * cone.direction - volume.origin);
    // empty-space skipping: where the coarse cells around are empty, advance by half of one
    constexpr int skip = 2;
    if (fine < skip && sample_level(volume.levels[skip], (1.0f / (1 << skip)) * g) == 0) {
      t += 0.5f * float(1 << skip) * volume.cell;
      continue;
    }
    const float level_fraction = std::min(mip_level - float(fine), 1.0f);
    float occupancy = sample_level(volume.levels[std::size_t(fine)], (1 / float(1 << fine)) * g);
    if (level_fraction > 0 && coarse != fine)
      occupancy +=
          level_fraction *
          (sample_level(volume.levels[std::size_t(coarse)], (1 / float(1 << coarse)) * g) - occupancy);
    // steps of one cone radius: two of them through solid material let a tenth of the light through
    transmittance *= 1 - 0.7f * std::min(occupancy, 1.0f);
    t += radius;
  }
  return transmittance;
}

float sky_visibility(const OcclusionVolume& volume, const Vec3<float>& x, const Vec3<float>& normal,
                     float reach) {
  if (volume.empty()) return 1;
  // an orthonormal basis about the normal (Duff et al. 2017)
  const float sign = std::copysign(1.0f, normal.z);
  const float a = -1 / (sign + normal.z), b = normal.x * normal.y * a;
  const Vec3<float> s{1 + sign * normal.x * normal.x * a, sign * b, -sign * normal.x};
  const Vec3<float> t{b, sign + normal.y * normal.y * a, -normal.y};
  // one cone along the normal and five inclined by 55 degrees, with cosine weights
  constexpr float upright = 0.25f, leaning = 0.15f, cosine = 0.574f, sine = 0.819f, slope = 0.55f;
  const Vec3<float> tip = x + volume.cell * normal;
  float visible = upright * cone_visibility(volume, {tip, normal, slope, volume.cell, reach});
  for (int k = 0; k < 5; ++k) {
    const float angle = 1.2566371f * float(k);  // a fifth of a turn
    const Vec3<float> side = std::cos(angle) * s + std::sin(angle) * t;
    visible +=
        leaning * cone_visibility(volume, {tip, cosine * normal + sine * side, slope, volume.cell, reach});
  }
  return visible;
}

}  // namespace dollop
