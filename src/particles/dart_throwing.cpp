#include "particles/dart_throwing.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/parallel.h"
#include "core/random.h"

namespace dollop {
namespace {

// Positions are rounded to float, here and when a point becomes a particle. The margins make the distance of new points
// true all the same, and let no part of a cell count as covered that is not.
constexpr float keep_away = float(dart_distance * dart_distance * (1 + 1e-5));
constexpr float covers = float(dart_distance * dart_distance * (1 - 1e-5));

// A point that keeps its distance from all particles; whether it does from other points is decided later.
struct Candidate {
  std::uint16_t cell;
  bool accepted;
  std::uint32_t trial;
  Float3 x;  // counted from the brick
};

// The candidates of a brick, ordered by cell and trial.
struct BrickDarts {
  std::vector<Candidate> candidates;
  std::array<std::uint64_t, 8> cells{};  // those with candidates: bit 8 j + k of word i
  std::vector<std::uint32_t> first;      // candidate of each of these cells, and the end
};

// Cells are divided into 8 x 8 x 8 parts, those of level 3. This says which parts of a brick are covered by one sphere.
constexpr int fine = 8;
constexpr int fine_width = fine * brick_width;

// Marks the parts that the sphere around a particle covers, row by row along z. A part counts if its farthest corner is
// in the sphere, for all places of the particle within a sixteenth of a part along z: a table then gives the bits of a
// row from what x and y leave of the square of the radius.
class Cover {
 public:
  // x is counted from the brick [r], at most a cell outside it
  void mark(const Float3& x) {
    std::int32_t first[3];  // part that the 16 bits and the squares begin with
    int square[2][span];
    float inside[3];
    for (int d = 0; d < 3; ++d) {
      const float y = x[std::size_t(d)] * fine, low = std::floor(y);
      first[d] = std::int32_t(low) - span / 2;
      inside[d] = y - low;
    }
    for (int d = 0; d < 2; ++d)
      for (int o = 0; o < span; ++o) square[d][o] = farthest(o - span / 2, inside[d]);
    const std::uint16_t* row_bits = table().bits[int(inside[2] * steps)] + table_zero;
    const int x_begin = std::max(0, -first[0]), x_end = std::min(span, fine_width - first[0]);
    const int y_begin = std::max(0, -first[1]), y_end = std::min(span, fine_width - first[1]);
    const int up = std::max(first[2], 0), down = std::max(-first[2], 0);
    if (up >= fine_width || down >= span) return;
    for (int i = x_begin; i < x_end; ++i) {
      const int left = radius_square - square[0][i];
      if (left < 0) continue;
      std::uint64_t* rows = rows_.data() + fine_width * (first[0] + i) + first[1];
      const int begin = std::max(y_begin, span / 2 - table().half_width[left]);
      const int end = std::min(y_end, span / 2 + table().half_width[left] + 1);
      if (first[2] >= 0)
        for (int j = begin; j < end; ++j) rows[j] |= std::uint64_t(row_bits[left - square[1][j]]) << up;
      else
        for (int j = begin; j < end; ++j) rows[j] |= std::uint64_t(row_bits[left - square[1][j]]) >> down;
    }
  }
  void clear() { rows_.fill(0); }

  // one bit for each of the parts along z
  std::uint64_t row(int x, int y) const { return rows_[std::size_t(fine_width * x + y)]; }

 private:
  static constexpr int span = 16;    // parts that a sphere may reach along an axis
  static constexpr int steps = 16;   // places within a part
  static constexpr float scale = 4;  // squares are counted in 1 / scale of a part
  static constexpr int radius_square = int(covers * fine * fine * scale);
  static constexpr int table_zero = int(scale * 9 * 9) + 1;  // squares that y may take from what is left

  // square of the distance of the farthest end of part o from a place within part 0, rounded up
  static int farthest(int o, float inside) {
    const float a = std::max(inside - float(o), float(o + 1) - inside);
    return int(a * a * scale) + 1;
  }
  struct Table {
    std::uint16_t bits[steps][table_zero + radius_square + 1] = {};
    int half_width[radius_square + 1];  // parts on each side that a distance of the square root may reach
    Table() {
      for (int left = 0; left <= radius_square; ++left)
        half_width[left] = int(std::sqrt(float(left) / scale));
      for (int z = 0; z < steps; ++z)
        for (int left = 0; left <= radius_square; ++left)
          for (int o = 0; o < span; ++o) {
            const int part = o - span / 2;
            const float a = std::max(float(z + 1) / steps - float(part), float(part + 1) - float(z) / steps);
            bits[z][table_zero + left] |= std::uint16_t((a * a * scale <= float(left)) << o);
          }
    }
  };
  static const Table& table() {
    static const Table t;
    return t;
  }

  std::array<std::uint64_t, std::size_t(fine_width) * fine_width> rows_;
};

// Tries points in the cells of one brick, against particles only. Points are counted from their cell.
class BrickSearch {
 public:
  BrickSearch(const ParticleCells& cells, const SphereDistance& distance, const DartOptions& options)
      : cells_(cells), distance_(distance), options_(options) {}

