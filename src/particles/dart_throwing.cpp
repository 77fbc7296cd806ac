#include "particles/dart_throwing.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/parallel.h"
#include "core/random.h"
#include "particles/brick_cover.h"

namespace dollop {
namespace {

// A point far enough from all particles; conflicts with other candidates are resolved later.
struct Candidate {
  std::uint16_t cell;
  bool accepted;
  std::uint32_t trial;
  Float3 x;  // relative to the brick
};

// The candidates of a brick, ordered by cell and trial.
struct BrickDarts {
  std::vector<Candidate> candidates;
  std::array<std::uint64_t, 8> cells{};  // cells with candidates: bit 8 j + k of word i
  std::vector<std::uint32_t> first;      // first candidate of each of these cells, and the end
};

// Throws darts into the cells of one brick, and tests them against particles only.
class BrickSearch {
 public:
  BrickSearch(const ParticleCells& cells, const SphereDistance& distance, const DartOptions& options)
      : cells_(cells), distance_(distance), options_(options), particles_(cells) {}

  void search(std::size_t brick, std::vector<Candidate>& found) {
    if (!may_be_deep(brick)) return;
    distance_.load(brick, nodes_);
    particles_.load(brick);
    if (!find_open_cells()) return;
    mark_parts();
    const BlockCoord at = cells_.bricks().coord(brick);
    for (int i = 0; i < 8; ++i)
      for (std::uint64_t left = open_cells_[std::size_t(i)]; left != 0; left &= left - 1) {
        const int bit = std::countr_zero(left);
        search_cell(at, {i, bit >> 3, bit & 7}, found);
      }
  }

 private:
  // false if no corner of a cell of the brick can be deeper than fill_depth
  bool may_be_deep(std::size_t brick) const {
    const std::int32_t* around = cells_.bricks().around(brick);
    for (int n = 0; n < 8; ++n) {
      const std::int32_t other = around[BrickMap::neighbour(n >> 2, n >> 1 & 1, n & 1)];
      if (other == BrickMap::none) continue;
      if (!distance_.is_uniform(std::size_t(other)) ||
          distance_.value(std::size_t(other), 0, 0, 0) < -fill_depth)
        return true;
    }
    return false;
  }

  // finds the active cells that are not known to be covered; false if there is none                        (RES.4)
  bool find_open_cells() {
    std::uint64_t any = 0;
    for (int i = 0; i < 8; ++i) {
      std::uint64_t& open = open_cells_[std::size_t(i)];
      open = 0;
      for (std::uint64_t left = active_cells(i); left != 0; left &= left - 1) {
        const int bit = std::countr_zero(left);
        if (!particles_.cover_cell(i, bit >> 3, bit & 7)) open |= left & -left;
      }
      any |= open;
    }
    return any != 0;
  }

  // Bits 8 j + k of the cells (i, j, k) with a corner deeper than fill_depth: the trilinear distance in a cell is
  // nowhere less than at its corners.                                                                      (RES.4)
  std::uint64_t active_cells(int i) const {
    std::uint32_t deep[9];  // bit k of word j: node (i, j, k) or (i + 1, j, k) is deep
    for (int j = 0; j < 9; ++j) {
      deep[j] = 0;
      for (int k = 0; k < 9; ++k)
        deep[j] |= std::uint32_t(std::min(nodes_[i][j][k], nodes_[i + 1][j][k]) < -fill_depth) << k;
    }
    std::uint64_t active = 0;
    for (int j = 0; j < 8; ++j) {
      const std::uint32_t both = deep[j] | deep[j + 1];
      active |= std::uint64_t((both | both >> 1) & 0xff) << 8 * j;
    }
    return active;
  }

