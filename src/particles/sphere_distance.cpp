#include "particles/sphere_distance.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/parallel.h"

namespace dollop {
namespace {

// A bit for each node of a brick: bit 8 j + k of word i.
using Bits = std::array<std::uint64_t, 8>;

bool any(const Bits& a) {
  std::uint64_t all = 0;
  for (const std::uint64_t w : a) all |= w;
  return all != 0;
}

// for each node of a brick, the bit of its neighbour one step along the axis; nodes of missing bricks are not set
template <class WordsOf>
Bits shifted(const std::int32_t* around, int axis, int step, WordsOf&& words_of) {
  int d[3] = {0, 0, 0};
  d[axis] = step;
  const std::int32_t other = around[BrickMap::neighbour(d[0], d[1], d[2])];
  const Bits none{}, &own = words_of(around[13]), &next = other == BrickMap::none ? none : words_of(other);
  Bits out;
  for (std::size_t i = 0; i < 8; ++i) {
    if (axis == 0)
      out[i] = step > 0 ? (i < 7 ? own[i + 1] : next[0]) : (i > 0 ? own[i - 1] : next[7]);
    else if (axis == 1)
      out[i] = step > 0 ? own[i] >> 8 | next[i] << 56 : own[i] << 8 | next[i] >> 56;
    else
      out[i] = step > 0 ? (own[i] >> 1 & 0x7f7f7f7f7f7f7f7f) | (next[i] << 7 & 0x8080808080808080)
                        : (own[i] << 1 & 0xfefefefefefefefe) | (next[i] >> 7 & 0x0101010101010101);
  }
  return out;
}

// core: nodes that are set and whose six neighbours are; outer: nodes that are not set but have a neighbour that is
struct Rim {
  Bits core, outer;
};
template <class WordsOf>
Rim rim_of(const std::int32_t* around, WordsOf&& words_of) {
  Rim rim{words_of(around[13]), {}};
  for (int axis = 0; axis < 3; ++axis)
    for (const int step : {-1, 1}) {
      const Bits next = shifted(around, axis, step, words_of);
      for (std::size_t i = 0; i < 8; ++i) rim.core[i] &= next[i], rim.outer[i] |= next[i];
    }
  for (std::size_t i = 0; i < 8; ++i) rim.outer[i] &= ~words_of(around[13])[i];
  return rim;
}

// calls visit(i, j, k) for the nodes that are set
template <class Visit>
void each_node(const Bits& bits, Visit&& visit) {
  for (int i = 0; i < 8; ++i)
    for (std::uint64_t w = bits[std::size_t(i)]; w != 0; w &= w - 1) {
      const int bit = std::countr_zero(w);
      visit(i, bit >> 3, bit & 7);
    }
}

// Nodes of the brick that are in the sphere of some particle. A node in a sphere of radius 1 is a corner of the cell
// that contains the centre of the sphere.                                                                  (RES.1)
Bits nodes_inside(const ParticleCells& cells, std::size_t brick) {
  float square[10][10][10];  // squared distance from the nearest particle, nodes -1 to 8
  std::fill(&square[0][0][0], &square[0][0][0] + 1000, distance_band);
  const std::int32_t* around = cells.bricks().around(brick);
  const float *x = cells.x(0), *y = cells.x(1), *z = cells.x(2);
  for (int i = -1; i < 8; ++i)
    for (int j = -1; j < 8; ++j)
      for (int dz = -1; dz < 1; ++dz) {
        const std::int32_t other = around[BrickMap::neighbour(i >> 3, j >> 3, dz)];
        if (other == BrickMap::none || cells.is_empty(std::size_t(other))) continue;
        const std::uint32_t* begin = cells.begin(std::size_t(other)) + cell_index(i & 7, j & 7, 0);
        for (int k = dz < 0 ? 7 : 0; k < 8; ++k)
          for (std::uint32_t n = begin[k]; n < begin[k + 1]; ++n) {
            const float a = x[n] - float(i & 7), b = y[n] - float(j & 7), c = z[n] - float(k);
            const float xx[2] = {a * a, (1 - a) * (1 - a)}, yy[2] = {b * b, (1 - b) * (1 - b)};
            const float zz[2] = {c * c, (1 - c) * (1 - c)};
            for (int u = 0; u < 2; ++u)
              for (int v = 0; v < 2; ++v)
                for (int w = 0; w < 2; ++w) {
                  float& least = square[i + 1 + u][j + 1 + v][k + 8 * dz + 1 + w];
                  least = std::min(least, xx[u] + yy[v] + zz[w]);
                }
          }
      }
  Bits inside{};
  for (std::size_t i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j)
      for (int k = 0; k < 8; ++k) inside[i] |= std::uint64_t(square[i + 1][j + 1][k + 1] < 1) << (8 * j + k);
  return inside;
}

}  // namespace

// The passes that compute the distance. Each writes data of one brick only, and reads the results of earlier passes.
class SphereDistance::Builder {
 public:
  Builder(const ParticleCells& cells, DistanceUse use, SphereDistance& out)
      : cells_(cells), use_(use), out_(out), work_(out.map_.size()) {}

