#include "particles/thin_regions.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/random.h"
#include "math/eigen3.h"

namespace dollop {
namespace {

constexpr double cell = 0.003;  // [m]
constexpr ThinRule published{.ratio = 1e-5, .size = 1e-4, .weak = 8};
const std::vector<Column> weak_column = {{"weak", 1, 0}};

template <class S>
struct Particles {
  ParticleStore<S> store;
  explicit Particles(BlockCoord period = {0, 0, 0}, int groups = 1) : store(space(period), 1) {
    for (int g = 0; g < groups; ++g) store.add_group(g, {}, weak_column);
  }
  static BlockSpace space(BlockCoord period) { return {cell, {0.001, -0.02, 0.7}, period}; }
  // weak particles; places in cells
  void add(const std::vector<Double3>& cells, int g = 0, double mass = 1e-6) {
    auto& group = store.groups()[std::size_t(g)];
    for (const Double3& x : cells) {
      Double3 place;
      for (std::size_t d = 0; d < 3; ++d) place[d] = store.space().origin[d] + cell * x[d];
      const std::size_t i = store.append(g, &place, 1);
      group.reals(ParticleGroup<S>::mass)[i] = S(mass);
      group.reals(published.weak)[i] = 1;
    }
    ASSERT_FALSE(store.sort());
  }
  // marks by id, all groups together
  std::vector<int> thin(const ThinRule& rule) const {
    const auto marks = thin_particles(store, std::vector<ThinRule>(store.groups().size(), rule));
    std::vector<int> by_id(store.next_id(), -1);
    for (std::size_t g = 0; g < marks.size(); ++g)
      for (std::size_t i = 0; i < marks[g].size(); ++i) by_id[store.groups()[g].ids()[i]] = marks[g][i];
    return by_id;
  }
  // its largest eigenvalue [cells^2], and how much of that the least is, from the rules that it fails and passes
  double largest(std::size_t id) {
    watch_only(id);
    return bisect([&](double size) { return thin({1e-300, size, published.weak})[id]; });
  }
  double ratio(std::size_t id) {
    watch_only(id);
    return bisect([&](double limit) { return thin({limit, 0, published.weak})[id]; });
  }
  void watch_only(std::size_t id) {
    for (auto& group : store.groups())
      for (std::size_t i = 0; i < group.size(); ++i) group.reals(published.weak)[i] = group.ids()[i] == id;
  }
  static double bisect(const std::function<bool(double)>& beyond) {
    double low = 1e-12, high = 4;  // in logarithms
    if (beyond(low)) return 0;
    for (int k = 0; k < 50; ++k) {
      const double middle = std::sqrt(low * high);
      (beyond(middle) ? high : low) = middle;
    }
    return high;
  }
};

// places of a lattice of half a cell about `center`, those for which keep(offset) holds, with jitter in units
// of the spacing (its standard deviation)
std::vector<Double3> lattice(const Double3& center, const std::function<bool(const Double3&)>& keep,
                             double jitter = 0, std::uint64_t seed = 1) {
  std::vector<Double3> places;
  for (int i = -4; i <= 4; ++i)
    for (int j = -4; j <= 4; ++j)
      for (int k = -4; k <= 4; ++k) {
        Double3 x{0.5 * i, 0.5 * j, 0.5 * k};
        if (!keep(x)) continue;
        for (std::size_t d = 0; d < 3; ++d) {
          double normal = -6;  // of twelve uniform numbers: nearly Gaussian, variance 1
          for (std::uint64_t s = 0; s < 12; ++s) normal += random_uniform(seed, d + 3 * s, places.size());
          x[d] += center[d] + 0.5 * jitter * normal;
        }
        places.push_back(x);
      }
  return places;
}
const auto all = [](const Double3&) { return true; };
const auto sheet = [](const Double3& x) { return x[0] == 0; };
const auto line = [](const Double3& x) { return x[0] == 0 && x[1] == 0; };
const auto two_sheets = [](const Double3& x) { return x[0] == 0 || x[0] == 0.5; };
constexpr Double3 somewhere{5.3, -7.9, 0.2};

std::size_t middle(const std::vector<Double3>& places, const Double3& center) {
  const auto far = [&](const Double3& x) {
    return std::hypot(x[0] - center[0], x[1] - center[1], x[2] - center[2]);
  };
  return std::size_t(std::min_element(places.begin(), places.end(),
                                      [&](const Double3& a, const Double3& b) { return far(a) < far(b); }) -
                     places.begin());
}
int count(const std::vector<int>& marks) { return int(std::count(marks.begin(), marks.end(), 1)); }

template <class S>
struct ThinRegionsTest : testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(ThinRegionsTest, Scalars);

TYPED_TEST(ThinRegionsTest, up_to_three_particles_are_thin_and_four_are_not) {
  const std::vector<Double3> four = {{0.1, 0.2, 0.3}, {0.7, 0.1, 0.2}, {0.3, 0.9, 0.4}, {0.2, 0.3, 1.1}};
  for (std::size_t n = 1; n <= 4; ++n) {
    Particles<TypeParam> particles;
    particles.add({four.begin(), four.begin() + std::ptrdiff_t(n)});
    EXPECT_EQ(count(particles.thin(published)), n < 4 ? int(n) : 0) << n;
  }
  // a second clump, out of reach, changes nothing
  Particles<TypeParam> both;
  both.add(four);
  both.add({{2.95, 0.2, 0.3}, {2.99, 0.6, 0.3}});
  EXPECT_EQ(both.thin(published), (std::vector<int>{0, 0, 0, 0, 1, 1}));
}

TYPED_TEST(ThinRegionsTest, full_lattice_has_the_known_eigenvalue) {
  Particles<TypeParam> particles;
  const auto places = lattice(somewhere, all);
  particles.add(places);
  const std::size_t id = middle(places, somewhere);
  EXPECT_EQ(count(particles.thin(published)), 0);
  EXPECT_NEAR(particles.largest(id), 0.17948, 5e-6);
  EXPECT_NEAR(particles.ratio(id), 1, 1e-5);
}

// ratios of a sheet and a line with 0, 1 and 10 % jitter; two particles thick
TYPED_TEST(ThinRegionsTest, sheets_and_lines_are_thin_as_far_as_they_are_straight) {
  const auto mean_ratio = [](const auto& keep, double jitter) {
    double sum = 0;
    const int rounds = jitter > 0 ? 10 : 1;
    for (int k = 0; k < rounds; ++k) {
      Particles<TypeParam> particles;
      const auto places = lattice(somewhere, keep, jitter, std::uint64_t(k));
      particles.add(places);
      sum += particles.ratio(middle(places, somewhere));
    }
    return sum / rounds;
  };
  EXPECT_LT(mean_ratio(sheet, 0), 1e-10);
  EXPECT_LT(mean_ratio(line, 0), 1e-10);
  EXPECT_NEAR(mean_ratio(sheet, 0.01), 1e-4, 0.6e-4);
  EXPECT_NEAR(mean_ratio(line, 0.01), 2e-5, 1.5e-5);
  EXPECT_NEAR(mean_ratio(sheet, 0.1), 1e-2, 0.6e-2);
  EXPECT_NEAR(mean_ratio(line, 0.1), 1.5e-3, 1.2e-3);
  EXPECT_NEAR(mean_ratio(two_sheets, 0), 0.3, 0.05);
}

struct PointMass {
  Double3 x;  // in cells
  double mass;
};
struct Extremes {
  double least, largest;
};

// the eigenvalues that the formula gives, by sums over all particles
Extremes reference(const std::vector<PointMass>& particles, const Double3& place) {
  const auto spline = [](double x) {
    const double a = std::fabs(x);
    return a < 1 ? a * a * a / 2 - a * a + 2 / 3. : a < 2 ? std::pow(2 - a, 3) / 6 : 0;
  };
  double mass = 0, weight = 0, center[3] = {}, a[3][3] = {};
  const auto each = [&](const auto& visit) {
    for (const PointMass& q : particles) {
      double w = q.mass;
      for (std::size_t d = 0; d < 3; ++d) w *= spline(q.x[d] - place[d]);
      visit(q.x, w);
    }
  };
  each([&](const Double3& x, double w) {
    mass += w, weight += w * w;
    for (std::size_t d = 0; d < 3; ++d) center[d] += w * x[d];
  });
  each([&](const Double3& x, double w) {
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        a[i][j] += w * w / weight * (x[i] - center[i] / mass) * (x[j] - center[j] / mass);
  });
  const auto l = eigen(SymMat3<double>{a[0][0], a[1][1], a[2][2], a[0][1], a[0][2], a[1][2]}).values;
  return {std::min({l.x, l.y, l.z}), std::max({l.x, l.y, l.z})};
}

TYPED_TEST(ThinRegionsTest, masses_of_all_groups_are_weights) {
  Particles<TypeParam> particles({0, 0, 0}, 2);
  const std::vector<Double3> light = {{1.5, 2.25, 3.125}, {2.25, 2.5, 3}, {1, 3.5, 2.75}},
                             heavy = {{2.5, 1.5, 4.5}, {3.25, 3.25, 3.25}, {1.25, 2, 2}, {3, 2, 2.25}};
  particles.add(light, 0, 1e-6), particles.add(heavy, 1, 3e-6);
  std::vector<PointMass> masses;
  for (const Double3& x : light) masses.push_back({x, 1});
  for (const Double3& x : heavy) masses.push_back({x, 3});
  for (std::size_t p = 0; p < masses.size(); ++p) {
    const Extremes l = reference(masses, masses[p].x);
    const double accuracy = std::is_same_v<TypeParam, float> ? 1e-5 : 1e-10;
    EXPECT_NEAR(particles.largest(p), l.largest, accuracy);
    EXPECT_NEAR(particles.ratio(p), l.least / l.largest, accuracy);
  }
}

// where particles are dense, where they are sparse and in between, with all kinds of limits
TYPED_TEST(ThinRegionsTest, decisions_are_those_of_the_formula) {
  std::vector<PointMass> masses;
  for (std::size_t i = 0; i < 1200; ++i) {
    PointMass p{{}, 0.5 + random_uniform(4, 9, i)};
    for (std::size_t d = 0; d < 3; ++d) p.x[d] = 9 * std::pow(random_uniform(4, d, i), 3);
    masses.push_back(p);
  }
  Particles<TypeParam> particles;
  for (const PointMass& p : masses) particles.add({p.x}, 0, p.mass);
  std::vector<Extremes> expected;
  for (const PointMass& p : masses) expected.push_back(reference(masses, p.x));
  for (const double ratio : {1e-5, 1e-3, 0.05, 0.3})
    for (const double size : {1e-4, 1e-2, 0.15}) {
      const auto marks = particles.thin({ratio, size, published.weak});
      int wrong = 0;
      for (std::size_t i = 0; i < marks.size(); ++i) {
        const auto [least, largest] = expected[i];
        const double room = std::min(std::fabs(least - ratio * largest), std::fabs(largest - size));
        wrong += room > 1e-6 && marks[i] != (least <= ratio * largest || largest < size);
      }
      EXPECT_EQ(wrong, 0) << ratio << " " << size;
      EXPECT_GT(count(marks), 3);
      EXPECT_LT(count(marks), 1190);
    }
}

TYPED_TEST(ThinRegionsTest, only_weak_particles_of_groups_with_a_rule_are_looked_at) {
  Particles<TypeParam> particles({0, 0, 0}, 2);
  particles.add({{0, 0, 0}, {10, 0, 0}}, 0);
  particles.add({{20, 0, 0}, {30, 0, 0}}, 1);
  auto& first = particles.store.groups()[0];
  for (std::size_t i = 0; i < 2; ++i)
    if (first.ids()[i] == 1) first.reals(published.weak)[i] = 0;
  EXPECT_EQ(particles.thin(published), (std::vector<int>{1, 0, 1, 1}));
  ThinRule off = published, without = published;
  off.ratio = 0, without.weak = -1;
  for (const ThinRule& rule : {off, without}) {
    EXPECT_EQ(count(particles.thin(rule)), 0);
    const auto marks = thin_particles(particles.store, {published, rule});
    EXPECT_EQ(count({marks[0].begin(), marks[0].end()}), 1);
    EXPECT_EQ(count({marks[1].begin(), marks[1].end()}), 0);
  }
}

// a sheet across the border of a periodic axis is as thick, and as wide, as it is elsewhere
TYPED_TEST(ThinRegionsTest, neighbours_are_found_across_periodic_borders) {
  for (const BlockCoord period : {BlockCoord{3, 0, 0}, BlockCoord{3, 2, 3}, BlockCoord{0, 0, 2}}) {
    for (const auto& shape :
         {std::function<bool(const Double3&)>(sheet), std::function<bool(const Double3&)>(two_sheets)}) {
      const Double3 border{0, 0, 0};
      Particles<TypeParam> wrapped(period), plain;
      const auto places = lattice(border, shape, 0.03);
      wrapped.add(places), plain.add(places);
      const std::size_t id = middle(places, border);
      EXPECT_NEAR(wrapped.largest(id), plain.largest(id), 1e-5);
      EXPECT_NEAR(wrapped.ratio(id), plain.ratio(id), 1e-5);
    }
  }
  // one block around: the lattice continues into itself, and is full everywhere
  Particles<TypeParam> torus({1, 1, 1});
  std::vector<Double3> places;
  for (int i = 0; i < 512; ++i) places.push_back({0.5 * (i % 8), 0.5 * (i / 8 % 8), 0.5 * (i / 64)});
  torus.add(places);
  for (const std::size_t id : {0, 7, 300, 511}) EXPECT_NEAR(torus.largest(id), 0.17948, 5e-6);
}

// particles that have left their blocks are where they are, not where they were sorted to
TYPED_TEST(ThinRegionsTest, drift_out_of_the_blocks_changes_nothing) {
  const auto places = lattice(somewhere, two_sheets, 0.05);
  const std::size_t id = middle(places, somewhere);
  for (const double shift : {-0.99, 0.0, 0.99}) {
    Particles<TypeParam> particles;
    particles.add(places);
    auto& group = particles.store.groups()[0];
    for (std::size_t i = 0; i < group.size(); ++i)
      for (int d = 0; d < 3; ++d) group.reals(d)[i] += TypeParam(shift);
    Particles<TypeParam> still;
    still.add(places);
    EXPECT_NEAR(particles.ratio(id), still.ratio(id), 1e-5) << shift;
    EXPECT_NEAR(particles.largest(id), still.largest(id), 1e-5) << shift;
  }
}

TYPED_TEST(ThinRegionsTest, lost_particles_are_left_to_the_next_sort) {
  for (const double place : {std::numeric_limits<double>::quiet_NaN(), 1e30, -1e30, 40.0, -40.0}) {
    Particles<TypeParam> particles;
    particles.add({{0.1, 0.2, 0.3}, {20.1, 0.2, 0.3}});
    particles.store.groups()[0].reals(1)[0] = TypeParam(place);
    EXPECT_EQ(count(particles.thin(published)), 1) << place;
  }
}

TYPED_TEST(ThinRegionsTest, same_at_any_number_of_threads) {
  Particles<TypeParam> particles({0, 0, 0}, 2);
  std::vector<Double3> cloud(3000);
  for (std::size_t i = 0; i < cloud.size(); ++i)
    for (std::size_t d = 0; d < 3; ++d) cloud[i][d] = 25 * random_uniform(3, d, i);
  particles.add({cloud.begin(), cloud.begin() + 2000}, 0);
  particles.add({cloud.begin() + 2000, cloud.end()}, 1, 2e-6);
  std::vector<int> first;
  for (const int threads : {1, 2, 8}) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, std::size_t(threads));
    tbb::task_arena arena(threads);
    arena.execute([&] {
      const auto marks = particles.thin({.ratio = 0.05, .size = 1e-4, .weak = published.weak});
      if (threads == 1) first = marks;
      EXPECT_EQ(marks, first) << threads << " threads";
    });
  }
  EXPECT_GT(count(first), 100);
  EXPECT_LT(count(first), 2900);
}

TEST(ThinRegions, nothing_there) {
  const Particles<float> none;
  EXPECT_TRUE(none.thin(published).empty());
  EXPECT_TRUE(thin_particles(ParticleStore<double>(), {}).empty());
}

}  // namespace
}  // namespace dollop