  // marks the parts that the particles around open cells cover
  void mark_parts() {
    cover_.clear();
    for (int i = -1; i < 9; ++i) {
      std::uint64_t near = 0;  // bit 8 j + k: an open cell beside (i, j, k)
      for (int n = std::max(0, i - 1); n <= std::min(7, i + 1); ++n) near |= open_cells_[std::size_t(n)];
      if (near == 0) continue;
      for (int j = -1; j < 9; ++j) {
        std::uint32_t row = 0;
        for (int n = std::max(0, j - 1); n <= std::min(7, j + 1); ++n) row |= near >> 8 * n & 0xff;
        row = row | row << 1 | row << 2;  // bit k + 1
        for (int k = -1; row != 0; ++k, row >>= 1)
          if (row & 1)
            for (std::uint32_t n = particles_.begin(i, j, k); n < particles_.end(i, j, k); ++n)
              cover_.mark(particles_.place(n));
      }
    }
  }

  // Throws darts from coarse to fine, but not into a part whose finest parts are all covered: it has no room. (RES.6)
  void search_cell(const BlockCoord& brick, const CellCoord& cell, std::vector<Candidate>& found) {
    cell_ = cell;
    if (!find_open_parts()) return;
    stream_ = options_.call;
    for (std::size_t d = 0; d < 3; ++d)
      stream_ = combine(stream_, std::uint64_t(std::int64_t(8 * brick[d] + cell[d])));
    stream_ = random_stream(options_.seed, stream_);
    for (int level = 0; level <= options_.depth; ++level) try_level(level, found);
  }

  // false if all parts of the cell are covered
  bool find_open_parts() {
    std::uint64_t any = 0;
    for (int x = 0; x < fine; ++x) {
      std::uint64_t& open = open_[std::size_t(x)];
      open = 0;
      for (int y = 0; y < fine; ++y)
        open |= (~cover_.row(fine * cell_[0] + x, fine * cell_[1] + y) >> fine * cell_[2] & 0xff) << fine * y;
      any |= open;
    }
    return any != 0;
  }
  bool is_open(int x, int y, int z) const { return open_[std::size_t(x)] >> (fine * y + z) & 1; }

  void try_level(int level, std::vector<Candidate>& found) {
    const int n = 1 << level;
    if (level > 3) {  // subdivisions of the parts of level 3
      const int up = level - 3;
      for (int x = 0; x < n; ++x)
        for (int y = 0; y < n; ++y)
          for (std::uint64_t row = open_[std::size_t(x >> up)] >> fine * (y >> up) & 0xff; row != 0;
               row &= row - 1)
            for (int z = std::countr_zero(row) << up, end = z + (1 << up); z < end; ++z)
              try_point(level, {x, y, z}, found);
      return;
    }
    // combine the bits of each part in its lowest bit
    const int width = fine >> level;
    static constexpr std::uint64_t lowest[] = {1, 0x0000001100000011, 0x0055005500550055, ~std::uint64_t(0)};
    for (int x = 0; x < n; ++x) {
      std::uint64_t open = 0;
      for (int k = 0; k < width; ++k) open |= open_[std::size_t(width * x + k)];
      for (int k = 1; k < width; k *= 2) open |= open >> k, open |= open >> fine * k;
      for (open &= lowest[level]; open != 0; open &= open - 1) {
        const int bit = std::countr_zero(open);
        try_point(level, {x, (bit >> 3) / width, (bit & 7) / width}, found);
      }
    }
  }

  // throws a dart at a random point of a part
  void try_point(int level, const CellCoord& part, std::vector<Candidate>& found) {
    const std::uint32_t n = 1u << level;
    const std::uint32_t trial = (n * n * n - 1) / 7 +
                                (std::uint32_t(part[0]) * n + std::uint32_t(part[1])) * n +
                                std::uint32_t(part[2]);
    const std::uint64_t bits = random_bits(stream_, trial);
    static constexpr float widths[] = {1, 0x1p-1f, 0x1p-2f, 0x1p-3f};
    const float width = level <= 3 ? widths[level] : 1 / float(n);
    Float3 p;
    for (std::size_t d = 0; d < 3; ++d)
      p[d] = (float(part[d]) + float(std::int32_t(bits >> 21 * d & 0x1fffff)) * 0x1p-21f) * width;
    if (level < 3 && !is_open(int(p[0] * fine), int(p[1] * fine), int(p[2] * fine))) return;
    for (std::size_t d = 0; d < 3; ++d) p[d] += float(cell_[d]);
    if (is_near_particle(p) || !(depth(p) < -fill_depth)) return;
    found.push_back({std::uint16_t(cell_index(cell_[0], cell_[1], cell_[2])), false, trial, p});
  }

