#include "particles/sphere_distance.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lattices.h"

namespace dollop {
namespace {

using lattices::r;

// the definition, without any tricks, on the nodes of a box around the particles
class Reference {
 public:
  Reference(const std::vector<Double3>& places, int low, int high) : low_(low), n_(high - low + 1) {
    std::vector<double> d(std::size_t(n_ * n_ * n_));
    each([&](int i, int j, int k) { d[at(i, j, k)] = lattices::nearest(node(i, j, k), places) / r - 1; });
    std::vector<Double3> crossings;
    each([&](int i, int j, int k) {
      for (int axis = 0; axis < 3; ++axis) {
        const int a = i + (axis == 0), b = j + (axis == 1), c = k + (axis == 2);
        if (std::max({a, b, c}) > high) continue;
        const double d1 = d[at(i, j, k)], d2 = d[at(a, b, c)];
        if ((d1 < 0) == (d2 < 0)) continue;
        Double3 x = node(i, j, k);
        x[std::size_t(axis)] += r * d1 / (d1 - d2);
        crossings.push_back(x);
      }
    });
    values_.resize(d.size());
    each([&](int i, int j, int k) {
      const double distance = std::min(4.0, lattices::nearest(node(i, j, k), crossings) / r);
      values_[at(i, j, k)] = d[at(i, j, k)] < 0 ? -distance : distance;
    });
  }
  static Double3 node(int i, int j, int k) { return {r * i, r * j, r * k}; }
  double value(int i, int j, int k) const { return values_[at(i, j, k)]; }
  template <class Visit>
  void each(Visit&& visit) const {
    for (int i = low_; i < low_ + n_; ++i)
      for (int j = low_; j < low_ + n_; ++j)
        for (int k = low_; k < low_ + n_; ++k) visit(i, j, k);
  }

