#include "particles/survey_pieces.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/parallel.h"
#include "math/eigen3.h"

namespace dollop {
namespace {

// offsets (i, j, k) with |i|, |j|, |k| <= reach that `keep` accepts, nearest first
template <class Keep>
std::vector<CellCoord> offsets(int reach, Keep&& keep) {
  std::vector<CellCoord> list;
  for (int i = -reach; i <= reach; ++i)
    for (int j = -reach; j <= reach; ++j)
      for (int k = -reach; k <= reach; ++k)
        if (keep(CellCoord{i, j, k})) list.push_back({i, j, k});
  const auto square = [](const CellCoord& o) { return o[0] * o[0] + o[1] * o[1] + o[2] * o[2]; };
  std::stable_sort(list.begin(), list.end(),
                   [&](const CellCoord& a, const CellCoord& b) { return square(a) < square(b); });
  return list;
}

// Union-find: disjoint sets of the chosen particles, as a forest whose trees are united step by step. Two particles in
// one cell always touch: its diagonal is sqrt(3) r.
class Forest {
 public:
  Forest(const ParticleCells& cells, const std::vector<char>& chosen)
      : cells_(cells), chosen_(chosen), parent_(cells.size()) {
    for (const std::uint32_t b : cells.occupied())
      for (std::size_t c = 0; c < brick_size; ++c) {
        const std::uint32_t end = cells.begin(b)[c + 1], first = first_chosen(cells.begin(b)[c], end);
        for (std::uint32_t n = first; n < end; ++n) parent_[n] = first;
      }
    // each pair of cells once; the nearest pairs first, so that most later pairs are united already
    const auto half = offsets(2, [](const CellCoord& o) { return o > CellCoord{0, 0, 0}; });
    for (const CellCoord& offset : half)
      for (const std::uint32_t b : cells.occupied()) unite_cells(b, offset);
  }
  std::uint32_t root(std::uint32_t n) {
    while (parent_[n] != n) n = parent_[n] = parent_[parent_[n]];
    return n;
  }

 private:
  std::uint32_t first_chosen(std::uint32_t begin, std::uint32_t end) const {
    while (begin < end && !chosen_[begin]) ++begin;
    return begin;
  }
  void unite_cells(std::size_t brick, const CellCoord& offset) {
    const std::uint32_t* mine = cells_.begin(brick);
    for (int c = 0; c < int(brick_size); ++c) {
      const std::uint32_t a = first_chosen(mine[c], mine[c + 1]);
      if (a == mine[c + 1]) continue;
      const int i = c / 64 + offset[0], j = c / 8 % 8 + offset[1], k = c % 8 + offset[2];
      const std::int32_t other = cells_.bricks().around(brick)[BrickMap::neighbour(i >> 3, j >> 3, k >> 3)];
      if (other == BrickMap::none) continue;
      const std::uint32_t* there = cells_.begin(std::size_t(other)) + cell_index(i & 7, j & 7, k & 7);
      const std::uint32_t b = first_chosen(there[0], there[1]);
      if (b == there[1]) continue;
      const std::uint32_t root_a = root(a), root_b = root(b);
      if (root_a == root_b) continue;
      const Float3 shift{float(8 * (i >> 3)), float(8 * (j >> 3)), float(8 * (k >> 3))};
      if (touch(a, mine[c + 1], b, there[1], shift))
        parent_[std::max(root_a, root_b)] = std::min(root_a, root_b);
    }
  }
  // whether a chosen particle of [a, a_end) is nearer than 2 r to one of [b, b_end), whose brick is `shift` away
  bool touch(std::uint32_t a, std::uint32_t a_end, std::uint32_t b, std::uint32_t b_end,
             const Float3& shift) const {
    for (; a < a_end; ++a)
      for (std::uint32_t q = b; chosen_[a] && q < b_end; ++q) {
        if (!chosen_[q]) continue;
        const Float3 x = cells_.place(a), y = cells_.place(q);
        float square = 0;
        for (std::size_t d = 0; d < 3; ++d) {
          const float difference = y[d] + shift[d] - x[d];
          square += difference * difference;
        }
        if (square < 4) return true;
      }
    return false;
  }

