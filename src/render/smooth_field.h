// The occupancy of space by particles as a smooth field, 1 within the material and 0 outside, with their colours, on a
// sparse grid: blocks of voxels exist near particles only.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "math/vec.h"

namespace dollop {

struct FieldPoint {
  Vec3<float> x;       // [m]
  float volume;        // [m^3]
  Vec3<float> albedo;  // colour of the particle
};

struct SmoothField {
  static constexpr int block_size = 8;  // voxels along an edge of a block
  static constexpr int side =
      block_size + 1;  // nodes along an edge: a block repeats the first nodes of the next blocks
  static constexpr int nodes = side * side * side;  // z runs fastest

  Vec3<float> origin{0, 0, 0};          // position of the first node [m]
  float voxel = 1;                      // [m]
  std::array<int, 3> blocks{0, 0, 0};   // number along each axis
  std::vector<std::int32_t> slot = {};  // index of each block's data; -1: empty
  std::vector<float> occupancy = {};    // [slot][node]
  std::vector<float> colours =
      {};  // [slot][node][3], premultiplied by occupancy; empty if all particles have one colour
  Vec3<float> uniform_colour{0, 0, 0};

  bool empty() const { return slot.empty(); }
};

// `voxel` must not be less than the particle spacing, or the field has holes. Voxels are made wider if the grid would
// be too large.
//
// Without a `gain`, the field is the blurred volume fraction s of the particles, above 1 where they are too dense. With
// one, s is mapped to g / sqrt(1 + g^2), g = gain s, before the blur. That is nearly 1 unless s is below 1 / gain, so
// stretched material has no holes and dense particles do not swell its surface.
SmoothField make_smooth_field(const std::vector<FieldPoint>& points, float voxel, float gain = 0);

// The centres of the cells that the isosurface of this level intersects.
std::vector<Vec3<float>> surface_cells(const SmoothField& field, float level);

// The cell that contains a point, and the point's coordinates in it.
struct FieldCell {
  std::int32_t slot = -1;  // -1: no block there
  int node = 0;
  float fx = 0, fy = 0, fz = 0;
};

inline FieldCell find_cell(const SmoothField& field, const Vec3<float>& x) {
  const float inverse = 1 / field.voxel;
  const Vec3<float> g = inverse * (x - field.origin);
  const auto within = [&](float a, int blocks) {
    return a >= 0 && a < float(blocks * SmoothField::block_size);
  };
  if (!within(g.x, field.blocks[0]) || !within(g.y, field.blocks[1]) || !within(g.z, field.blocks[2]))
    return {};
  const int ix = int(g.x), iy = int(g.y), iz = int(g.z);
  const int bx = ix >> 3, by = iy >> 3, bz = iz >> 3;
  const std::int32_t slot =
      field.slot[(std::size_t(bx) * field.blocks[1] + by) * std::size_t(field.blocks[2]) + bz];
  const int node = ((ix & 7) * SmoothField::side + (iy & 7)) * SmoothField::side + (iz & 7);
  return {slot, node, g.x - float(ix), g.y - float(iy), g.z - float(iz)};
}

// trilinear interpolation
inline float occupancy_at(const SmoothField& field, const Vec3<float>& x) {
  const FieldCell cell = find_cell(field, x);
  if (cell.slot < 0) return 0;
  constexpr int n = SmoothField::side;
  const float* a = field.occupancy.data() + std::size_t(cell.slot) * SmoothField::nodes + cell.node;
  const auto along_z = [&](const float* b) { return b[0] + cell.fz * (b[1] - b[0]); };
  const auto along_y = [&](const float* b) {
    const float low = along_z(b);
    return low + cell.fy * (along_z(b + n) - low);
  };
  const float low = along_y(a);
  return low + cell.fx * (along_y(a + n * n) - low);
}

Vec3<float> outward_normal(const SmoothField& field, const Vec3<float>& x);  // minus the gradient, normalised
Vec3<float> albedo_at(const SmoothField& field, const Vec3<float>& x);

}  // namespace dollop