  void build() {
    each_brick(4, [&](std::size_t b) { out_.bricks_[b].inside = nodes_inside(cells_, b); });
    each_brick(16, [&](std::size_t b) { find_rim(b); });
    each_brick(16, [&](std::size_t b) { find_depth(b); });
    each_brick(4, [&](std::size_t b) { measure(b); });
    each_brick(4, [&](std::size_t b) { cross(b); });
    each_brick(4, [&](std::size_t b) { reach(b); });
    std::size_t count = 0;
    for (std::size_t b = 0; b < work_.size(); ++b)
      if (work_[b].reached) out_.bricks_[b].first = brick_size * count++;
    out_.values_.resize(brick_size * count);
    each_brick(2, [&](std::size_t b) { spread(b); });
  }

 private:
  struct Work {
    Rim rim;
    bool wanted = false;           // its distances are needed
    bool reached = false;          // they are needed, and a crossing is near
    std::vector<float> distance;   // from the nearest sphere, of the nodes next to a crossing
    std::vector<Float3> crossing;  // of the surface with edges that begin in the brick      (RES.2)
  };

  template <class Body>
  void each_brick(std::size_t grain, Body&& body) {
    parallel_for(work_.size(), grain, body);
  }
  const std::int32_t* around(std::size_t brick) const { return out_.map_.around(brick); }

  void find_rim(std::size_t b) {
    work_[b].rim =
        rim_of(around(b), [&](std::int32_t n) -> const Bits& { return out_.bricks_[std::size_t(n)].inside; });
  }

  // A node deeper than fill_depth has no outer node within two edges: there would be a crossing in between.
  void find_depth(std::size_t b) {
    work_[b].wanted =
        use_ == DistanceUse::everything || any(rim_of(around(b), [&](std::int32_t n) -> const Bits& {
                                                 return work_[std::size_t(n)].rim.core;
                                               }).core);
  }

  bool is_near_wanted(std::size_t b) const {
    return std::any_of(around(b), around(b) + neighbour_count,
                       [&](std::int32_t n) { return n != BrickMap::none && work_[std::size_t(n)].wanted; });
  }

  // distance of the nodes next to a crossing from the nearest sphere                                       (RES.1)
  void measure(std::size_t b) {
    Work& work = work_[b];
    const Bits& inside = out_.bricks_[b].inside;
    Bits next;
    for (std::size_t i = 0; i < 8; ++i) next[i] = (inside[i] & ~work.rim.core[i]) | work.rim.outer[i];
    if (!any(next) || !is_near_wanted(b)) return;
    work.distance.resize(brick_size);
    each_node(next, [&](int i, int j, int k) {
      float square = 4;
      cells_.each_near(b, {float(i), float(j), float(k)}, 2,
                       [&](std::size_t, const Float3&, float s) { square = std::min(square, s); });
      work.distance[cell_index(i, j, k)] = std::sqrt(square) - 1;
    });
  }

  // where the edges that begin in the brick cross the surface                                              (RES.2)
  void cross(std::size_t b) {
    Work& work = work_[b];
    if (work.distance.empty()) return;
    const Bits& inside = out_.bricks_[b].inside;
    for (int axis = 0; axis < 3; ++axis) {
      Bits change = shifted(around(b), axis, 1, [&](std::int32_t n) -> const Bits& {
        return out_.bricks_[std::size_t(n)].inside;
      });
      for (std::size_t i = 0; i < 8; ++i) change[i] ^= inside[i];
      each_node(change, [&](int i, int j, int k) {
        int n[3] = {i, j, k};
        Float3 x{float(i), float(j), float(k)};
        const float here = work.distance[cell_index(i, j, k)];
        ++n[axis];
        const std::int32_t other = around(b)[BrickMap::neighbour(n[0] >> 3, n[1] >> 3, n[2] >> 3)];
        if (other == BrickMap::none || work_[std::size_t(other)].distance.empty()) return;
        const float there = work_[std::size_t(other)].distance[cell_index(n[0] & 7, n[1] & 7, n[2] & 7)];
        // both may have been rounded to zero
        x[std::size_t(axis)] += here == there ? 0.5f : std::clamp(here / (here - there), 0.0f, 1.0f);
        work.crossing.push_back(x);
      });
    }
  }

