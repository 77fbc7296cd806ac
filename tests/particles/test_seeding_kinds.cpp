// Jittered and Poisson-disk seeding, and shapes on periodic axes.
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "boundary/shape_distance.h"
#include "core/random.h"
#include "particles/lattice_seeds.h"
#include "particles/seeding.h"
#include "particles/seeding_poisson.h"

namespace dollop {
namespace {

BlockSpace make_space(double cell_size, BlockCoord period = {0, 0, 0}) {
  BlockSpace space;
  space.cell_size = cell_size;
  space.origin = {0.1, -0.2, 0.3};
  space.period = period;
  return space;
}

// The distance of each point to the nearest other, images on periodic axes included (a period of 0 has none). Looks
// no farther than `reach`.
class Neighbourhood {
 public:
  Neighbourhood(const std::vector<Double3>& points, const Double3& period, double reach)
      : points_(points), period_(period), reach_(reach) {
    for (std::size_t n = 0; n < points.size(); ++n) cells_[cell_of(wrapped(points[n]))].push_back(n);
  }

  double nearest(const Double3& x, std::size_t but) const {
    double least = reach_;
    Double3 image;
    for (int a = -1; a <= 1; ++a)
      for (int b = -1; b <= 1; ++b)
        for (int c = -1; c <= 1; ++c) {
          image = wrapped(x);
          const int turn[3] = {a, b, c};
          bool skip = false;
          for (std::size_t d = 0; d < 3; ++d) {
            skip = skip || (turn[d] != 0 && period_[d] == 0);
            image[d] += turn[d] * period_[d];
          }
          if (!skip) least = std::min(least, nearest_here(image, but));
        }
    return least;
  }

 private:
  using Cell = std::array<long, 3>;
  Double3 wrapped(Double3 x) const {
    for (std::size_t d = 0; d < 3; ++d)
      if (period_[d] > 0) x[d] -= period_[d] * std::floor(x[d] / period_[d]);
    return x;
  }
  Cell cell_of(const Double3& x) const {
    return {long(std::floor(x[0] / reach_)), long(std::floor(x[1] / reach_)),
            long(std::floor(x[2] / reach_))};
  }
  double nearest_here(const Double3& x, std::size_t but) const {
    double least = reach_;
    const Cell c = cell_of(x);
    for (int n = 0; n < 27; ++n) {
      const auto found = cells_.find({c[0] + n / 9 - 1, c[1] + n / 3 % 3 - 1, c[2] + n % 3 - 1});
      if (found == cells_.end()) continue;
      for (const std::size_t other : found->second) {
        const Double3 y = wrapped(points_[other]);
        if (other != but) least = std::min(least, std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]));
      }
    }
    return least;
  }

  const std::vector<Double3>& points_;
  Double3 period_;
  double reach_;
  std::map<Cell, std::vector<std::size_t>> cells_;
};

double smallest_distance(const std::vector<Double3>& points, const Double3& period, double reach) {
  const Neighbourhood all(points, period, reach);
  double least = reach;
  for (std::size_t n = 0; n < points.size(); ++n) least = std::min(least, all.nearest(points[n], n));
  return least;
}

TEST(seeding_jittered, points_stay_in_their_parts_and_in_the_shape) {
  const BlockSpace space = make_space(0.1);
  const Shape ball = Sphere{{0.3, 0.1, 0.2}, 0.52};
  const Seeds lattice = seed(ball, space, 8, Seeding::lattice, 7, 3);
  const Seeds jittered = seed(ball, space, 8, Seeding::jittered, 7, 3);
  ASSERT_EQ(jittered.places.size(), lattice.places.size());
  EXPECT_EQ(jittered.volume, lattice.volume);
  std::size_t stayed = 0;
  Double3 mean{}, square{};
  for (std::size_t n = 0; n < lattice.places.size(); ++n) {
    EXPECT_LT(signed_distance(ball, jittered.places[n]), 0);
    stayed += jittered.places[n] == lattice.places[n];
    for (std::size_t d = 0; d < 3; ++d) {
      const double moved = (jittered.places[n][d] - lattice.places[n][d]) / 0.05;
      EXPECT_LE(std::fabs(moved), 0.5 + 1e-12);
      mean[d] += moved / double(lattice.places.size());
      square[d] += moved * moved / double(lattice.places.size());
    }
  }
  // only points next to the surface may stay: it cuts at most 4 pi r^2 sqrt(3) / s^2 of the cubes, half of these
  // lose their throw at most
  EXPECT_GT(stayed, 0u);
  EXPECT_LT(double(stayed), 0.5 * 12.57 * 0.52 * 0.52 * 1.74 / 0.0025);
  for (std::size_t d = 0; d < 3; ++d) {
    EXPECT_NEAR(mean[d], 0, 0.02);
    EXPECT_NEAR(square[d], 1.0 / 12, 0.012);  // uniform, but for those that stayed
  }
}

