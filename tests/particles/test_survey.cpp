// Volume, density, voids, pieces and threads of bodies of known shape. All shapes are in units of r, half a cell.
#include "particles/survey.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "core/random.h"
#include "particles/survey_volume.h"

namespace dollop {
namespace {

constexpr double cell = 0.02, r = cell / 2, r3 = r * r * r, density = 800;
constexpr double pi = std::numbers::pi;

using Shape = std::function<bool(double x, double y, double z)>;

Shape ball(double radius, double center = 0) {
  return [=](double x, double y, double z) {
    return (x - center) * (x - center) + y * y + z * z < radius * radius;
  };
}
Shape box(double a, double b, double c) {  // half widths
  return
      [=](double x, double y, double z) { return std::fabs(x) < a && std::fabs(y) < b && std::fabs(z) < c; };
}
Shape either(const Shape& a, const Shape& b) {
  return [=](double x, double y, double z) { return a(x, y, z) || b(x, y, z); };
}
Shape without(const Shape& a, const Shape& b) {
  return [=](double x, double y, double z) { return a(x, y, z) && !b(x, y, z); };
}

// How a body lies: turned about x and z, then moved.
struct Pose {
  double angle = 0;
  Double3 shift{};  // [r]
};
constexpr Pose poses[] = {{}, {0.5, {0.3, 0.9, 0.1}}, {1.1, {-3.4, 2.2, 7.7}}};

// points of the unit lattice in a shape of at most `half`, in a pose [r]
std::vector<Double3> lattice(int half, const Shape& inside, const Pose& pose = {}) {
  std::vector<Double3> points;
  const double c = std::cos(pose.angle), s = std::sin(pose.angle);
  for (int i = -half; i < half; ++i)
    for (int j = -half; j < half; ++j)
      for (int k = -half; k < half; ++k) {
        const double x = i + 0.5, y = j + 0.5, z = k + 0.5;
        if (!inside(x, y, z)) continue;
        const double u = c * y - s * z, w = s * y + c * z;
        points.push_back({c * x - s * u + pose.shift[0], s * x + c * u + pose.shift[1], w + pose.shift[2]});
      }
  return points;
}

template <class S = float>
ParticleStore<S> make_store(const std::vector<Double3>& points, BlockCoord period = {0, 0, 0},
                            double offset = 1) {
  ParticleStore<S> store({cell, {0.3, -1, 0}, period}, offset);
  store.add_group(0, {}, {});
  std::vector<Double3> places;
  for (const Double3& x : points) places.push_back({0.3 + r * x[0], r * x[1] - 1, r * x[2]});
  store.append(0, places.data(), places.size());
  auto& group = store.groups()[0];
  std::fill_n(group.reals(ParticleGroup<S>::mass), group.size(), S(density * r3));
  EXPECT_FALSE(store.sort());
  return store;
}
Survey survey_of(const std::vector<Double3>& points, BlockCoord period = {0, 0, 0}) {
  return survey(make_store(points, period), Kernel::cubic);
}

// Lone particles are spheres of 0.65 r, wherever they lie among the points that are counted.
TEST(Survey, volume_of_lone_particles) {
  std::vector<Double3> points;
  for (int n = 0; n < 64; ++n)
    points.push_back({10 + 5.123 * (n / 16), 10 + 5.371 * (n / 4 % 4), 10 + 5.217 * (n % 4)});
  const double all = 64 * 4 / 3. * pi * 0.65 * 0.65 * 0.65;
  EXPECT_NEAR(survey_of(points).volume / r3, all, 0.01 * all);
}

// The body's own volume, without the skin: also of thin bodies, and of one that is bent into another.
TEST(Survey, volume_is_that_of_the_particles) {
  const Shape pancake = [](double x, double y, double z) { return x * x + y * y < 400 && std::fabs(z) < 3; };
  for (const Pose& pose : poses)
    for (const Shape& shape : {ball(10), box(12, 12, 12), pancake, without(ball(13), ball(5))}) {
      const auto points = lattice(20, shape, pose);
      const ParticleCells cells(make_store(points));
      const double volume = body_volume(cells, SphereDistance(cells, DistanceUse::everything));
      EXPECT_NEAR(volume / double(points.size()), 1, 0.035) << points.size() << " " << pose.angle;
      EXPECT_NEAR(survey_of(points).volume / r3, volume, 1e-9 * volume);
    }
}

TEST(Survey, density_of_interior_nodes) {
  for (const Pose& pose : poses) {
    const Survey s = survey_of(lattice(13, ball(12), pose));
    EXPECT_NEAR(s.density_mean, density, 1e-3 * density);
    EXPECT_NEAR(s.density_min, density, 2e-3 * density);
    EXPECT_NEAR(s.density_max, density, 2e-3 * density);
    EXPECT_EQ(s.density_within, 1);
  }
  // nothing is deeper than two cells
  const Survey shallow = survey_of(lattice(4, ball(3)));
  EXPECT_GT(shallow.volume, 0);
  for (const double zero :
       {shallow.density_mean, shallow.density_min, shallow.density_max, shallow.density_within})
    EXPECT_EQ(zero, 0);
}

// two halves of different density
TEST(Survey, density_that_varies) {
  for (const Kernel kernel : {Kernel::cubic, Kernel::quadratic}) {
    auto store =
        make_store<double>(lattice(16, box(16, 12, 12)), {0, 0, 0}, kernel == Kernel::cubic ? 1 : 0.5);
    auto& group = store.groups()[0];
    store.each(0, [&](std::size_t b, std::size_t i) {
      if (store.position(0, b, i)[0] > 0.3) group.reals(ParticleGroup<double>::mass)[i] *= 1.5;
    });
    const Survey s = survey(store, kernel);
    EXPECT_NEAR(s.density_min, density, 1e-6 * density);
    EXPECT_NEAR(s.density_max, 1.5 * density, 1e-6 * density);
    EXPECT_NEAR(s.density_mean, 1.25 * density, 1e-6 * density);
    // of the 13 planes of nodes only that between the halves has the mean; the next are 13 % off and more
    EXPECT_NEAR(s.density_within, 1 / 13., 1e-9);
  }
}

TEST(Survey, solid_bodies_have_no_voids_and_no_threads) {
  const Shape notched = without(box(12, 12, 12), [](double x, double y, double) { return x > 0 && y > 0; });
  for (const Pose& pose : poses)
    for (const Shape& shape : {ball(10), box(12, 12, 12), box(6, 12, 9), notched}) {
      const Survey s = survey_of(lattice(13, shape, pose));
      EXPECT_EQ(s.voids, 0);
      EXPECT_EQ(s.pieces, 1u);
      EXPECT_EQ(s.longest_thread, 0);
    }
}

// what a cavity measures is the volume of the particles that are missing
TEST(Survey, cavities_are_voids) {
  const double whole = double(lattice(13, ball(13)).size());
  for (const Pose& pose : poses)
    for (const double center : {0.0, 2.5})
      for (const double radius : {3.0, 5.0}) {
        const auto points = lattice(13, without(ball(13), ball(radius, center)), pose);
        const double missing = whole - double(points.size());
        EXPECT_NEAR(missing, 4 / 3. * pi * std::pow(radius, 3), 0.25 * missing);
        const Survey s = survey_of(points);
        EXPECT_NEAR(s.voids / r3, missing, 0.15 * missing) << radius << " " << pose.angle;
        EXPECT_EQ(s.pieces, 1u);
      }
}

// a hollow wide enough for space without any nodes; with a small hole in the shell it is still a void, with a wide one
// it is not
TEST(Survey, hollow_bodies) {
  const Shape shell = without(ball(26), ball(24));
  const double volume = 4 / 3. * pi * 24 * 24 * 24;
  const auto hole = [](double half) {
    return [=](double x, double y, double z) { return x > 0 && std::fabs(y) < half && std::fabs(z) < half; };
  };
  for (const Pose& pose : {poses[0], poses[2]}) {
    EXPECT_NEAR(survey_of(lattice(28, shell, pose)).voids / r3, volume, 0.03 * volume);
    EXPECT_NEAR(survey_of(lattice(28, without(shell, hole(1)), pose)).voids / r3, volume, 0.03 * volume);
    EXPECT_LT(survey_of(lattice(28, without(shell, hole(6)), pose)).voids / r3, 30);
    // a ball inside takes its place away
    const Survey inner = survey_of(lattice(28, either(shell, ball(7)), pose));
    EXPECT_NEAR(inner.voids / r3, volume - 4 / 3. * pi * 343, 0.03 * volume);
    EXPECT_EQ(inner.pieces, 2u);
  }
}

TEST(Survey, narrow_gaps_are_voids_and_wide_ones_are_not) {
  for (const Pose& pose : poses) {
    const auto halves = [&](double gap) {
      return survey_of(lattice(15, without(box(15, 10, 10), box(gap / 2, 20, 20)), pose)).voids / r3;
    };
    EXPECT_EQ(halves(0), 0);
    for (const double gap : {2.0, 4.0}) {  // all but the mouth
      EXPECT_GT(halves(gap), 0.5 * gap * 400);
      EXPECT_LT(halves(gap), 0.9 * gap * 400);
    }
    EXPECT_EQ(halves(8), 0);
    EXPECT_EQ(survey_of(lattice(24, either(ball(8, -14), ball(8, 14)), pose)).voids, 0);
  }
}

// a lattice pulled apart along one axis opens between its layers; one of more points does not
TEST(Survey, stretched_lattice) {
  auto points = lattice(10, box(6, 10, 10));
  for (Double3& x : points) x[0] *= 2;
  const double volume = 24 * 20 * 20;
  const Survey sparse = survey_of(points);
  EXPECT_GT(sparse.voids / r3, 0.05 * volume);
  EXPECT_LT(sparse.voids / r3, 0.6 * volume);
  EXPECT_LT(sparse.volume / r3, volume);
  const std::size_t half = points.size();
  for (std::size_t i = 0; i < half; ++i) points.push_back({points[i][0] + 1, points[i][1], points[i][2]});
  EXPECT_EQ(survey_of(points).voids, 0);
}

TEST(Survey, pieces_without_crumbs) {
  EXPECT_EQ(survey_of(lattice(24, either(ball(8, -14), ball(8, 14)))).pieces, 2u);
  EXPECT_EQ(survey_of(lattice(24, either(ball(8, -8), ball(8, 8)))).pieces, 1u);
  // chains: spheres that overlap or just do not
  const auto chain = [](int n, double spacing) {
    std::vector<Double3> points;
    for (int i = 0; i < n; ++i) points.push_back({0.3, 0.48 * spacing * i, 0.8773 * spacing * i});
    return points;
  };
  EXPECT_EQ(survey_of(chain(8, 1.99)).pieces, 1u);
  EXPECT_EQ(survey_of(chain(7, 1.99)).pieces, 0u);
  EXPECT_EQ(survey_of(chain(40, 2.01)).pieces, 0u);
}

// Two balls of 8 r joined by a rod: its length, less at most 5 r at either end, where the balls count among what is
// around; none if it is two cells thick.
TEST(Survey, rods_are_threads) {
  for (const Pose& pose : poses) {
    for (const double length : {20.0, 32.0}) {
      const double center = length / 2 + 8;
      const Shape balls = either(ball(8, -center), ball(8, center));
      const Survey thin = survey_of(lattice(34, either(balls, box(center, 1, 1)), pose));
      EXPECT_GT(thin.longest_thread / r, length - 10) << pose.angle;
      EXPECT_LT(thin.longest_thread / r, length + 2) << pose.angle;
      EXPECT_EQ(thin.pieces, 1u);
      EXPECT_EQ(thin.voids, 0);
      EXPECT_EQ(survey_of(lattice(34, either(balls, box(center, 2, 2)), pose)).longest_thread, 0);
    }
    // alone: diagonal of its box
    const Survey rod = survey_of(lattice(12, box(12, 1, 1), {0, pose.shift}));
    EXPECT_NEAR(rod.longest_thread / r, std::sqrt(24 * 24 + 4 + 4), 1e-3);
    // a sheet is thin too, but no thread, at its edges and corners as well
    EXPECT_EQ(survey_of(lattice(12, box(12, 1, 8), {0, pose.shift})).longest_thread, 0);
  }
}

TEST(Survey, periodic_axes) {
  // a slab of 12 r across a torus of 16 by 24, with a cavity on the border
  const BlockCoord period{2, 0, 3};
  const auto slab = [](const Double3& hole, double radius) {
    std::vector<Double3> points;
    for (int i = 0; i < 16; ++i)
      for (int j = 0; j < 12; ++j)
        for (int k = 0; k < 24; ++k) {
          const Double3 x{i + 0.5, j + 0.5, k + 0.5};
          double square = std::pow(x[1] - hole[1], 2);
          square += std::pow(std::remainder(x[0] - hole[0], 16), 2) +
                    std::pow(std::remainder(x[2] - hole[2], 24), 2);
          if (square >= radius * radius) points.push_back(x);
        }
    return points;
  };
  const Survey solid = survey_of(slab({}, 0), period);
  EXPECT_NEAR(solid.volume / r3, 16 * 24 * 12, 0.01 * 16 * 24 * 12);
  EXPECT_NEAR(solid.density_mean, density, 1e-5 * density);
  EXPECT_EQ(solid.density_within, 1);
  EXPECT_EQ(solid.voids, 0);
  EXPECT_EQ(solid.pieces, 1u);
  EXPECT_EQ(solid.longest_thread, 0);
  const auto holed = slab({15.5, 6, 0.25}, 3);
  const double missing = 16 * 12 * 24 - double(holed.size());
  EXPECT_NEAR(survey_of(holed, period).voids / r3, missing, 0.15 * missing);

  // a thread of 10 r across the border, and one all the way round
  std::vector<Double3> thread;
  for (int i = 11; i < 21; ++i) thread.push_back({i + 0.5, 0.5, 0.5});
  EXPECT_NEAR(survey_of(thread, period).longest_thread / r, std::sqrt(102), 1e-3);
  for (int i = 21; i < 27; ++i) thread.push_back({i + 0.5, 0.5, 0.5});
  EXPECT_NEAR(survey_of(thread, period).longest_thread / r, std::sqrt(16 * 16 + 2), 1e-3);

  // no outside: what is not filled is void
  const BlockCoord all{2, 2, 3};
  std::vector<Double3> full = slab({}, 0);
  const Survey part = survey_of(full, all);
  EXPECT_NEAR(part.voids / r3, 4 * 16 * 24, 0.2 * 4 * 16 * 24);
  for (int j = 12; j < 16; ++j)
    for (const Double3& x : slab({}, 0))
      if (x[1] < 1) full.push_back({x[0], j + 0.5, x[2]});
  const Survey whole = survey_of(full, all);
  EXPECT_NEAR(whole.volume / r3, 16 * 16 * 24, 1e-9 * 16 * 16 * 24);
  EXPECT_EQ(whole.voids, 0);
  EXPECT_EQ(whole.pieces, 1u);
}

// far-flung particles cost nothing, and everything near them is seen
TEST(Survey, far_apart) {
  auto points = lattice(6, without(ball(6), ball(3)));
  const Survey near = survey_of(points);
  for (const Double3& x : lattice(6, ball(5))) points.push_back({x[0] + 1e5, x[1] - 3e5, x[2] + 2e5});
  points.push_back({-4e5, 0, 0});
  const Survey far = survey_of(points);
  EXPECT_NEAR(far.voids, near.voids, 1e-9 * near.voids);
  EXPECT_EQ(far.pieces, 2u);
}

TEST(Survey, nothing_and_one_particle) {
  for (const Survey& s :
       {survey(ParticleStore<double>(), Kernel::cubic), survey_of({}), survey_of({}, {1, 1, 1})}) {
    EXPECT_EQ(s.volume, 0);
    EXPECT_EQ(s.density_mean, 0);
    EXPECT_EQ(s.voids, 0);
    EXPECT_EQ(s.pieces, 0u);
    EXPECT_EQ(s.longest_thread, 0);
  }
  const Survey one = survey_of({{0.2, 0.7, -0.4}});
  EXPECT_NEAR(one.volume / r3, 4 / 3. * pi * 0.65 * 0.65 * 0.65, 0.05);
  EXPECT_EQ(one.pieces, 0u);
  EXPECT_EQ(one.longest_thread, 0);
  EXPECT_EQ(one.voids, 0);
}

// also if particles have left their blocks since the sort
TEST(Survey, same_in_either_precision_at_any_number_of_threads_and_after_drifting) {
  const auto points = lattice(20, either(without(ball(9), ball(4)), box(20, 1, 1)), poses[1]);
  const auto expect_equal = [](const Survey& a, const Survey& b, double accuracy) {
    EXPECT_NEAR(a.volume, b.volume, accuracy * b.volume);
    EXPECT_NEAR(a.density_mean, b.density_mean, accuracy * b.density_mean);
    EXPECT_NEAR(a.density_min, b.density_min, accuracy * b.density_min);
    EXPECT_NEAR(a.density_max, b.density_max, accuracy * b.density_max);
    EXPECT_NEAR(a.density_within, b.density_within, accuracy);
    EXPECT_NEAR(a.voids, b.voids, accuracy * b.voids);
    EXPECT_EQ(a.pieces, b.pieces);
    // on a lattice rounding decides whether those at exactly 6 r count, and so where a thread ends
    EXPECT_NEAR(a.longest_thread, b.longest_thread, accuracy > 0 ? r : 0);
  };
  Survey first;
  for (const int threads : {1, 2, 8}) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, std::size_t(threads));
    tbb::task_arena arena(threads);
    arena.execute([&] {
      const Survey s = survey_of(points);
      if (threads == 1) first = s;
      expect_equal(s, first, 0);
    });
  }
  EXPECT_GT(first.voids, 0);
  EXPECT_GT(first.longest_thread, 0);
  expect_equal(survey(make_store<double>(points), Kernel::cubic), first, 1e-3);

  auto moved = points;
  for (Double3& x : moved) x[0] -= 1.9;
  auto drifted = make_store<double>(moved);
  for (std::size_t i = 0; i < drifted.size(); ++i) drifted.groups()[0].reals(0)[i] += 0.95;
  expect_equal(survey(drifted, Kernel::cubic), survey(make_store<double>(points), Kernel::cubic), 1e-3);
}

}  // namespace
}  // namespace dollop
