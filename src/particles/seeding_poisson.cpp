#include "particles/seeding_poisson.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "core/random.h"
#include "particles/seeding.h"

namespace dollop {
namespace {

using Cell = std::array<std::int32_t, 3>;

constexpr int finest = 9;  // halvings of a cell: half its diagonal is then poisson_gap times the distance
constexpr std::int64_t tile_bricks = 4;  // bricks along the edge of a tile

// Dart throwing with subdivision: throws darts at cells that have room, then halves the cells and discards those that
// have none (SEED.4). A cell of the grid is so small that it holds one point at most. The grid has a margin with the
// periodic images of the points, so that neighbours are at fixed offsets in memory.
class TileMaker {
 public:
  TileMaker(const Double3& size, double distance, std::uint64_t seed, std::uint64_t stream)
      : tile_{size, {}}, distance2_(distance * distance), seed_(seed), stream_(stream) {
    for (std::size_t d = 0; d < 3; ++d) {
      cells_[d] = std::int32_t(std::max(1.0, std::ceil(size[d] * std::sqrt(3.0) / distance)));
      width_[d] = size[d] / cells_[d];
      margin_[d] = std::int32_t(std::ceil(distance / width_[d]));
    }
    owner_.assign(index_of({cells_[0] + margin_[0], 0, 0}), -1);
    find_neighbours();
  }

  PoissonTile make() {
    std::vector<Cell> open;  // parts of cells that may have room, 2^depth to the edge of a cell
    for (std::int32_t i = 0; i < cells_[0]; ++i)
      for (std::int32_t j = 0; j < cells_[1]; ++j)
        for (std::int32_t k = 0; k < cells_[2]; ++k) open.push_back({i, j, k});
    for (int depth = 0; !open.empty(); ++depth) {
      throw_at(open, depth);
      if (depth == finest) {
        for (const Cell& part : open) try_place(part, depth, {0.5, 0.5, 0.5});
        break;
      }
      open = halved(open, depth);
    }
    return std::move(tile_);
  }

 private:
  // offsets of all cells that may hold a point closer than the distance, the nearest first
  void find_neighbours() {
    struct Neighbour {
      double gap2;
      std::ptrdiff_t offset;
    };
    std::vector<Neighbour> all;
    const auto here = std::ptrdiff_t(index_of({0, 0, 0}));
    for (std::int32_t i = -margin_[0]; i <= margin_[0]; ++i)
      for (std::int32_t j = -margin_[1]; j <= margin_[1]; ++j)
        for (std::int32_t k = -margin_[2]; k <= margin_[2]; ++k) {
          double gap2 = 0;
          for (const auto& [n, width] :
               {std::pair{i, width_[0]}, std::pair{j, width_[1]}, std::pair{k, width_[2]}})
            gap2 += square(width * std::max(0, std::abs(n) - 1));
          if (gap2 < distance2_) all.push_back({gap2, std::ptrdiff_t(index_of({i, j, k})) - here});
        }
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.gap2 < b.gap2; });
    for (const Neighbour& n : all) neighbours_.push_back(n.offset);
  }

  // as many darts as there are parts, each at a random point of a random part
  void throw_at(const std::vector<Cell>& open, int depth) {
    for (std::size_t n = 0; n < open.size(); ++n) {
      const auto part = std::size_t(random() * double(open.size()));
      const Double3 at{random(), random(), random()};
      try_place(open[part], depth, at);
    }
  }

  double random() { return random_uniform(seed_, stream_, drawn_++); }

  void try_place(const Cell& part, int depth, const Double3& at) {
    const Cell cell{part[0] >> depth, part[1] >> depth, part[2] >> depth};
    if (owner_[index_of(cell)] >= 0) return;
    Double3 x;
    for (std::size_t d = 0; d < 3; ++d) {
      x[d] = width_[d] * std::ldexp(double(part[d]) + at[d], -depth);
      if (x[d] >= tile_.size[d]) x[d] = std::nextafter(tile_.size[d], 0.0);  // rounded up to the end
    }
    const bool denied = any_near(cell, [&](const Double3& y) {
      return square(x[0] - y[0]) + square(x[1] - y[1]) + square(x[2] - y[2]) < distance2_;
    });
    if (!denied) add(cell, x);
  }

  // the point, and its images in the margin
  void add(const Cell& cell, const Double3& x) {
    tile_.points.push_back(x);
    const auto first = [&](std::size_t d) {
      return cell[d] - (cell[d] + margin_[d]) / cells_[d] * cells_[d];
    };
    for (std::int32_t i = first(0); i < cells_[0] + margin_[0]; i += cells_[0])
      for (std::int32_t j = first(1); j < cells_[1] + margin_[1]; j += cells_[1])
        for (std::int32_t k = first(2); k < cells_[2] + margin_[2]; k += cells_[2]) {
          owner_[index_of({i, j, k})] = std::int32_t(images_.size());
          images_.push_back({x[0] + (i - cell[0]) * width_[0], x[1] + (j - cell[1]) * width_[1],
                             x[2] + (k - cell[2]) * width_[2]});
        }
  }