  // Whether a point of the cell, relative to the brick, is too close to a particle. Searches the eight cells that meet
  // at the nearest corner first, which is mostly enough.
  bool is_near_particle(const Float3& p) {
    if (last_near_ < particles_.size()) {  // often the particle that was too close before
      const Float3& y = particles_.place(last_near_);
      const float a = y[0] - p[0], b = y[1] - p[1], c = y[2] - p[2];
      if (a * a + b * b + c * c < keep_away) return true;
    }
    CellCoord low, high;
    for (std::size_t d = 0; d < 3; ++d) {
      const bool up = p[d] - float(cell_[d]) >= 0.5f;
      low[d] = cell_[d] - !up, high[d] = cell_[d] + up;
    }
    if (is_near_some(p, low, high)) return true;
    return is_near_some(p, {cell_[0] - 1, cell_[1] - 1, cell_[2] - 1},
                        {cell_[0] + 1, cell_[1] + 1, cell_[2] + 1});
  }
  bool is_near_some(const Float3& p, const CellCoord& low, const CellCoord& high) {
    for (int i = low[0]; i <= high[0]; ++i)
      for (int j = low[1]; j <= high[1]; ++j) {
        const std::uint32_t end = particles_.end(i, j, high[2]);
        for (std::uint32_t n = particles_.begin(i, j, low[2]); n < end; ++n) {
          const Float3& y = particles_.place(n);
          const float a = y[0] - p[0], b = y[1] - p[1], c = y[2] - p[2];
          if (a * a + b * b + c * c < keep_away) return last_near_ = n, true;
        }
      }
    return false;
  }

  // the signed distance at a point of the cell, interpolated trilinearly
  float depth(const Float3& p) const {
    const float a = p[0] - float(cell_[0]), b = p[1] - float(cell_[1]), c = p[2] - float(cell_[2]);
    float result = 0;
    for (int n = 0; n < 8; ++n) {
      const int u = n >> 2, v = n >> 1 & 1, w = n & 1;
      result += (u ? a : 1 - a) * (v ? b : 1 - b) * (w ? c : 1 - c) *
                nodes_[cell_[0] + u][cell_[1] + v][cell_[2] + w];
    }
    return result;
  }

  const ParticleCells& cells_;
  const SphereDistance& distance_;
  const DartOptions& options_;
  float nodes_[9][9][9];
  BrickParticles particles_;
  std::array<std::uint64_t, 8> open_cells_{};  // bit 8 j + k of word i
  PartCover cover_;
  CellCoord cell_{};
  std::array<std::uint64_t, fine> open_{};  // parts of the cell that are not covered: bit 8 y + z of word x
  std::uint64_t stream_ = 0;
  std::uint32_t last_near_ = 0;
};

void index_cells(BrickDarts& darts) {
  if (darts.candidates.empty()) return;
  for (std::size_t n = 0; n < darts.candidates.size(); ++n) {
    const std::uint16_t cell = darts.candidates[n].cell;
    if (n > 0 && cell == darts.candidates[n - 1].cell) continue;
    darts.cells[cell >> 6] |= std::uint64_t(1) << (cell & 63);
    darts.first.push_back(std::uint32_t(n));
  }
  darts.first.push_back(std::uint32_t(darts.candidates.size()));
}

// Resolves conflicts between candidates that are too close to each other: cells of one of eight colours at a time, as
// these do not touch.
class Selection {
 public:
  Selection(const BrickMap& map, const std::function<bool(const Double3&)>& blocked,
            std::vector<BrickDarts>& darts)
      : map_(map), blocked_(blocked), darts_(darts) {}

