#include "particles/dart_throwing.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "lattices.h"

namespace dollop {
namespace {

using lattices::isochoric;
using lattices::r;

template <class S>
std::size_t gain(const std::vector<Double3>& places, int depth = 3) {
  return lattices::darts(lattices::store_of<S>(places), {7, 0, depth}).size();
}

TEST(DartThrowing, an_undisturbed_lattice_gains_nothing) {
  for (const double shift : {0.0, 0.13, 0.5, 0.77})
    for (const int depth : {3, 4}) {
      const lattices::Deformation how{{1, 0, 0, 0, 1, 0, 0, 0, 1}, {shift, 2 * shift, 0.1 * shift}};
      EXPECT_EQ(gain<float>(lattices::cube(18, how), depth), 0u);
      EXPECT_EQ(gain<double>(lattices::cube(18, how), depth), 0u);
    }
}

TEST(DartThrowing, small_strains_and_shear_open_no_hole) {
  const std::pair<const char*, lattices::Deformation> cases[] = {
      {"stretch by 1.03", lattices::stretch(1.03)},
      {"isochoric stretch by 1.15", isochoric(1.15)},
      {"isochoric stretch by 1.15, shifted", isochoric(1.15, {0.4, 0.1, 0.8})},
      {"shear of 0.3", lattices::shear(0.3)},
      {"shear of 1", lattices::shear(1)}};
  for (const auto& [name, how] : cases) {
    EXPECT_EQ(gain<float>(lattices::cube(18, how)), 0u) << name;
    EXPECT_EQ(gain<double>(lattices::cube(18, how)), 0u) << name;
  }
}

// calls until the holes are filled, as they follow each other in a run
template <class S>
void expect_filled(const Double3& shift) {
  std::vector<Double3> places = lattices::cube(18, isochoric(1.5, shift));
  const auto start = lattices::store_of<S>(places);
  const ParticleCells start_cells(start);
  const SphereDistance phi(start_cells, DistanceUse::everything);
  std::vector<std::size_t> counts;
  for (std::uint64_t call = 0; call < 3; ++call) {
    const auto fresh = lattices::darts(lattices::store_of<S>(places), {7, call, 3});
    for (std::size_t n = 0; n < fresh.size(); ++n) {  // all keep their distance
      const std::vector<Double3> others(fresh.begin(), fresh.begin() + std::ptrdiff_t(n));
      ASSERT_GE(std::min(lattices::nearest(fresh[n], places), lattices::nearest(fresh[n], others)),
                dart_distance * r);
      ASSERT_LT(phi.sample(fresh[n]), -fill_depth + (call > 0 ? 0.5 : 0));
    }
    counts.push_back(fresh.size());
    places.insert(places.end(), fresh.begin(), fresh.end());
  }
  EXPECT_GE(counts[0], 1100u);
  EXPECT_LE(counts[0], 1250u);
  EXPECT_LT(counts[1], counts[0] / 10);
  EXPECT_LT(counts[2], counts[0] / 10);
  int inside = 0, open = 0;
  for (std::size_t n = 0; n < 100000; ++n) {
    const Double3 x{27 * r * (random_uniform(3, 0, n) - 0.5), 15 * r * (random_uniform(3, 1, n) - 0.5),
                    15 * r * (random_uniform(3, 2, n) - 0.5)};
    if (phi.sample(x) >= -2.3) continue;
    ++inside;
    if (lattices::nearest(x, places) > dart_distance * r) {
      ++open;
      EXPECT_LT(lattices::nearest(x, places), 0.91 * r);
    }
  }
  EXPECT_GT(inside, 20000);
  EXPECT_LT(open, 1e-4 * inside);
}
TEST(DartThrowing, fills_a_stretched_lattice) { expect_filled<double>({0, 0, 0}); }
TEST(DartThrowing, fills_a_stretched_lattice_in_float) { expect_filled<float>({0.31, 0.62, 0.18}); }

TEST(DartThrowing, a_finer_search_finds_more) {
  const auto places = lattices::cube(18, isochoric(1.3, {0.3, 0.1, 0.2}));
  const std::size_t coarse = gain<float>(places, 2), usual = gain<float>(places, 3),
                    finest = gain<float>(places, 4);
  EXPECT_NEAR(double(coarse), 22, 20);
  EXPECT_NEAR(double(usual), 139, 50);
  EXPECT_NEAR(double(finest), 781, 200);
}

bool is_deep(const SphereDistance& phi, int i, int j, int k) {
  bool deep = false;
  for (int n = 0; n < 8; ++n)
    deep = deep || phi.value({i + (n & 1), j + (n >> 1 & 1), k + (n >> 2)}) < -fill_depth;
  return deep;
}

// The rule without pruning: every trial of every cell against everything, colour by colour.
std::vector<Double3> plain_darts(const std::vector<Double3>& places, const SphereDistance& phi, int low,
                                 int high, const DartOptions& options) {
  std::vector<Double3> all = places, fresh;
  const double away = dart_distance * r * (1 + 5e-6);
  for (int colour = 0; colour < 8; ++colour)
    for (int i = low; i < high; ++i)
      for (int j = low; j < high; ++j)
        for (int k = low; k < high; ++k) {
          if ((i & 1) + 2 * (j & 1) + 4 * (k & 1) != colour || !is_deep(phi, i, j, k)) continue;
          std::uint64_t stream = options.call;
          for (const int c : {i, j, k}) stream = combine(stream, std::uint64_t(std::int64_t(c)));
          std::uint64_t trial = 0;
          for (int level = 0; level <= options.depth; ++level)
            for (int x = 0; x < 1 << level; ++x)
              for (int y = 0; y < 1 << level; ++y)
                for (int z = 0; z < 1 << level; ++z) {
                  const std::uint64_t bits = random_bits(options.seed, stream, trial++);
                  const double width = 1.0 / (1 << level), u = double(bits & 0x1fffff) * 0x1p-21,
                               v = double(bits >> 21 & 0x1fffff) * 0x1p-21,
                               w = double(bits >> 42 & 0x1fffff) * 0x1p-21;
                  const Double3 p{r * (i + (x + u) * width), r * (j + (y + v) * width),
                                  r * (k + (z + w) * width)};
                  if (phi.sample(p) >= -fill_depth || lattices::nearest(p, all) < away) continue;
                  all.push_back(p);
                  fresh.push_back(p);
                }
        }
  return fresh;
}

// large holes, and holes that are hardly larger than they may be
TEST(DartThrowing, pruning_changes_nothing) {
  for (const auto& [strain, depth] : {std::pair{1.5, 2}, std::pair{1.25, 4}}) {
    const auto places = lattices::cube(10, isochoric(strain, {0.2, 0.6, 0.9}));
    const auto store = lattices::store_of<float>(places);
    const ParticleCells cells(store);
    const SphereDistance phi(cells, DistanceUse::everything);
    const DartOptions options{5, 3, depth};
    auto plain = plain_darts(places, phi, -9, 9, options), pruned = lattices::darts(store, options);
    ASSERT_EQ(pruned.size(), plain.size());
    ASSERT_GT(plain.size(), 10u);
    std::sort(plain.begin(), plain.end());
    std::sort(pruned.begin(), pruned.end());
    for (std::size_t n = 0; n < plain.size(); ++n)
      for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(pruned[n][d], plain[n][d], 1e-5 * r);
  }
}

TEST(DartThrowing, does_not_depend_on_threads_or_the_order_of_memory) {
  const auto places = lattices::cube(16, isochoric(1.45, {0.2, 0.6, 0.9}));
  auto store = lattices::store_of<double>(places);
  const DartOptions options{1, 2, 3};
  std::vector<std::vector<Double3>> results;
  for (const std::size_t threads : {1, 2, 8}) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
    results.push_back(lattices::darts(store, options));
  }
  // the particles of each block, backwards
  std::vector<std::uint32_t> order(places.size());
  for (std::size_t b = 0; b < store.blocks().size(); ++b)
    for (std::uint32_t i = store.begin(0)[b], end = store.begin(0)[b + 1]; i < end; ++i)
      order[i] = end - 1 - (i - store.begin(0)[b]);
  AlignedArray<double> scratch;
  AlignedArray<std::uint64_t> id_scratch;
  store.groups()[0].reorder(order.data(), scratch, id_scratch);
  results.push_back(lattices::darts(store, options));
  EXPECT_GT(results[0].size(), 100u);
  for (const auto& result : results) EXPECT_EQ(result, results[0]);
}

TEST(DartThrowing, each_call_and_each_seed_has_other_points) {
  const auto store = lattices::store_of<float>(lattices::cube(14, isochoric(1.5)));
  const auto a = lattices::darts(store, {1, 0, 3});
  EXPECT_EQ(a, lattices::darts(store, {1, 0, 3}));
  EXPECT_NE(a, lattices::darts(store, {1, 1, 3}));
  EXPECT_NE(a, lattices::darts(store, {2, 0, 3}));
}

// one missing particle leaves a hole that is filled; a cavity counts as air
TEST(DartThrowing, a_hole_is_filled_and_a_cavity_is_not) {
  const Double3 middle{0.5 * r, 0.5 * r, 0.5 * r};
  for (const double radius : {0.5, 2.1}) {
    std::vector<Double3> places;
    for (const Double3& x : lattices::cube(20))
      if (lattices::square(x, middle) > radius * radius * r * r) places.push_back(x);
    for (const bool in_double : {false, true}) {
      const auto found = in_double ? lattices::darts(lattices::store_of<double>(places), {7, 0, 3})
                                   : lattices::darts(lattices::store_of<float>(places), {7, 0, 3});
      ASSERT_EQ(found.size(), radius < 1 ? 1u : 0u);
      for (const Double3& x : found) EXPECT_LT(std::sqrt(lattices::square(x, middle)), 0.27 * r);
    }
  }
}

TEST(DartThrowing, uses_no_point_that_is_blocked) {
  const auto store = lattices::store_of<float>(lattices::cube(16, isochoric(1.5)));
  const auto free = lattices::darts(store, {7, 0, 3});
  const auto half = lattices::darts(store, {7, 0, 3}, [](const Double3& x) { return x[0] > 0; });
  EXPECT_GT(std::count_if(free.begin(), free.end(), [](const Double3& x) { return x[0] > 0; }), 100);
  EXPECT_GT(half.size(), 100u);
  for (const Double3& x : half) EXPECT_LE(x[0], 0);
}

// Away from the ends of the period the points are those of the endless body; at the ends they keep their distance from
// the images.
TEST(DartThrowing, a_periodic_slab_is_like_a_wide_one) {
  const int period = 32;            // cells
  std::vector<Double3> slab, wide;  // the wide one is three times the slab
  for (const Double3& x : lattices::block(64, 24, 18, isochoric(1.5, {0.1, 0.2, 0.3})))
    if (x[0] >= 0 && x[0] < period * r) slab.push_back(x);
  for (int copy = -1; copy <= 1; ++copy)
    for (Double3 x : slab) {
      x[0] += copy * period * r;
      wide.push_back(x);
    }
  const auto a = lattices::darts(lattices::store_of<double>(slab, lattices::space({4, 0, 0})), {7, 0, 3});
  const auto b = lattices::darts(lattices::store_of<double>(wide), {7, 0, 3});
  const auto middle = [&](const std::vector<Double3>& points) {
    std::set<Double3> some;
    for (const Double3& x : points)
      if (x[0] > 8 * r && x[0] < (period - 8) * r) some.insert(x);
    return some;
  };
  EXPECT_GT(middle(a).size(), 100u);
  EXPECT_EQ(middle(a), middle(b));
  std::size_t near_end = 0;
  for (const Double3& x : a) {
    near_end += x[0] < 2 * r || x[0] > (period - 2) * r;
    EXPECT_GE(lattices::nearest(x, wide), dart_distance * r);
    for (const Double3& y : a)
      for (const int copy : {-1, 1})
        EXPECT_GE(std::sqrt(lattices::square(x, {y[0] + copy * period * r, y[1], y[2]})), dart_distance * r);
  }
  EXPECT_GT(near_end, 10u);
}

}  // namespace
}  // namespace dollop