  const ParticleCells& cells_;
  const std::vector<char>& chosen_;
  std::vector<std::uint32_t> parent_;
};

// The extent of particles on an axis, each a cube of side r. On a periodic axis it is the period minus the widest gap,
// since the particles may lie across the border.
double extent(std::vector<double>& x, double period) {
  std::sort(x.begin(), x.end());
  if (period <= 0) return x.back() - x.front() + 1;
  double gap = x.front() + period - x.back();
  for (std::size_t i = 1; i < x.size(); ++i) gap = std::max(gap, x[i] - x[i - 1]);
  return std::min(period, period - gap + 1);
}

// A node deeper than 2 r is the centre of a ball of that radius inside the material. As only nodes are tried, the best
// centre may be missed by up to r on each axis: with one more r the ball reaches the particles along the faces and
// edges of a box, and all but a few in its corners.
constexpr float ball_radius = 2, cover_radius = 3;
constexpr int cover_reach = 4;
constexpr int patch_width = brick_width + 2 * cover_reach;

// the nodes of a brick and around it that are centres of such balls
class Centres {
 public:
  Centres(const SphereDistance& distance, const BlockCoord& brick) {
    const std::int32_t home = distance.bricks().find(brick);
    if (home == BrickMap::none) return;
    for (int i = 0; i < patch_width; ++i)
      for (int j = 0; j < patch_width; ++j)
        for (int k = 0; k < patch_width; ++k) {
          const int x = i - cover_reach, y = j - cover_reach, z = k - cover_reach;
          const std::int32_t other =
              distance.bricks().around(std::size_t(home))[BrickMap::neighbour(x >> 3, y >> 3, z >> 3)];
          is_centre_[i][j][k] = other != BrickMap::none &&
                                distance.value(std::size_t(other), x & 7, y & 7, z & 7) < -ball_radius;
        }
  }
  // whether some ball covers x; `tries` are the offsets of the centres to test, from the low corner of the cell of x
  bool cover(const Float3& x, const std::vector<CellCoord>& tries) const {
    const int cell[3] = {int(x[0]), int(x[1]), int(x[2])};
    for (const CellCoord& o : tries) {
      const int i = cell[0] + o[0], j = cell[1] + o[1], k = cell[2] + o[2];
      if (!is_centre_[i + cover_reach][j + cover_reach][k + cover_reach]) continue;
      const float dx = float(i) - x[0], dy = float(j) - x[1], dz = float(k) - x[2];
      if (dx * dx + dy * dy + dz * dz < cover_radius * cover_radius) return true;
    }
    return false;
  }