  // calls visit(c) for crossings within distance_band of the nodes of the brick, with positions relative to the brick
  template <class Visit>
  void each_crossing(std::size_t b, Visit&& visit) const {
    for (int n = 0; n < neighbour_count; ++n) {
      const std::int32_t other = around(b)[n];
      if (other == BrickMap::none) continue;
      const auto [dx, dy, dz] = neighbour_offset(n);
      const float shift[3] = {float(8 * dx), float(8 * dy), float(8 * dz)};
      for (const Float3& c : work_[std::size_t(other)].crossing) {
        const Float3 x{c[0] + shift[0], c[1] + shift[1], c[2] + shift[2]};
        float square = 0;  // squared distance from the bounding box of the nodes
        for (const float a : x) {
          const float outside = std::max(std::max(-a, a - 7), 0.0f);
          square += outside * outside;
        }
        if (square < distance_band * distance_band) visit(x);
      }
    }
  }

  void reach(std::size_t b) {
    if (!work_[b].wanted) {
      out_.bricks_[b].constant = 0;  // not below -fill_depth
      return;
    }
    out_.bricks_[b].constant = out_.bricks_[b].inside[0] & 1 ? -distance_band : distance_band;
    each_crossing(b, [&](const Float3&) { work_[b].reached = true; });
  }

  // distances of all nodes of the brick from the nearest crossing                                          (RES.3)
  void spread(std::size_t b) {
    if (!work_[b].reached) return;
    float* square = out_.values_.data() + out_.bricks_[b].first;
    std::fill(square, square + brick_size, distance_band * distance_band);
    each_crossing(b, [&](const Float3& c) {
      float zz[8];
      for (int k = 0; k < 8; ++k) zz[k] = (float(k) - c[2]) * (float(k) - c[2]);
      const auto low = [&](int d) { return std::max(0, int(std::ceil(c[std::size_t(d)] - distance_band))); };
      const auto high = [&](int d) {
        return std::min(7, int(std::floor(c[std::size_t(d)] + distance_band)));
      };
      for (int i = low(0); i <= high(0); ++i)
        for (int j = low(1); j <= high(1); ++j) {
          const float xy = (float(i) - c[0]) * (float(i) - c[0]) + (float(j) - c[1]) * (float(j) - c[1]);
          if (xy >= distance_band * distance_band) continue;
          float* row = square + cell_index(i, j, 0);
          for (int k = 0; k < 8; ++k) row[k] = std::min(row[k], xy + zz[k]);
        }
    });
    for (int i = 0; i < 8; ++i)
      for (int n = 0; n < 64; ++n) {
        float& value = square[64 * i + n];
        const float distance = std::sqrt(value);
        value = out_.bricks_[b].inside[std::size_t(i)] >> n & 1 ? -distance : distance;
      }
  }

  const ParticleCells& cells_;
  const DistanceUse use_;
  SphereDistance& out_;
  std::vector<Work> work_;
};

SphereDistance::SphereDistance(const ParticleCells& cells, DistanceUse use)
    : map_(cells.bricks()), bricks_(map_.size()) {
  Builder(cells, use, *this).build();
}

float SphereDistance::value(const CellCoord& node) const {
  const std::int32_t brick = map_.find({node[0] >> 3, node[1] >> 3, node[2] >> 3});
  if (brick == BrickMap::none) return distance_band;
  return value(std::size_t(brick), node[0] & 7, node[1] & 7, node[2] & 7);
}

float SphereDistance::sample(const Double3& place) const {
  const BrickPoint p = to_brick(map_.space(), place);
  float result = 0;
  for (int corner = 0; corner < 8; ++corner) {
    CellCoord node;
    float weight = 1;
    for (std::size_t d = 0; d < 3; ++d) {
      const int low = int(p.x[d]), step = corner >> d & 1;
      node[d] = 8 * p.brick[d] + low + step;
      weight *= step ? p.x[d] - float(low) : 1 - (p.x[d] - float(low));
    }
    result += weight * value(node);
  }
  return result;
}

void SphereDistance::load(std::size_t brick, float (&nodes)[9][9][9]) const {
  const std::int32_t* around = map_.around(brick);
  for (int n = 0; n < 8; ++n) {
    const int d[3] = {n >> 2, n >> 1 & 1, n & 1};
    const std::int32_t other = around[BrickMap::neighbour(d[0], d[1], d[2])];
    for (int i = 8 * d[0]; i < 8 + d[0]; ++i)
      for (int j = 8 * d[1]; j < 8 + d[1]; ++j)
        for (int k = 8 * d[2]; k < 8 + d[2]; ++k)
          nodes[i][j][k] =
              other == BrickMap::none ? distance_band : value(std::size_t(other), i & 7, j & 7, k & 7);
  }
}

}  // namespace dollop