  void decide(std::size_t brick, int colour) {
    BrickDarts& darts = darts_[brick];
    for (std::size_t n = 0; n + 1 < darts.first.size(); ++n) {
      const int cell = darts.candidates[darts.first[n]].cell;
      const CellCoord at{cell >> 6, cell >> 3 & 7, cell & 7};
      if ((at[0] & 1) + 2 * (at[1] & 1) + 4 * (at[2] & 1) != colour) continue;
      thread_local std::vector<Float3> taken;
      taken.clear();
      find_taken(brick, at, taken);
      for (std::uint32_t c = darts.first[n]; c < darts.first[n + 1]; ++c) {
        Candidate& candidate = darts.candidates[c];
        if (!is_free(candidate.x, taken) || blocked_(to_place(map_.space(), map_.coord(brick), candidate.x)))
          continue;
        candidate.accepted = true;
        taken.push_back(candidate.x);
      }
    }
  }

 private:
  static bool is_free(const Float3& x, const std::vector<Float3>& taken) {
    return std::none_of(taken.begin(), taken.end(), [&](const Float3& y) {
      const float a = x[0] - y[0], b = x[1] - y[1], c = x[2] - y[2];
      return a * a + b * b + c * c < keep_away;
    });
  }

  // the points that earlier colours have accepted in the cells around one, relative to its brick
  void find_taken(std::size_t brick, const CellCoord& at, std::vector<Float3>& taken) const {
    for (int n = 0; n < neighbour_count; ++n) {
      const auto [dx, dy, dz] = neighbour_offset(n);
      const int i = at[0] + dx, j = at[1] + dy, k = at[2] + dz;
      const std::int32_t other = map_.around(brick)[BrickMap::neighbour(i >> 3, j >> 3, k >> 3)];
      if (n == neighbour_self || other == BrickMap::none) continue;
      const BrickDarts& darts = darts_[std::size_t(other)];
      const std::size_t word = std::size_t(i & 7), bit = std::size_t(8 * (j & 7) + (k & 7));
      if (!(darts.cells[word] >> bit & 1)) continue;
      std::size_t rank = std::size_t(std::popcount(darts.cells[word] & ((std::uint64_t(1) << bit) - 1)));
      for (std::size_t w = 0; w < word; ++w) rank += std::size_t(std::popcount(darts.cells[w]));
      for (std::uint32_t c = darts.first[rank]; c < darts.first[rank + 1]; ++c)
        if (const Candidate& candidate = darts.candidates[c]; candidate.accepted)
          taken.push_back({candidate.x[0] + float(i & ~7), candidate.x[1] + float(j & ~7),
                           candidate.x[2] + float(k & ~7)});
    }
  }

  const BrickMap& map_;
  const std::function<bool(const Double3&)>& blocked_;
  std::vector<BrickDarts>& darts_;
};

}  // namespace

std::vector<Dart> throw_darts(const ParticleCells& cells, const SphereDistance& distance,
                              const std::function<bool(const Double3&)>& blocked,
                              const DartOptions& options) {
  const BrickMap& map = cells.bricks();
  std::vector<BrickDarts> darts(map.size());
  parallel_ranges(map.size(), 2, [&](std::size_t begin, std::size_t end) {
    BrickSearch search(cells, distance, options);
    for (std::size_t b = begin; b < end; ++b) {
      search.search(b, darts[b].candidates);
      index_cells(darts[b]);
    }
  });
  std::vector<std::size_t> some;  // bricks with candidates
  for (std::size_t b = 0; b < darts.size(); ++b)
    if (!darts[b].candidates.empty()) some.push_back(b);
  Selection selection(map, blocked, darts);
  for (int colour = 0; colour < 8; ++colour)
    parallel_for(some.size(), 4, [&](std::size_t n) { selection.decide(some[n], colour); });
  std::vector<Dart> accepted;
  for (const std::size_t b : some)
    for (const Candidate& c : darts[b].candidates)
      if (c.accepted) accepted.push_back({std::uint32_t(b), c.x});
  return accepted;
}

}  // namespace dollop
