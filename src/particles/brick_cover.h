// The parts of one brick of cells that the spheres around particles cover: dart throwing tries no points there. Theory:
// docs/theory/resampling.md.
//
// The unit of length is r. Positions are relative to the low corner of the brick.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "particles/dart_throwing.h"
#include "particles/particle_cells.h"

namespace dollop {

// Squared distances [r^2]. Positions are rounded to float, here and when a point becomes a particle: the margins make
// sure that new points keep their distance all the same, and that no part of a cell counts as covered that is not.
inline constexpr float keep_away = float(dart_distance * dart_distance * (1 + 1e-5));
inline constexpr float covers = float(dart_distance * dart_distance * (1 - 1e-5));

// The particles of a brick and of the cells around it, with positions relative to the brick.
class BrickParticles {
 public:
  explicit BrickParticles(const ParticleCells& cells) : cells_(cells) {}

  void load(std::size_t brick) {
    const std::int32_t* around = cells_.bricks().around(brick);
    size_ = 0;
    std::size_t cell = 0;
    for (int i = -1; i < 9; ++i)
      for (int j = -1; j < 9; ++j)
        for (int dz = -1; dz < 2; ++dz) {
          const std::int32_t other = around[BrickMap::neighbour(i >> 3, j >> 3, dz)];
          const Float3 shift{float(i & ~7), float(j & ~7), float(8 * dz)};
          const int first = dz < 0 ? 7 : 0, end = dz > 0 ? 1 : 8;
          if (other == BrickMap::none)
            for (int k = first; k < end; ++k) begin_[cell++] = size_;
          else
            load_row(cells_.begin(std::size_t(other)) + cell_index(i & 7, j & 7, 0), first, end, shift, cell);
        }
    begin_[cell] = size_;
    find_lattice();
  }

  // the particles [begin, end) of cell (i, j, k), -1 to 8 on each axis; the cells of a row along z are contiguous
  std::uint32_t begin(int i, int j, int k) const { return begin_[local(i, j, k)]; }
  std::uint32_t end(int i, int j, int k) const { return begin_[local(i, j, k) + 1]; }
  std::uint32_t size() const { return size_; }
  const Float3& place(std::uint32_t n) const { return x_[n]; }

  // A quick sufficient test that the spheres cover a cell of the brick. It takes the particles for a lattice and tests
  // whether eight neighbours cover the cell, or each of the cubes around the cell. It is true for every cell of a
  // lattice that has been translated as a whole, and for most cells if the lattice is slightly rotated or deformed.
  // If it is false, the cell may be covered or not.
  bool cover_cell(int i, int j, int k) {
    bool all = true;
    for (int n = 0; n < 8 && all; ++n) all = cover_cube(i + (n >> 2), j + (n >> 1 & 1), k + (n & 1));
    if (all) return true;
    const std::size_t base = local(i - (phase_[0] >= 0), j - (phase_[1] >= 0), k - (phase_[2] >= 0));
    return eight_cover(base, {float(i), float(j), float(k)});
  }

 private:
  static constexpr float far_away = 1e6f;
  static std::size_t local(int i, int j, int k) { return std::size_t((i + 1) * 100 + (j + 1) * 10 + k + 1); }

  // Whether a cube of width 1 is covered; centres are at integers plus the phase, so eight cubes cover a cell.
  bool cover_cube(int i, int j, int k) {
    signed char& known = cube_[i][j][k];
    if (known < 0)
      known = eight_cover(
          local(i - 1, j - 1, k - 1),
          {float(i) + phase_[0] - 0.5f, float(j) + phase_[1] - 0.5f, float(k) + phase_[2] - 0.5f});
    return known != 0;
  }

  // Whether eight neighbours in the lattice, of which `base` is the lowest, cover a cube of width 1: their mean
  // position divides the cube into eight boxes, and each particle must cover one.
  bool eight_cover(std::size_t base, const Float3& low) const {
    float square[8] = {};  // squared distance of the farthest corner of each box
    for (std::size_t d = 0; d < 3; ++d) {
      const float* x = lattice_[d] + base;
      const float y[8] = {x[0], x[1], x[10], x[11], x[100], x[101], x[110], x[111]};
      const float sum = ((y[0] + y[1]) + (y[2] + y[3])) + ((y[4] + y[5]) + (y[6] + y[7]));
      const float middle = std::min(std::max(sum / 8, low[d]), low[d] + 1);
      const float from[2] = {low[d], middle}, to[2] = {middle, low[d] + 1};
      for (int n = 0; n < 8; ++n) {
        const int side = n >> (2 - d) & 1;
        const float a = std::max(y[n] - from[side], to[side] - y[n]);
        square[n] += a * a;
      }
    }
    return *std::max_element(square, square + 8) <= covers;
  }