 private:
  bool is_centre_[patch_width][patch_width][patch_width] = {};
};

// Whether the particles around one lie along a line: a thread and not a sheet. The test is the ratio of the second to
// the largest eigenvalue of the covariance of their positions: 0.28 for the half disc at the edge of a sheet, 0.08 for
// a rod as thick as a thread can be.
constexpr float slender_radius = 6, slender_ratio = 0.2f;

bool is_slender(const ParticleCells& cells, std::size_t brick, const Float3& x) {
  Vec3<double> sum{0, 0, 0};
  SymMat3<double> square = SymMat3<double>::diagonal(0);
  int count = 0;
  cells.each_near(brick, x, slender_radius, [&](std::uint32_t, const Float3& d, float) {
    const Vec3<double> v{d[0], d[1], d[2]};
    sum = sum + v;
    square = square + SymMat3<double>{v.x * v.x, v.y * v.y, v.z * v.z, v.x * v.y, v.x * v.z, v.y * v.z};
    ++count;
  });
  const Vec3<double> mean = (1.0 / count) * sum;
  const SymMat3<double> spread =
      (1.0 / count) * square - SymMat3<double>{mean.x * mean.x, mean.y * mean.y, mean.z * mean.z,
                                               mean.x * mean.y, mean.x * mean.z, mean.y * mean.z};
  const Vec3<double> found = eigen(spread).values;
  std::array<double, 3> values{found.x, found.y, found.z};
  std::sort(values.begin(), values.end());
  return values[1] < slender_ratio * values[2];
}

}  // namespace

Clusters::Clusters(const ParticleCells& cells, const std::vector<char>& chosen)
    : cluster_(cells.size(), none) {
  Forest forest(cells, chosen);
  // roots are the first of their sets
  for (std::uint32_t n = 0; n < cells.size(); ++n) {
    if (!chosen[n]) continue;
    const std::uint32_t root = forest.root(n);
    if (root == n) cluster_[n] = std::int32_t(sizes_.size()), sizes_.push_back(0);
    cluster_[n] = cluster_[root];
    ++sizes_[std::size_t(cluster_[n])];
  }
}

std::uint64_t count_pieces(const ParticleCells& cells) {
  const Clusters clusters(cells, std::vector<char>(cells.size(), 1));
  std::uint64_t pieces = 0;
  for (std::size_t k = 0; k < clusters.count(); ++k) pieces += clusters.size(k) >= smallest_piece;
  return pieces;
}

std::vector<char> find_thin(const ParticleCells& cells, const SphereDistance& distance) {
  // nodes less than the cover radius from some point of the cell (0, 0, 0)
  const auto tries = offsets(cover_reach, [](const CellCoord& o) {
    float square = 0;
    for (const std::int32_t a : o) {
      const float gap = float(std::max({0, -a, a - 1}));
      square += gap * gap;
    }
    return square < cover_radius * cover_radius;
  });
  std::vector<char> thin(cells.size());
  parallel_for(cells.occupied().size(), 4, [&](std::size_t k) {
    const std::size_t b = cells.occupied()[k];
    const Centres centres(distance, cells.bricks().coord(b));
    for (std::uint32_t n = cells.begin(b)[0]; n < cells.begin(b)[brick_size]; ++n)
      thin[n] = !centres.cover(cells.place(n), tries);
  });
  return thin;
}

std::vector<char> find_threads(const ParticleCells& cells, const SphereDistance& distance) {
  std::vector<char> chosen = find_thin(cells, distance);
  parallel_for(cells.occupied().size(), 1, [&](std::size_t k) {
    const std::size_t b = cells.occupied()[k];
    for (std::uint32_t n = cells.begin(b)[0]; n < cells.begin(b)[brick_size]; ++n)
      if (chosen[n]) chosen[n] = is_slender(cells, b, cells.place(n));
  });
  return chosen;
}

double longest_thread(const ParticleCells& cells, const SphereDistance& distance) {
  const Clusters clusters(cells, find_threads(cells, distance));
  std::vector<std::array<std::vector<double>, 3>> places(clusters.count());
  for (const std::uint32_t b : cells.occupied()) {
    const BlockCoord brick = cells.bricks().coord(b);
    for (std::uint32_t n = cells.begin(b)[0]; n < cells.begin(b)[brick_size]; ++n) {
      const std::int32_t cluster = clusters.of(n);
      if (cluster == Clusters::none || clusters.size(std::size_t(cluster)) < smallest_piece) continue;
      for (std::size_t d = 0; d < 3; ++d)
        places[std::size_t(cluster)][d].push_back(8.0 * brick[d] + double(cells.x(int(d))[n]));
    }
  }
  double longest = 0;
  for (auto& axes : places) {
    if (axes[0].empty()) continue;
    double square = 0;
    for (std::size_t d = 0; d < 3; ++d) square += std::pow(extent(axes[d], 8.0 * cells.space().period[d]), 2);
    longest = std::max(longest, std::sqrt(square));
  }
  return longest;
}

}  // namespace dollop