  void search(std::size_t brick, std::vector<Candidate>& found) {
    if (!may_be_deep(brick)) return;
    distance_.load(brick, nodes_);
    load_particles(brick);
    const BlockCoord at = cells_.bricks().coord(brick);
    for (int i = 0; i < 8; ++i)
      for (int j = 0; j < 8; ++j) {
        std::uint64_t covered = ~std::uint64_t(0);
        for (int x = fine * i; x < fine * (i + 1); ++x)
          for (int y = fine * j; y < fine * (j + 1); ++y) covered &= cover_.row(x, y);
        for (int k = 0; k < 8; ++k)
          if ((covered >> fine * k & 0xff) != 0xff && is_active(i, j, k) && !is_covered(i, j, k))
            search_cell(at, {i, j, k}, found);
      }
  }

 private:
  // false if no corner of a cell of the brick can be deep
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

  // copies the particles of the brick and of the cells around it, in order of cells, and marks what they cover
  void load_particles(std::size_t brick) {
    const std::int32_t* around = cells_.bricks().around(brick);
    x_.clear();
    cover_.clear();
    std::size_t cell = 0;
    for (int i = -1; i < 9; ++i)
      for (int j = -1; j < 9; ++j)
        for (int k = -1; k < 9; ++k) {
          begin_[cell++] = std::uint32_t(x_.size());
          const std::int32_t other = around[BrickMap::neighbour(i >> 3, j >> 3, k >> 3)];
          if (other == BrickMap::none) continue;
          const float shift[3] = {float(i & ~7), float(j & ~7), float(k & ~7)};
          const std::uint32_t* begin = cells_.begin(std::size_t(other)) + cell_index(i & 7, j & 7, k & 7);
          for (std::uint32_t n = begin[0]; n < begin[1]; ++n) {
            const Float3 y = cells_.place(n);
            x_.push_back({y[0] + shift[0], y[1] + shift[1], y[2] + shift[2]});
            cover_.mark(x_.back());
          }
        }
    begin_[cell] = std::uint32_t(x_.size());
  }
  static std::size_t local(int i, int j, int k) { return std::size_t((i + 1) * 100 + (j + 1) * 10 + k + 1); }

  // the trilinear distance in a cell is nowhere less than at its corners                                  (RES.4)
  bool is_active(int i, int j, int k) const {
    float least = 0;
    for (int n = 0; n < 8; ++n) least = std::min(least, nodes_[i + (n >> 2)][j + (n >> 1 & 1)][k + (n & 1)]);
    return least < -fill_depth;
  }

  // A sphere that covers a whole cell has its centre in it. So it is for every cell of a lattice at rest.
  bool is_covered(int i, int j, int k) const {
    const std::size_t cell = local(i, j, k);
    for (std::uint32_t n = begin_[cell]; n < begin_[cell + 1]; ++n) {
      const float a = std::fabs(x_[n][0] - (float(i) + 0.5f)) + 0.5f;
      const float b = std::fabs(x_[n][1] - (float(j) + 0.5f)) + 0.5f;
      const float c = std::fabs(x_[n][2] - (float(k) + 0.5f)) + 0.5f;
      if (a * a + b * b + c * c <= covers) return true;
    }
    return false;
  }

  // Tries points from coarse to fine, but in no part whose finest parts are all covered: it has no place.   (RES.6)
  void search_cell(const BlockCoord& brick, const CellCoord& cell, std::vector<Candidate>& found) {
    cell_ = cell;
    stream_ = options_.call;
    for (std::size_t d = 0; d < 3; ++d)
      stream_ = combine(stream_, std::uint64_t(std::int64_t(8 * brick[d] + cell[d])));
    stream_ = random_stream(options_.seed, stream_);
    for (int x = 0; x < fine; ++x) {
      open_[std::size_t(x)] = 0;
      for (int y = 0; y < fine; ++y)
        open_[std::size_t(x)] |=
            (~cover_.row(fine * cell[0] + x, fine * cell[1] + y) >> fine * cell[2] & 0xff) << fine * y;
    }
    for (int level = 0; level <= options_.depth; ++level) try_level(level, found);
  }

  bool is_open(int x, int y, int z) const { return open_[std::size_t(x)] >> (fine * y + z) & 1; }

  void try_level(int level, std::vector<Candidate>& found) {
    const int n = 1 << level;
    if (level > 3) {  // the parts of those of level 3
      const int up = level - 3;
      for (int x = 0; x < n; ++x)
        for (int y = 0; y < n; ++y)
          for (int z = 0; z < n; ++z)
            if (is_open(x >> up, y >> up, z >> up)) try_point(level, {x, y, z}, found);
      return;
    }
    const int width = fine >> level;
    const std::uint64_t row = (std::uint64_t(1) << width) - 1;  // bits of a part along z
    for (int x = 0; x < n; ++x) {
      std::uint64_t slab = 0;
      for (int k = 0; k < width; ++k) slab |= open_[std::size_t(width * x + k)];
      if (slab == 0) continue;
      for (int y = 0; y < n; ++y) {
        std::uint64_t rows = 0;
        for (int k = 0; k < width; ++k) rows |= slab >> (fine * (width * y + k)) & 0xff;
        for (int z = 0; rows != 0; ++z, rows >>= width)
          if (rows & row) try_point(level, {x, y, z}, found);
      }
    }
  }

