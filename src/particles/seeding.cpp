#include "particles/seeding.h"

#include <dollop/scene.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/parallel.h"
#include "core/random.h"
#include "particles/seeding_bricks.h"
#include "particles/seeding_poisson.h"

namespace dollop {
namespace {

using Index3 = std::array<std::int64_t, 3>;
constexpr std::int64_t edge = 4;  // lattice points along the edge of a brick
constexpr std::size_t poisson_volume_boxes = 1 << 16;

// The lattice around a region: point i of axis d is at origin + spacing (first + i + 1/2), 0 <= i < count (SEED.1)
struct Lattice {
  Double3 origin;
  double spacing;
  Index3 first, count;

  double place(std::int64_t i, std::size_t d) const {
    return origin[d] + spacing * (double(first[d] + i) + 0.5);
  }
};

double expected_count(const SeedRegion& region, double spacing) {
  if (region.empty()) return 0;
  double cells = 1;  // of the bounding box; a double, since the product may overflow an integer
  for (std::size_t d = 0; d < 3; ++d)
    cells *= std::ceil((region.box().max[d] - region.box().min[d]) / spacing + 1);
  return std::min(cells, region.volume(0.5 * spacing) / (spacing * spacing * spacing));
}

// throws a SceneError if there would be too many particles, or some beyond the range of block coordinates
void check_limits(const SeedRegion& region, const BlockSpace& space, double spacing,
                  const std::string& where) {
  const double expected = expected_count(region, spacing);
  if (expected > max_seeds)
    throw SceneError(
        fmt::format("this shape would hold about {:.2g} particles, {:.3g} m apart; make cell_size larger, "
                    "particles_per_cell smaller or the shape smaller",
                    expected, spacing),
        where);
  for (std::size_t d = 0; d < 3; ++d)
    for (const double x : {region.box().min[d], region.box().max[d]})
      // below 2^31 spacings integers do not overflow and positions keep their digits; the outermost blocks stay empty,
      // on periodic axes too
      if (std::fabs(x) >= 0x1p31 * spacing || std::fabs(space.to_cells(x, d)) >= 4.0 * (block_limit - 2))
        throw SceneError(
            "this shape lies too far away for the cell size; move it nearer or make cell_size larger", where);
}

Lattice lattice_about(const SeedRegion& region, const BlockSpace& space, double spacing) {
  Lattice lattice{space.origin, spacing, {}, {}};
  const Bounds& box = region.box();
  for (std::size_t d = 0; d < 3; ++d) {
    const double low = (box.min[d] - space.origin[d]) / spacing,
                 high = (box.max[d] - space.origin[d]) / spacing;
    lattice.first[d] = std::int64_t(std::floor(low));
    lattice.count[d] = std::int64_t(std::ceil(high)) - lattice.first[d];
    // a folded axis has the points of one period only; 1e-6 absorbs rounding of a period of whole spacings
    if (region.folded(d)) lattice.count[d] = std::int64_t(std::ceil(high - 0.5 - 1e-6)) - lattice.first[d];
  }
  return lattice;
}

// moves a lattice point at random within its cube; `inside`: the cube is known to be inside the region
class Jitter {
 public:
  Jitter(const SeedRegion& region, const Lattice& lattice, std::uint64_t seed, std::uint64_t stream)
      : region_(region), lattice_(lattice), seed_(seed), stream_(stream) {}

  Double3 operator()(const Index3& i, const Double3& x, bool inside) const {
    std::uint64_t point = 0;  // counter of the random numbers: from the position in space, whatever the shape
    for (std::size_t d = 0; d < 3; ++d) point = combine(point, std::uint64_t(lattice_.first[d] + i[d]));
    Double3 moved;
    for (std::size_t d = 0; d < 3; ++d)
      moved[d] = x[d] + lattice_.spacing * (random_uniform(seed_, stream_, point + d) - 0.5);  // (SEED.3)
    return inside || region_.distance(moved) < 0 ? moved : x;
  }

