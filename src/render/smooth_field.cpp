#include "render/smooth_field.h"

#include <algorithm>
#include <limits>
#include <span>

#include "core/parallel.h"
#include "render/camera.h"

namespace dollop {
namespace {

constexpr int size = SmoothField::block_size;
constexpr int raw_nodes = size * size * size;
constexpr int halo = 2;                    // nodes: the support of two blur passes
constexpr int tile = size + 1 + 2 * halo;  // nodes along an edge of a block including its halo
constexpr float support =
    5;  // [voxels] of a particle: spline 1.5, blur 2, the cell of a sample 1, and rounding
constexpr std::size_t max_blocks = std::size_t(1) << 23;

using Index3 = std::array<int, 3>;

std::size_t flat_index(const SmoothField& field, const Index3& b) {
  return (std::size_t(b[0]) * field.blocks[1] + b[1]) * std::size_t(field.blocks[2]) + b[2];
}

Index3 block_of(const SmoothField& field, std::size_t k) {
  const std::size_t ny = field.blocks[1], nz = field.blocks[2];
  return {int(k / (ny * nz)), int(k / nz % ny), int(k % nz)};
}

// Chooses origin, voxel and the number of blocks. The origin is a multiple of the block size, so that the field of a
// body at rest is the same in every frame.
void lay_out(const std::vector<FieldPoint>& points, float voxel, SmoothField& field) {
  Vec3<float> low = points.front().x, high = low;
  for (const FieldPoint& p : points)
    for (int a = 0; a < 3; ++a) {
      low[a] = std::min(low[a], p.x[a]);
      high[a] = std::max(high[a], p.x[a]);
    }
  for (;; voxel *= 2) {
    const double block = double(voxel) * size;
    double count = 1;
    std::array<double, 3> along{};
    for (int a = 0; a < 3; ++a) {
      const double first = std::floor((low[a] - support * voxel) / block);
      along[a] = std::floor((high[a] + support * voxel) / block) - first + 1;
      field.origin[a] = float(first * block);
      count *= along[a];
    }
    if (count > double(max_blocks)) continue;
    field.voxel = voxel;
    for (int a = 0; a < 3; ++a) field.blocks[a] = int(along[a]);
    return;
  }
}

// Points sorted by block, stably; those of block k are order[first[k]] to order[first[k + 1] - 1].
struct PointsOfBlocks {
  std::vector<std::uint32_t> first, order;
};

PointsOfBlocks sort_by_block(const std::vector<FieldPoint>& points, const SmoothField& field) {
  std::vector<std::uint32_t> block(points.size());
  parallel_for(points.size(), 8192, [&](std::size_t i) {
    const Vec3<float> g = (1 / field.voxel) * (points[i].x - field.origin);
    Index3 b;
    for (int a = 0; a < 3; ++a) b[a] = std::clamp(int(g[a]) / size, 0, field.blocks[a] - 1);
    block[i] = std::uint32_t(flat_index(field, b));
  });
  PointsOfBlocks sorted;
  sorted.first.assign(field.slot.size() + 1, 0);
  for (const std::uint32_t b : block) ++sorted.first[b + 1];
  for (std::size_t k = 1; k < sorted.first.size(); ++k) sorted.first[k] += sorted.first[k - 1];
  std::vector<std::uint32_t> next(sorted.first.begin(), sorted.first.end() - 1);
  sorted.order.resize(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) sorted.order[next[block[i]]++] = std::uint32_t(i);
  return sorted;
}

// Calls body(neighbour, offset) for the block b and the blocks around it that lie within the grid.
template <class Body>
void for_neighbours(const SmoothField& field, const Index3& b, Body&& body) {
  for (int dx = -1; dx <= 1; ++dx)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dz = -1; dz <= 1; ++dz) {
        const Index3 c{b[0] + dx, b[1] + dy, b[2] + dz};
        bool inside = true;
        for (int a = 0; a < 3; ++a) inside = inside && c[a] >= 0 && c[a] < field.blocks[a];
        if (inside) body(c, Index3{dx, dy, dz});
      }
}

// Gives a slot to every block that the support of a particle touches, in order of the blocks' indices; returns them.
std::vector<std::uint32_t> activate(const std::vector<FieldPoint>& points, const PointsOfBlocks& sorted,
                                    SmoothField& field) {
  const float inverse = 1 / field.voxel;
  for (std::size_t k = 0; k + 1 < sorted.first.size(); ++k) {
    if (sorted.first[k] == sorted.first[k + 1]) continue;
    const Index3 b = block_of(field, k);
    Vec3<float> low{size, size, size}, high{0, 0, 0};
    for (std::uint32_t i = sorted.first[k]; i < sorted.first[k + 1]; ++i) {
      const Vec3<float> g = inverse * (points[sorted.order[i]].x - field.origin);
      for (int a = 0; a < 3; ++a) {
        low[a] = std::min(low[a], g[a] - float(b[a] * size));
        high[a] = std::max(high[a], g[a] - float(b[a] * size));
      }
    }
    for_neighbours(field, b, [&](const Index3& c, const Index3& offset) {
      bool touched = true;
      for (int a = 0; a < 3; ++a) {
        if (offset[a] < 0) touched = touched && low[a] < support;
        if (offset[a] > 0) touched = touched && high[a] > size - support;
      }
      if (touched) field.slot[flat_index(field, c)] = 0;
    });
  }
  std::vector<std::uint32_t> active;
  for (std::size_t k = 0; k < field.slot.size(); ++k)
    if (field.slot[k] == 0) {
      field.slot[k] = std::int32_t(active.size());
      active.push_back(std::uint32_t(k));
    }
  return active;
}

// Adds one particle to the nodes of a block by quadratic B-splines; g: position in voxels from the block's first node.
void add_point(const Vec3<float>& g, std::span<const float> amounts, float* raw) {
  int base[3];
  float weight[3][3];
  for (int a = 0; a < 3; ++a) {
    base[a] = int(std::floor(g[a] + 0.5f)) - 1;
    if (base[a] < -2 || base[a] >= size) return;
    const float d = g[a] - float(base[a] + 1);  // in [-1/2, 1/2]
    weight[a][0] = 0.5f * (0.5f - d) * (0.5f - d);
    weight[a][1] = 0.75f - d * d;
    weight[a][2] = 0.5f * (0.5f + d) * (0.5f + d);
  }
  const auto begin = [&](int a) { return std::max(0, -base[a]); };
  const auto end = [&](int a) { return std::min(3, size - base[a]); };
  for (int i = begin(0); i < end(0); ++i)
    for (int j = begin(1); j < end(1); ++j)
      for (int k = begin(2); k < end(2); ++k) {
        const float w = weight[0][i] * weight[1][j] * weight[2][k];
        const std::size_t node = std::size_t(((base[0] + i) * size + base[1] + j) * size + base[2] + k);
        for (std::size_t c = 0; c < amounts.size(); ++c) raw[c * raw_nodes + node] += w * amounts[c];
      }
}

// The particles' volumes on the nodes of each block: [slot][channel][node]. Channel 0 is the volume fraction, 1 to 3
// are colours times it. Every block gathers from its neighbours, so that the order of summation is fixed.
std::vector<float> gather(const std::vector<FieldPoint>& points, const PointsOfBlocks& sorted,
                          const std::vector<std::uint32_t>& active, const SmoothField& field, int channels) {
  const float inverse = 1 / field.voxel;
  std::vector<float> raw(active.size() * std::size_t(channels) * raw_nodes);
  parallel_for(active.size(), 4, [&](std::size_t s) {
    const Index3 b = block_of(field, active[s]);
    const Vec3<float> corner{float(b[0] * size), float(b[1] * size), float(b[2] * size)};
    for_neighbours(field, b, [&](const Index3& c, const Index3&) {
      const std::size_t k = flat_index(field, c);
      for (std::uint32_t i = sorted.first[k]; i < sorted.first[k + 1]; ++i) {
        const FieldPoint& p = points[sorted.order[i]];
        const float fraction = p.volume * inverse * inverse * inverse;
        const float amounts[4]{fraction, fraction * p.albedo.x, fraction * p.albedo.y, fraction * p.albedo.z};
        add_point(inverse * (p.x - field.origin) - corner, {amounts, std::size_t(channels)},
                  &raw[s * std::size_t(channels) * raw_nodes]);
      }
    });
  });
  return raw;
}

// Applies the gain to the volume fraction of every node; colours are scaled along.
void saturate(float gain, int channels, std::vector<float>& raw) {
  const std::size_t block = std::size_t(channels) * raw_nodes;
  parallel_for(raw.size() / block, 16, [&](std::size_t s) {
    float* a = &raw[s * block];
    for (int node = 0; node < raw_nodes; ++node) {
      const float g = gain * a[node];
      const float factor = gain / std::sqrt(1 + g * g);
      for (int c = 0; c < channels; ++c) a[c * raw_nodes + node] *= factor;
    }
  });
}

// The nodes of a block and of its halo, from the blocks around it.
void load_tile(const std::vector<float>& raw, const SmoothField& field, const Index3& b, int channels,
               int channel, float* out) {
  std::fill_n(out, tile * tile * tile, 0.0f);
  for_neighbours(field, b, [&](const Index3& c, const Index3& offset) {
    const std::int32_t slot = field.slot[flat_index(field, c)];
    if (slot < 0) return;
    const float* from = &raw[(std::size_t(slot) * channels + channel) * raw_nodes];
    int begin[3], end[3];  // nodes of c that lie in the tile
    for (int a = 0; a < 3; ++a) {
      begin[a] = offset[a] < 0 ? size - halo : 0;
      end[a] = offset[a] > 0 ? halo + 1 : size;
    }
    for (int i = begin[0]; i < end[0]; ++i)
      for (int j = begin[1]; j < end[1]; ++j) {
        const int x = i + halo + size * offset[0], y = j + halo + size * offset[1];
        const float* row = from + (i * size + j) * size;
        std::copy(row + begin[2], row + end[2],
                  out + (x * tile + y) * tile + begin[2] + halo + size * offset[2]);
      }
  });
}

// the kernel (1 2 1) / 4 along each axis; it does not fit at the boundary, so each pass makes one more layer invalid
void blur(float* a) {
  for (const int stride : {1, tile, tile * tile}) {
    float scratch[tile];
    for (int line = 0; line < tile * tile; ++line) {
      const int start = stride == 1      ? line * tile
                        : stride == tile ? line / tile * tile * tile + line % tile
                                         : line;
      for (int i = 0; i < tile; ++i) scratch[i] = a[start + i * stride];
      for (int i = 1; i + 1 < tile; ++i)
        a[start + i * stride] = 0.25f * (scratch[i - 1] + 2 * scratch[i] + scratch[i + 1]);
    }
  }
}

bool has_uniform_colour(const std::vector<FieldPoint>& points) {
  const Vec3<float>& c = points.front().albedo;
  return std::all_of(points.begin(), points.end(), [&](const FieldPoint& p) {
    return p.albedo.x == c.x && p.albedo.y == c.y && p.albedo.z == c.z;
  });
}

// Blurs every block twice and stores it with the first nodes of the next blocks.
void store_blurred(const std::vector<float>& raw, const std::vector<std::uint32_t>& active, int channels,
                   SmoothField& field) {
  constexpr int n = SmoothField::side;
  field.occupancy.resize(active.size() * SmoothField::nodes);
  if (channels > 1) field.colours.resize(active.size() * SmoothField::nodes * 3);
  parallel_for(active.size(), 4, [&](std::size_t s) {
    float a[tile * tile * tile];
    for (int channel = 0; channel < channels; ++channel) {
      load_tile(raw, field, block_of(field, active[s]), channels, channel, a);
      blur(a);
      blur(a);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
          for (int k = 0; k < n; ++k) {
            const float value = a[((i + halo) * tile + j + halo) * tile + k + halo];
            const std::size_t node = s * SmoothField::nodes + std::size_t((i * n + j) * n + k);
            if (channel == 0)
              field.occupancy[node] = value;
            else
              field.colours[3 * node + std::size_t(channel) - 1] = value;
          }
    }
  });
}

}  // namespace