  // Fits a lattice of spacing 1 to the particles: the phase of the midpoints between neighbours comes from the mean
  // difference of positions from integers. Then assigns each particle to the cell around its lattice point.
  void find_lattice() {
    for (auto& x : lattice_) std::fill(x, x + 1000, far_away);
    std::fill(&cube_[0][0][0], &cube_[0][0][0] + 729, -1);
    if (size_ == 0) return;
    for (std::size_t d = 0; d < 3; ++d) {
      float sum = 0;
      int count = 0;
      const float origin = x_[size_ / 2][d];
      for (std::uint32_t n = 0; n < size_; n += 4, ++count) sum += from_whole(x_[n][d] - origin);
      phase_[d] = from_whole(origin + sum / float(count) + 0.5f);
    }
    for (std::uint32_t n = 0; n < size_; ++n) {
      std::size_t cell = 0;
      bool inside = true;
      for (std::size_t d = 0; d < 3; ++d) {
        const int i = int(x_[n][d] - phase_[d] + 2) - 1;
        inside = inside && i >= 0 && i < 10;
        cell = 10 * cell + std::size_t(i);
      }
      if (!inside) continue;
      for (std::size_t d = 0; d < 3; ++d) lattice_[d][cell] = x_[n][d];
    }
  }
  // the difference from the nearest integer, in about [-0.5, 0.5]
  static float from_whole(float x) { return x + 32 - float(int(x + 32.5f)); }

  // appends the cells [first, end) of a row of another brick; `cell` is the index of the next cell
  void load_row(const std::uint32_t* begin, int first, int end, const Float3& shift, std::size_t& cell) {
    const std::size_t needed = size_ + (begin[end] - begin[first]);
    if (x_.size() < needed) x_.resize(2 * needed);
    for (int k = first; k < end; ++k, ++cell) {
      begin_[cell] = size_;
      for (std::uint32_t n = begin[k]; n < begin[k + 1]; ++n) {
        const Float3 y = cells_.place(n);
        x_[size_++] = {y[0] + shift[0], y[1] + shift[1], y[2] + shift[2]};
      }
    }
  }

  const ParticleCells& cells_;
  std::array<std::uint32_t, 1001> begin_;
  std::uint32_t size_ = 0;
  std::vector<Float3> x_;
  Float3 phase_{};             // of the midpoints between neighbours, each in [-0.5, 0.5]
  float lattice_[3][1000];     // position of a particle in each lattice cell, far away if there is none
  signed char cube_[9][9][9];  // whether a cube is covered, -1 if not yet tested
};

// Cells are divided into 8 x 8 x 8 parts, those of level 3; along an axis a brick has fine_width of them.
inline constexpr int fine = 8;
inline constexpr int fine_width = fine * brick_width;

// Marks the parts of a brick that are covered by a single sphere, row by row along z. A part is covered if its farthest
// corner is in the sphere, for all positions of the particle within a sixteenth of a part along z. So a table gives the
// bits of a row from the squared radius minus the squared distances along x and y.
class PartCover {
 public:
  // x is relative to the brick [r], at most a cell outside it
  void mark(const Float3& x) {
    std::int32_t first[3];  // the part that the 16 bits and the squares begin with
    int square[2][span];
    float inside[3];
    for (int d = 0; d < 3; ++d) {
      const float y = x[std::size_t(d)] * fine;
      const std::int32_t low = std::int32_t(y + 2 * fine) - 2 * fine;  // rounded down
      first[d] = low - span / 2;
      inside[d] = y - float(low);
    }
    for (int d = 0; d < 2; ++d)
      for (int o = 0; o < span; ++o) square[d][o] = farthest(o - span / 2, inside[d]);
    const Table& table = the_table();
    const std::uint16_t* row_bits = table.bits[int(inside[2] * steps)] + table_zero;
    const int x_begin = std::max(0, -first[0]), x_end = std::min(span, fine_width - first[0]);
    const int y_begin = std::max(0, -first[1]), y_end = std::min(span, fine_width - first[1]);
    const int up = std::max(first[2], 0), down = std::max(-first[2], 0);
    if (up >= fine_width || down >= span) return;
    for (int i = x_begin; i < x_end; ++i) {
      const int left = radius_square - square[0][i];
      if (left < 0) continue;
      std::uint64_t* rows = rows_.data() + fine_width * (first[0] + i) + first[1];
      const int begin = std::max(y_begin, span / 2 - table.half_width[left]);
      const int end = std::min(y_end, span / 2 + table.half_width[left] + 1);
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
  static constexpr int span = 16;    // parts that a sphere may overlap along an axis
  static constexpr int steps = 16;   // positions told apart within a part
  static constexpr float scale = 4;  // squared distances are integers in units of 1 / scale
  static constexpr int radius_square = int(covers * fine * fine * scale);
  static constexpr int table_zero = int(scale * 9 * 9) + 1;  // the remainder may be negative by a square of y

  // squared distance of the farthest end of part o from a position within part 0, rounded up
  static int farthest(int o, float inside) {
    const float a = std::max(inside - float(o), float(o + 1) - inside);
    return int(a * a * scale) + 1;
  }
  struct Table {
    std::uint16_t bits[steps][table_zero + radius_square + 1] = {};
    int half_width[radius_square + 1];  // parts on each side within the square root of the remainder
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
  static const Table& the_table() {
    static const Table t;
    return t;
  }

  std::array<std::uint64_t, std::size_t(fine_width) * fine_width> rows_;
};

}  // namespace dollop