  // those of the eight children of each part that are not covered by the sphere of a single point
  std::vector<Cell> halved(const std::vector<Cell>& open, int depth) const {
    std::vector<Cell> parts;
    for (const Cell& part : open) {
      const Cell cell{part[0] >> depth, part[1] >> depth, part[2] >> depth};
      if (owner_[index_of(cell)] >= 0) continue;
      for (int corner = 0; corner < 8; ++corner) {
        const Cell child{2 * part[0] + (corner >> 2), 2 * part[1] + (corner >> 1 & 1),
                         2 * part[2] + (corner & 1)};
        if (!is_covered(cell, child, depth + 1)) parts.push_back(child);
      }
    }
    return parts;
  }

  // whether all of a part is closer than the distance to one of the points near it
  bool is_covered(const Cell& cell, const Cell& part, int depth) const {
    Double3 center, half;
    for (std::size_t d = 0; d < 3; ++d) {
      half[d] = std::ldexp(0.5 * width_[d], -depth);
      center[d] = half[d] * (2.0 * part[d] + 1);
    }
    return any_near(cell, [&](const Double3& y) {
      return square(std::fabs(center[0] - y[0]) + half[0]) + square(std::fabs(center[1] - y[1]) + half[1]) +
                 square(std::fabs(center[2] - y[2]) + half[2]) <
             distance2_;
    });
  }

  template <class Condition>
  bool any_near(const Cell& cell, const Condition& condition) const {
    const std::int32_t* here = owner_.data() + index_of(cell);
    return std::any_of(neighbours_.begin(), neighbours_.end(), [&](std::ptrdiff_t offset) {
      return here[offset] >= 0 && condition(images_[std::size_t(here[offset])]);
    });
  }

  // in the grid with its margin
  std::size_t index_of(const Cell& c) const {
    const auto along = [&](std::size_t d) { return std::size_t(c[d] + margin_[d]); };
    const auto length = [&](std::size_t d) { return std::size_t(cells_[d] + 2 * margin_[d]); };
    return (along(0) * length(1) + along(1)) * length(2) + along(2);
  }
  static double square(double a) { return a * a; }

  PoissonTile tile_;
  double distance2_;
  std::uint64_t seed_, stream_, drawn_ = 0;
  Cell cells_, margin_;
  Double3 width_;
  std::vector<std::int32_t> owner_;  // the number in images_ of the point in each cell, or -1
  std::vector<Double3> images_;      // the points with their images
  std::vector<std::ptrdiff_t> neighbours_;
};

// the points of a tile, brick by brick
std::vector<std::vector<Double3>> in_bricks(const PoissonTile& tile) {
  std::vector<std::vector<Double3>> bricks(std::size_t(tile_bricks * tile_bricks * tile_bricks));
  for (const Double3& x : tile.points) {
    std::int64_t brick = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      const auto b = std::int64_t(x[d] / tile.size[d] * double(tile_bricks));
      brick = brick * tile_bricks + std::min(b, tile_bricks - 1);
    }
    bricks[std::size_t(brick)].push_back(x);
  }
  return bricks;
}

std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }

}  // namespace

PoissonTile make_poisson_tile(const Double3& size, double distance, std::uint64_t seed,
                              std::uint64_t stream) {
  return TileMaker(size, distance, seed, stream).make();
}

std::vector<Double3> joined(const std::vector<std::vector<Double3>>& parts) {
  std::size_t count = 0;
  for (const auto& part : parts) count += part.size();
  std::vector<Double3> all;
  all.reserve(count);
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

std::vector<Double3> fill_poisson(const SeedRegion& region, const BlockSpace& space, double spacing,
                                  std::uint64_t seed, std::uint64_t stream) {
  Double3 size;
  BrickLattice grid{space.origin, {}, {}, {}};
  for (std::size_t d = 0; d < 3; ++d) {
    const double period = 4.0 * space.period[d] * space.cell_size;
    size[d] = poisson_tile_edge * spacing;
    if (period > 0)
      size[d] = period / std::max(1.0, std::round(period / size[d]));  // whole tiles: no seam at the ends
    grid.width[d] = size[d] / double(tile_bricks);
    grid.first[d] = std::int64_t(std::floor((region.box().min[d] - space.origin[d]) / grid.width[d]));
    grid.end[d] = std::int64_t(std::ceil((region.box().max[d] - space.origin[d]) / grid.width[d]));
    if (region.folded(d)) grid.end[d] = std::llround(period / grid.width[d]), grid.first[d] = 0;
  }
  const auto tile = in_bricks(make_poisson_tile(size, poisson_distance * spacing, seed, stream));
  const std::vector<Brick> bricks = find_bricks(region, grid);
  const std::vector<BrickSlab> slabs = slabs_of(bricks);
  std::vector<std::vector<Double3>> parts(slabs.size());
  parallel_for(slabs.size(), 1, [&](std::size_t s) {
    for (std::size_t b = slabs[s].begin; b < slabs[s].end; ++b) {
      std::int64_t index = 0;
      Double3 corner;
      for (std::size_t d = 0; d < 3; ++d) {
        const std::int64_t copy = floor_divide(bricks[b].at[d], tile_bricks);
        index = index * tile_bricks + bricks[b].at[d] - copy * tile_bricks;
        corner[d] = space.origin[d] + size[d] * double(copy);
      }
      for (const Double3& p : tile[std::size_t(index)]) {
        const Double3 x{corner[0] + p[0], corner[1] + p[1], corner[2] + p[2]};
        if (bricks[b].inside || region.distance(x) < 0) parts[s].push_back(x);
      }
    }
  });
  return joined(parts);
}

}  // namespace dollop