SmoothField make_smooth_field(const std::vector<FieldPoint>& points, float voxel, float gain) {
  SmoothField field;
  if (points.empty()) return field;
  lay_out(points, voxel, field);
  field.slot.assign(std::size_t(field.blocks[0]) * field.blocks[1] * field.blocks[2], -1);
  field.uniform_colour = points.front().albedo;
  const int channels = has_uniform_colour(points) ? 1 : 4;

  const PointsOfBlocks sorted = sort_by_block(points, field);
  const std::vector<std::uint32_t> active = activate(points, sorted, field);
  std::vector<float> raw = gather(points, sorted, active, field, channels);
  if (gain > 0) saturate(gain, channels, raw);
  store_blurred(raw, active, channels, field);
  return field;
}

std::vector<Vec3<float>> surface_cells(const SmoothField& field, float level) {
  constexpr int n = SmoothField::side;
  std::vector<std::vector<Vec3<float>>> found(field.slot.size());  // by block, so that the order is fixed
  parallel_for(field.slot.size(), 64, [&](std::size_t k) {
    if (field.slot[k] < 0) return;
    const float* block = &field.occupancy[std::size_t(field.slot[k]) * SmoothField::nodes];
    const auto [low, high] = std::minmax_element(block, block + SmoothField::nodes);
    if (*low >= level || *high < level) return;
    const Index3 b = block_of(field, k);
    for (int cell = 0; cell < raw_nodes; ++cell) {
      const int x = cell / (size * size), y = cell / size % size, z = cell % size;
      int above = 0;
      for (int corner = 0; corner < 8; ++corner)
        above += block[((x + (corner >> 2)) * n + y + (corner >> 1 & 1)) * n + z + (corner & 1)] >= level;
      if (above == 0 || above == 8) continue;
      const Vec3<float> g{float(b[0] * size + x), float(b[1] * size + y), float(b[2] * size + z)};
      found[k].push_back(field.origin + field.voxel * (g + Vec3<float>{0.5f, 0.5f, 0.5f}));
    }
  });
  std::vector<Vec3<float>> cells;
  for (const auto& of_block : found) cells.insert(cells.end(), of_block.begin(), of_block.end());
  return cells;
}