 private:
  std::size_t at(int i, int j, int k) const {
    return std::size_t(((i - low_) * n_ + j - low_) * n_ + k - low_);
  }
  int low_, n_;
  std::vector<double> values_;
};

template <class S>
void expect_like_reference(const std::vector<Double3>& places, int low, int high) {
  const auto store = lattices::store_of<S>(places);
  const ParticleCells cells(store);
  const SphereDistance all(cells, DistanceUse::everything), depth(cells, DistanceUse::depth);
  const Reference reference(places, low, high);
  int deep = 0, outside = 0, band = 0;
  reference.each([&](int i, int j, int k) {
    const double expected = reference.value(i, j, k), value = all.value({i, j, k});
    ASSERT_NEAR(value, expected, 2e-5) << i << ' ' << j << ' ' << k;
    ASSERT_EQ(std::signbit(value), expected < 0);
    if (expected < -fill_depth)
      ASSERT_EQ(depth.value({i, j, k}), all.value({i, j, k}));
    else
      ASSERT_GE(depth.value({i, j, k}), -fill_depth);
    deep += expected<-3.9, outside += expected> 3.9, band += std::fabs(expected) < 3;
  });
  EXPECT_GT(outside, 100);
  EXPECT_GT(band, 100);
  EXPECT_GE(deep, places.size() > 1000 ? 10 : 0);
}

std::vector<Double3> ball(double radius, const Double3& shift) {
  std::vector<Double3> places;
  for (const Double3& x : lattices::cube(26, {{1, 0, 0, 0, 1, 0, 0, 0, 1}, shift}))
    if (lattices::square(x, {r * shift[0], r * shift[1], r * shift[2]}) < r * r * radius * radius)
      places.push_back(x);
  return places;
}

TEST(SphereDistance, follows_its_definition) {
  expect_like_reference<double>(lattices::cube(11, lattices::isochoric(1.3, {0.3, -0.7, 0.1})), -14, 14);
  expect_like_reference<float>(ball(8.5, {0.21, 0.4, -0.3}), -14, 14);
}

TEST(SphereDistance, follows_its_definition_for_scattered_particles) {
  std::vector<Double3> places;
  for (std::size_t n = 0; n < 200; ++n)
    places.push_back({r * 16 * (random_uniform(1, 0, n) - 0.5), r * 16 * (random_uniform(1, 1, n) - 0.5),
                      r * 16 * (random_uniform(1, 2, n) - 0.5)});
  expect_like_reference<double>(places, -14, 14);
}

// Below a flat layer the nearest crossing is straight above a node: of the edge between corners at the distance
// sqrt(3/4) of the outermost particles and those at sqrt(1/2 + 9/4).
TEST(SphereDistance, of_a_plane_layer_is_exact) {
  const auto store = lattices::store_of<float>(lattices::block(32, 32, 16));
  const ParticleCells cells(store);
  const SphereDistance phi(cells, DistanceUse::everything);
  const double inner = std::sqrt(0.75) - 1, outer = std::sqrt(2.75) - 1, top = 8 + inner / (inner - outer);
  for (int i = -8; i <= 8; i += 4)
    for (int k = 0; k <= 12; ++k)
      EXPECT_NEAR(phi.value({i, i / 2, k}), std::clamp(k - top, -4.0, 4.0), 1e-5) << k;
}

TEST(SphereDistance, of_a_ball_of_particles_is_near_that_of_the_ball) {
  const double radius = 11.3;
  const Double3 shift{0.37, 0.11, -0.29};
  const auto places = ball(radius, shift);
  const auto store = lattices::store_of<double>(places);
  const ParticleCells cells(store);
  const SphereDistance phi(cells, DistanceUse::everything);
  for (int i = -18; i <= 18; ++i)
    for (int j = -18; j <= 18; ++j)
      for (int k = -18; k <= 18; ++k) {
        const Double3 x{i - shift[0], j - shift[1], k - shift[2]};
        const double exact = std::sqrt(lattices::square(x, {0, 0, 0})) - radius;
        const double value = phi.value({i, j, k});
        ASSERT_FALSE(std::isnan(value));
        EXPECT_EQ(value < 0, lattices::nearest(Reference::node(i, j, k), places) < r);
        // The surface lies within r of the ball, and the nearest crossing may be beside its nearest point.
        const double low = exact - 1, farthest = low < 0 ? -std::sqrt(low * low + 0.5) : low;
        EXPECT_LT(value, std::clamp(exact + 1, -4.0, 4.0) + 1e-4);
        EXPECT_GT(value, std::clamp(farthest, -4.0, 4.0) - 1e-4);
      }
}

TEST(SphereDistance, of_a_few_particles_is_never_deep_and_never_nan) {
  for (const auto& places : {std::vector<Double3>{}, std::vector<Double3>{{0, 0, 0}},
                             std::vector<Double3>{{0, 0, 0}, {0, 0, 0}, {40 * r, 0, 0}}}) {
    const auto store = lattices::store_of<float>(places);
    const ParticleCells cells(store);
    const SphereDistance phi(cells, DistanceUse::everything), depth(cells, DistanceUse::depth);
    for (int i = -10; i <= 10; ++i)
      for (int j = -3; j <= 3; ++j) {
        EXPECT_GE(phi.value({i, j, 0}), -1);
        EXPECT_GE(depth.value({i, j, 0}), -fill_depth);
        EXPECT_LE(phi.value({i, j, 0}), 4);
      }
    EXPECT_EQ(phi.value({0, 0, 0}) < 0, !places.empty());
    EXPECT_EQ(phi.sample({1e3, -1e3, 0}), 4);
  }
}

// particles are not sorted anew as long as they are within a grid cell of their block
TEST(SphereDistance, sees_particles_that_have_drifted) {
  const auto places = lattices::cube(12, lattices::isochoric(1.2));
  for (const double drift : {-0.95, 0.95}) {  // grid cells
    auto store = lattices::store_of<double>(places);
    std::vector<Double3> there = places;
    for (std::size_t n = 0; n < places.size(); ++n) {
      for (int d = 0; d < 3; ++d) store.groups()[0].reals(d)[n] += drift;
      for (double& x : there[n]) x += 2 * r * drift;
    }
    const auto fresh = lattices::store_of<double>(there);
    const ParticleCells cells(store), sorted_cells(fresh);
    const SphereDistance phi(cells, DistanceUse::everything), expected(sorted_cells, DistanceUse::everything);
    for (int i = -14; i <= 14; ++i)
      for (int j = -14; j <= 14; ++j)
        for (int k = -14; k <= 14; ++k) ASSERT_NEAR(phi.value({i, j, k}), expected.value({i, j, k}), 1e-5);
  }
}

TEST(SphereDistance, is_trilinear_between_nodes) {
  const auto store = lattices::store_of<double>(ball(8.5, {0.2, 0.1, 0.3}));
  const ParticleCells cells(store);
  const SphereDistance phi(cells, DistanceUse::everything);
  for (int k = -12; k < 12; ++k) {
    EXPECT_NEAR(phi.sample({-7.999999 * r, 2.000001 * r, (k + 1e-6) * r}), phi.value({-8, 2, k}), 1e-4);
    double mean = 0;
    for (int n = 0; n < 8; ++n) mean += phi.value({-8 + (n & 1), 2 + (n >> 1 & 1), k + (n >> 2)}) / 8;
    EXPECT_NEAR(phi.sample({-7.5 * r, 2.5 * r, (k + 0.5) * r}), mean, 1e-5);
  }
}

// a body that fills a period in x and y sees its own images
TEST(SphereDistance, on_periodic_axes_is_that_of_the_endless_body) {
  const int period = 16;  // cells: 2 blocks
  const auto how = lattices::Deformation{{1, 0, 0, 0, 1, 0, 0, 0, 0.97}, {0.3, 0.2, 0.1}};
  const auto small =
      lattices::store_of<float>(lattices::block(period, period, 13, how), lattices::space({2, 2, 0}));
  const auto wide = lattices::store_of<float>(lattices::block(3 * period, 3 * period, 13, how));
  const ParticleCells small_cells(small), wide_cells(wide);
  const SphereDistance a(small_cells, DistanceUse::everything), b(wide_cells, DistanceUse::everything);
  for (int i = 0; i < period; ++i)
    for (int j = 0; j < period; ++j)
      for (int k = -12; k <= 12; ++k)
        ASSERT_NEAR(a.value({i, j, k}), b.value({i, j, k}), 1e-5) << i << j << k;
}

}  // namespace
}  // namespace dollop