TEST(seeding_jittered, depends_on_seed_and_stream_but_not_on_other_parts_of_the_shape) {
  const BlockSpace space = make_space(0.1);
  const Shape small = Box{{0.3, 0.1, 0.2}, {0.4, 0.4, 0.4}}, large = Box{{0.3, 0.1, 0.2}, {0.8, 0.8, 0.8}};
  const auto places = [&](const Shape& shape, std::uint64_t s, std::uint64_t stream) {
    return seed(shape, space, 8, Seeding::jittered, s, stream).places;
  };
  EXPECT_EQ(places(small, 1, 1), places(small, 1, 1));
  EXPECT_NE(places(small, 1, 1), places(small, 2, 1));
  EXPECT_NE(places(small, 1, 1), places(small, 1, 2));
  const auto all = places(large, 1, 1);
  const std::set<Double3> wide(all.begin(), all.end());
  for (const Double3& x : places(small, 1, 1)) EXPECT_TRUE(wide.count(x));
}

TEST(seeding_poisson_tile, points_keep_their_distance_and_leave_no_gap) {
  for (const Double3& size : {Double3{10, 10, 10}, Double3{4.2, 13, 7.7}}) {
    const double distance = 0.9;
    const PoissonTile tile = make_poisson_tile(size, distance, 5, 6);
    for (const Double3& x : tile.points)
      for (std::size_t d = 0; d < 3; ++d) {
        EXPECT_GE(x[d], 0);
        EXPECT_LT(x[d], size[d]);
      }
    EXPECT_GE(smallest_distance(tile.points, size, 1), distance);
    const Neighbourhood all(tile.points, size, 1);
    for (std::uint64_t n = 0; n < 20000; ++n) {
      Double3 x;
      for (std::uint64_t d = 0; d < 3; ++d) x[d] = size[d] * random_uniform(8, n, d);
      EXPECT_LE(all.nearest(x, tile.points.size()), distance * (1 + poisson_gap));
    }
  }
}

// the share of space that spheres of this diameter fill when no more fits, thrown at random: 0.3841
TEST(seeding_poisson_tile, density_is_that_of_random_sequential_packing) {
  double count = 0;
  for (std::uint64_t s = 0; s < 8; ++s)
    count += double(make_poisson_tile({12, 12, 12}, 1, 1, s).points.size());
  EXPECT_NEAR(count / 8 / 1728 * 3.14159265358979 / 6, 0.3841, 0.002);
}

TEST(seeding_poisson_tile, periods_shorter_than_the_distance_end) {
  const PoissonTile tile = make_poisson_tile({0.3, 5, 0.05}, 1, 1, 1);
  EXPECT_GE(tile.points.size(), 1u);
  EXPECT_LE(tile.points.size(), 5u);
}

TEST(seeding_poisson, fills_a_shape_at_the_right_density) {
  const BlockSpace space = make_space(0.1);
  const Shape ball = Sphere{{0.3, 0.1, 0.2}, 1};
  const Seeds seeds = seed(ball, space, 8, Seeding::poisson, 7, 3);
  const double exact = *volume(ball), spacing = 0.05;
  EXPECT_NEAR(double(seeds.places.size()), exact / std::pow(spacing, 3), 0.01 * exact / std::pow(spacing, 3));
  EXPECT_NEAR(seeds.volume * double(seeds.places.size()), exact, 1e-12 * exact);
  EXPECT_GE(smallest_distance(seeds.places, {0, 0, 0}, spacing), poisson_distance * spacing * (1 - 1e-12));
  for (const Double3& x : seeds.places) EXPECT_LT(signed_distance(ball, x), 0);
  // no gap, seams of tiles included, where no point outside could have filled it
  const double reach = poisson_distance * spacing * (1 + poisson_gap);
  const Neighbourhood all(seeds.places, {0, 0, 0}, spacing);
  for (std::uint64_t n = 0; n < 20000; ++n) {
    Double3 x;
    for (std::uint64_t d = 0; d < 3; ++d) x[d] = 2 * random_uniform(8, n, d) - 0.9;
    if (signed_distance(ball, x) >= -reach) continue;
    EXPECT_LE(all.nearest(x, seeds.places.size()), reach * (1 + 1e-12));
  }
}

TEST(seeding_poisson, bricks_inside_and_cut_are_taken_whole) {
  const BlockSpace space = make_space(0.1);
  const Shape whole = Box{{0, 0, 0}, {3, 3, 3}}, part = Cylinder{{0, 0.1, 0}, {1, 2, 3}, 0.4, 1.3};
  std::vector<Double3> expected;
  for (const Double3& x : seed(whole, space, 8, Seeding::poisson, 7, 3).places)
    if (signed_distance(part, x) < 0) expected.push_back(x);
  auto found = seed(part, space, 8, Seeding::poisson, 7, 3).places;
  std::sort(expected.begin(), expected.end());
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, expected);
}