 private:
  const SeedRegion& region_;
  const Lattice& lattice_;
  std::uint64_t seed_, stream_;
};

// appends the points of a slab of bricks, x slowest
template <class Move>
void fill_slab(const SeedRegion& region, const Lattice& lattice, const Brick* begin, const Brick* end,
               const Move& move, std::vector<Double3>& places) {
  const auto last = [&](std::int64_t brick, std::size_t d) {
    return std::min((brick + 1) * edge, lattice.count[d]);
  };
  for (std::int64_t i = begin->at[0] * edge; i < last(begin->at[0], 0); ++i)
    for (const Brick* row = begin; row != end;) {
      const Brick* row_end = std::find_if(row, end, [&](const Brick& b) { return b.at[1] != row->at[1]; });
      for (std::int64_t j = row->at[1] * edge; j < last(row->at[1], 1); ++j)
        for (const Brick* brick = row; brick != row_end; ++brick)
          for (std::int64_t k = brick->at[2] * edge; k < last(brick->at[2], 2); ++k) {
            const Double3 x{lattice.place(i, 0), lattice.place(j, 1), lattice.place(k, 2)};
            if (brick->inside || region.distance(x) < 0)
              places.push_back(move(Index3{i, j, k}, x, brick->inside));
          }
      row = row_end;
    }
}

template <class Move>
std::vector<Double3> fill(const SeedRegion& region, const Lattice& lattice, const Move& move) {
  BrickLattice grid{{}, {}, {0, 0, 0}, {}};
  for (std::size_t d = 0; d < 3; ++d) {
    grid.origin[d] = lattice.origin[d] + lattice.spacing * double(lattice.first[d]);
    grid.width[d] = lattice.spacing * double(edge);
    grid.end[d] = (lattice.count[d] + edge - 1) / edge;
  }
  const std::vector<Brick> bricks = find_bricks(region, grid);
  const std::vector<BrickSlab> slabs = slabs_of(bricks);
  std::vector<std::vector<Double3>> parts(slabs.size());
  parallel_for(slabs.size(), 1, [&](std::size_t s) {
    fill_slab(region, lattice, bricks.data() + slabs[s].begin, bricks.data() + slabs[s].end, move, parts[s]);
  });
  return joined(parts);
}

}  // namespace

double seed_spacing(const BlockSpace& space, double per_cell) {
  return space.cell_size / std::cbrt(per_cell);
}

double estimate_count(const Shape& shape, const BlockSpace& space, double per_cell) {
  const SeedRegion region(shape, space);
  if (region.unbounded()) return region.empty() ? 0 : std::numeric_limits<double>::infinity();
  return expected_count(region, seed_spacing(space, per_cell));
}

Seeds seed(const Shape& shape, const BlockSpace& space, double per_cell, Seeding kind, std::uint64_t seed,
           std::uint64_t stream) {
  const double spacing = seed_spacing(space, per_cell);
  const SeedRegion region(shape, space);
  Seeds seeds{{}, spacing * spacing * spacing};
  if (region.empty()) return seeds;
  const std::string where = fmt::format("bodies[{}].shape", stream);
  if (region.unbounded())
    throw SceneError("a body needs a bounded shape; this one reaches to infinity", where);
  check_limits(region, space, spacing, where);
  if (kind == Seeding::poisson) {
    seeds.places = fill_poisson(region, space, spacing, seed, stream);
    // volumes that add up to that of the shape (SEED.5)
    if (!seeds.places.empty())
      seeds.volume = region.volume(0, poisson_volume_boxes) / double(seeds.places.size());
    return seeds;
  }
  const Lattice lattice = lattice_about(region, space, spacing);
  if (kind == Seeding::jittered)
    seeds.places = fill(region, lattice, Jitter(region, lattice, seed, stream));
  else
    seeds.places = fill(region, lattice, [](const Index3&, const Double3& x, bool) { return x; });
  return seeds;
}

}  // namespace dollop