  // a random point of a part
  void try_point(int level, const CellCoord& part, std::vector<Candidate>& found) {
    const std::uint32_t n = 1u << level;
    const std::uint32_t trial = (n * n * n - 1) / 7 +
                                (std::uint32_t(part[0]) * n + std::uint32_t(part[1])) * n +
                                std::uint32_t(part[2]);
    const std::uint64_t bits = random_bits(stream_, trial);
    const float width = 1 / float(n);
    Float3 p;
    for (std::size_t d = 0; d < 3; ++d)
      p[d] = (float(part[d]) + float(bits >> 21 * d & 0x1fffff) * 0x1p-21f) * width;
    if (level < 3 && !is_open(int(p[0] * fine), int(p[1] * fine), int(p[2] * fine))) return;
    for (std::size_t d = 0; d < 3; ++d) p[d] += float(cell_[d]);
    if (is_near_particle(p) || !(depth(p) < -fill_depth)) return;
    found.push_back({std::uint16_t(cell_index(cell_[0], cell_[1], cell_[2])), false, trial, p});
  }

  // Whether a point of the cell, counted from the brick, is too near to a particle. Looks in the eight cells that meet
  // at the nearest corner first, as that is mostly enough.
  bool is_near_particle(const Float3& p) {
    if (last_near_ < x_.size()) {  // often the one that was too near before
      const Float3& y = x_[last_near_];
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
        const std::uint32_t end = begin_[local(i, j, high[2]) + 1];
        for (std::uint32_t n = begin_[local(i, j, low[2])]; n < end; ++n) {
          const float a = x_[n][0] - p[0], b = x_[n][1] - p[1], c = x_[n][2] - p[2];
          if (a * a + b * b + c * c < keep_away) return last_near_ = n, true;
        }
      }
    return false;
  }

  // the distance at a point of the cell, trilinear between its corners
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
  std::array<std::uint32_t, 1001> begin_;  // of the cells -1 to 8 on each axis
  std::vector<Float3> x_;                  // counted from the brick
  Cover cover_;
  CellCoord cell_{};
  std::array<std::uint64_t, fine> open_{};  // parts of the cell that are not covered: bit 8 y + z of word x
  std::uint64_t stream_ = 0;
  std::uint32_t last_near_ = 0;
};

void index_cells(BrickDarts& darts) {
  for (std::size_t n = 0; n < darts.candidates.size(); ++n) {
    const std::uint16_t cell = darts.candidates[n].cell;
    if (n > 0 && cell == darts.candidates[n - 1].cell) continue;
    darts.cells[cell >> 6] |= std::uint64_t(1) << (cell & 63);
    darts.first.push_back(std::uint32_t(n));
  }
  darts.first.push_back(std::uint32_t(darts.candidates.size()));
}

// Decides between candidates that are too near to each other: cells of one colour at a time, which do not touch.
class Election {
 public:
  Election(const BrickMap& map, const std::function<bool(const Double3&)>& blocked,
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

  // what earlier colours have accepted in the cells around one, counted from its brick
  void find_taken(std::size_t brick, const CellCoord& at, std::vector<Float3>& taken) const {
    for (int n = 0; n < 27; ++n) {
      const int i = at[0] + n / 9 - 1, j = at[1] + n / 3 % 3 - 1, k = at[2] + n % 3 - 1;
      const std::int32_t other = map_.around(brick)[BrickMap::neighbour(i >> 3, j >> 3, k >> 3)];
      if (n == 13 || other == BrickMap::none) continue;
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
  parallel_ranges(map.size(), 8, [&](std::size_t begin, std::size_t end) {
    BrickSearch search(cells, distance, options);
    for (std::size_t b = begin; b < end; ++b) {
      search.search(b, darts[b].candidates);
      index_cells(darts[b]);
    }
  });
  std::vector<std::size_t> some;  // bricks with candidates
  for (std::size_t b = 0; b < darts.size(); ++b)
    if (!darts[b].candidates.empty()) some.push_back(b);
  Election election(map, blocked, darts);
  for (int colour = 0; colour < 8; ++colour)
    parallel_for(some.size(), 4, [&](std::size_t n) { election.decide(some[n], colour); });
  std::vector<Dart> accepted;
  for (const std::size_t b : some)
    for (const Candidate& c : darts[b].candidates)
      if (c.accepted) accepted.push_back({std::uint32_t(b), c.x});
  return accepted;
}

}  // namespace dollop