TEST(seeding_poisson, depends_on_seed_and_stream_and_not_on_threads) {
  const BlockSpace space = make_space(0.1);
  const Shape ball = Sphere{{0.3, 0.1, 0.2}, 0.5};
  const auto places = [&](Seeding kind, std::uint64_t s, std::uint64_t stream) {
    return seed(ball, space, 8, kind, s, stream).places;
  };
  for (const Seeding kind : {Seeding::jittered, Seeding::poisson}) {
    const auto many = places(kind, 1, 1);
    const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
    EXPECT_EQ(places(kind, 1, 1), many);
    EXPECT_NE(places(kind, 2, 1), many);
    EXPECT_NE(places(kind, 1, 2), many);
  }
}

// --- periodic axes ----------------------------------------------------------------------------------------

// 8 x 12 cells in x and z
const BlockCoord period{2, 0, 3};

TEST(seeding_periodic, a_body_longer_than_the_period_fills_it_once) {
  const BlockSpace space = make_space(0.1, period);
  const Shape bar = Box{{0.25, 0.1, 0.37}, {7, 0.4, 2.9}};  // periods 0.8 and 1.2
  for (const Seeding kind : {Seeding::lattice, Seeding::jittered}) {
    const Seeds seeds = seed(bar, space, 8, kind, 1, 1);
    EXPECT_EQ(seeds.places.size(), 16u * 8 * 24);
    EXPECT_NEAR(seeds.volume * double(seeds.places.size()), 0.8 * 0.4 * 1.2, 1e-12);
    for (const Double3& x : seeds.places) {
      EXPECT_GE(x[0], 0.1 - 1e-12);
      EXPECT_LT(x[0], 0.9 + 1e-12);
      EXPECT_GE(x[2], 0.3 - 1e-12);
      EXPECT_LT(x[2], 1.5 + 1e-12);
    }
  }
  EXPECT_NEAR(estimate_count(bar, space, 8), 16 * 8 * 24, 0.35 * 16 * 8 * 24);  // no more than a row too many
  const Seeds poisson = seed(bar, space, 8, Seeding::poisson, 1, 1);
  EXPECT_NEAR(poisson.volume * double(poisson.places.size()), 0.8 * 0.4 * 1.2, 1e-3);
  EXPECT_NEAR(double(poisson.places.size()), 16 * 8 * 24, 0.05 * 16 * 8 * 24);
  EXPECT_GE(smallest_distance(poisson.places, {0.8, 0, 1.2}, 0.05), poisson_distance * 0.05 * (1 - 1e-9));
}

TEST(seeding_periodic, a_body_across_the_seam_is_whole) {
  const Shape ball = Sphere{{0.1, 0.1, 0.3}, 0.35};  // about the corner of the period
  const Seeds open = seed_lattice(ball, make_space(0.1), 8),
              wrapped = seed_lattice(ball, make_space(0.1, period), 8);
  EXPECT_EQ(open.places, wrapped.places);
}

TEST(seeding_periodic, poisson_has_no_seam_when_the_period_is_full) {
  const BlockSpace space = make_space(0.1, period);
  const Shape full = Box{{0.5, 0, 0.9}, {0.8, 1, 1.2}};
  const Seeds seeds = seed(full, space, 8, Seeding::poisson, 1, 1);
  EXPECT_GE(smallest_distance(seeds.places, {0.8, 0, 1.2}, 0.05), poisson_distance * 0.05 * (1 - 1e-9));
  EXPECT_NEAR(seeds.volume * double(seeds.places.size()), 0.96, 1e-12);
}

// a ring bent round the period meets itself: the overlap counts once
TEST(seeding_periodic, overlaps_of_images_count_once) {
  const BlockSpace space = make_space(0.1, {2, 0, 0});
  const Shape ball = Sphere{{0.5, 0, 0.5}, 0.5};  // wider than the period of 0.8
  std::set<std::array<long, 3>> images;
  const Seeds once = seed_lattice(ball, space, 8), open = seed_lattice(ball, make_space(0.1), 8);
  for (const Double3& x : open.places) {
    const long i = std::lround((x[0] - 0.1) / 0.05 - 0.5);
    images.insert({(i % 16 + 16) % 16, std::lround(x[1] / 0.05 - 0.5), std::lround(x[2] / 0.05 - 0.5)});
  }
  EXPECT_LT(images.size(), open.places.size());
  EXPECT_EQ(once.places.size(), images.size());
}

}  // namespace
}  // namespace dollop