Vec3<float> outward_normal(const SmoothField& field, const Vec3<float>& x) {
  const float h = field.voxel;
  const auto difference = [&](const Vec3<float>& step) {
    return occupancy_at(field, x - step) - occupancy_at(field, x + step);
  };
  return unit({difference({h, 0, 0}), difference({0, h, 0}), difference({0, 0, h})});
}

Vec3<float> albedo_at(const SmoothField& field, const Vec3<float>& x) {
  const FieldCell cell = find_cell(field, x);
  if (cell.slot < 0 || field.colours.empty()) return field.uniform_colour;
  constexpr int n = SmoothField::side;
  float occupancy = 0;
  Vec3<float> colour{0, 0, 0};
  for (int corner = 0; corner < 8; ++corner) {
    const int i = corner >> 2, j = corner >> 1 & 1, k = corner & 1;
    const float w = (i ? cell.fx : 1 - cell.fx) * (j ? cell.fy : 1 - cell.fy) * (k ? cell.fz : 1 - cell.fz);
    const std::size_t node =
        std::size_t(cell.slot) * SmoothField::nodes + std::size_t(cell.node + (i * n + j) * n + k);
    occupancy += w * field.occupancy[node];
    for (int c = 0; c < 3; ++c) colour[c] += w * field.colours[3 * node + std::size_t(c)];
  }
  return occupancy > 0 ? (1 / occupancy) * colour : field.uniform_colour;
}

}  // namespace dollop
