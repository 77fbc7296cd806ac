// What a linear field leaves of the velocities in cubes two cells wide: nothing of linear motions, white noise as it is,
// and of waves the part that theory says; the same wherever cubes lie and however many threads count.
#include "solvers/observation/velocity_noise.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <limits>
#include <sstream>

#include "core/random.h"
#include "solvers/bodies.h"
#include "solvers/setup/scene_space.h"

namespace dollop {
namespace {

using namespace tests;
using Places = std::vector<Double3>;

constexpr double cell = 1.0 / 64;  // [m]: moving by whole cells is exact

// one particle at a random place in each of the parts of a box of cells
Places jittered(const Double3& low, std::array<int, 3> cells, int per_cell_edge, double jitter = 1) {
  Places places;
  const int n[] = {per_cell_edge * cells[0], per_cell_edge * cells[1], per_cell_edge * cells[2]};
  for (int x = 0; x < n[0]; ++x)
    for (int y = 0; y < n[1]; ++y)
      for (int z = 0; z < n[2]; ++z) {
        Double3 at{double(x), double(y), double(z)};
        for (std::size_t d = 0; d < 3; ++d) {
          const double shift = jitter * (random_uniform(1, d, places.size()) - 0.5);
          at[d] = cell * (low[d] + (at[d] + 0.5 + shift) / per_cell_edge);
        }
        places.push_back(at);
      }
  return places;
}

// of rms s and mean 0 in each component
Double3 white(double s, std::uint64_t n) {
  Double3 v;
  for (std::size_t d = 0; d < 3; ++d) v[d] = s * std::sqrt(12.0) * (random_uniform(2, d, n) - 0.5);
  return v;
}

template <class S>
class VelocityNoise : public testing::Test {
 public:
  // groups of particles, with velocities and masses by place and id
  template <class Velocity, class Mass>
  static ParticleStore<S> store_of(const std::vector<Places>& groups, Velocity&& velocity, Mass&& mass,
                                   BlockCoord period = {0, 0, 0}, double offset = 1) {
    BlockSpace space;
    space.cell_size = cell, space.period = period;
    ParticleStore<S> store(space, offset);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      store.add_group(int(g), affine_column(), {});
      store.append(int(g), groups[g].data(), groups[g].size());
    }
    EXPECT_FALSE(store.sort());
    for (std::size_t g = 0; g < groups.size(); ++g) {
      ParticleGroup<S>& group = store.groups()[g];
      store.each(int(g), [&](std::size_t b, std::size_t i) {
        const Double3 v = velocity(in_domain(space, store.position(int(g), b, i)), group.ids()[i]);
        for (std::size_t d = 0; d < 3; ++d) group.reals(ParticleGroup<S>::velocity + int(d))[i] = S(v[d]);
        group.reals(ParticleGroup<S>::mass)[i] = S(mass(group.ids()[i]));
      });
    }
    return store;
  }
  template <class Velocity>
  static double noise_of(const std::vector<Places>& groups, Velocity&& velocity,
                         BlockCoord period = {0, 0, 0}, double offset = 1) {
    return velocity_noise(store_of(
        groups, velocity, [](std::uint64_t) { return 1e-3; }, period, offset));
  }
  // of white noise alone, by its rms in each component
  static Double3 one(const Double3&, std::uint64_t id) { return white(1, id); }
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(VelocityNoise, Scalars);

// rms length of white noise of rms 1 in each component
const double sqrt3 = std::sqrt(3.0);
// five standard deviations of the rms of this many numbers
double spread(double numbers) { return 5 / std::sqrt(2 * numbers); }

TYPED_TEST(VelocityNoise, linear_velocities_have_none) {
  const Double3 w{30, -40, 20}, shift{3, -2, 5};
  const Double3 rows[] = {{7, 40, -3}, {2, -11, 60}, {-30, 9, 5}};
  const auto still = [&](const Double3&, std::uint64_t) { return shift; };
  const auto turn = [&](const Double3& x, std::uint64_t) { return plus(shift, cross(w, x)); };
  const auto any = [&](const Double3& x, std::uint64_t) {
    return Double3{dot(rows[0], x), dot(rows[1], x), dot(rows[2], x)};
  };
  const double speed = 60 * 12 * cell, rounding = either<TypeParam>(2e-7, 1e-15) * speed;
  for (const double offset : {0.5, 1.0}) {
    // full cubes, and a thin slab in which cubes are cut
    const Places block = jittered({-3, -5, -2}, {9, 10, 11}, 2), slab = jittered({0, 0.4, 0}, {12, 1, 12}, 3);
    for (const Places& places : {block, slab}) {
      EXPECT_EQ(this->noise_of({places}, still, {}, offset), 0);
      EXPECT_LE(this->noise_of({places}, turn, {}, offset), rounding);
      EXPECT_LE(this->noise_of({places}, any, {}, offset), rounding);
    }
  }
}

TYPED_TEST(VelocityNoise, white_noise_counts_as_it_is) {
  const auto carried = [](const Double3& x, std::uint64_t id) {
    return plus(plus({1, 2, 3}, cross({3, -4, 2}, x)), white(0.01, id));
  };
  // 64 particles in each of 125 cubes, and 8, of which a fit takes a half of what varies
  EXPECT_NEAR(this->noise_of({jittered({0, 0, 0}, {10, 10, 10}, 2)}, carried) / (0.01 * sqrt3), 1,
              spread(3 * 125 * 60));
  EXPECT_NEAR(this->noise_of({jittered({0, 0, 0}, {20, 20, 20}, 1)}, carried) / (0.01 * sqrt3), 1,
              spread(3 * 1000 * 4));
}

// Masses that differ by a factor of up to ten: a fit follows heavy particles, and the freedom takes this into account.
TYPED_TEST(VelocityNoise, white_noise_of_unequal_masses) {
  const auto mass = [](std::uint64_t id) { return 1e-6 * std::pow(10, random_uniform(3, 0, id)); };
  const Places places = jittered({0, 0, 0}, {24, 24, 24}, 1);
  // unequal weights in a cube count as about half as many numbers
  EXPECT_NEAR(velocity_noise(this->store_of({places}, this->one, mass)) / sqrt3, 1,
              spread(0.5 * 3 * 1728 * 4));
}

// one layer of particles: there is no slope across it, and the fit has a function less
TYPED_TEST(VelocityNoise, a_sheet_has_noise_too) {
  Places sheet = jittered({0, 0, 0}, {40, 1, 40}, 2, 0.9);
  for (Double3& x : sheet) x[1] = 0.7 * cell;
  EXPECT_NEAR(this->noise_of({sheet}, this->one) / sqrt3, 1, spread(3 * 400 * 13));
  const auto turn = [&](const Double3& x, std::uint64_t) { return cross({30, -40, 20}, x); };
  EXPECT_LE(this->noise_of({sheet}, turn), either<TypeParam>(2e-7, 1e-15) * 54 * 40 * cell);
}

// sin(k x + 45 degrees) leaves 1 - (sin k / k)^2 - 3 (sin k / k^2 - cos k / k)^2 of its energy, k in half widths
TYPED_TEST(VelocityNoise, of_waves_the_part_that_is_not_linear_counts) {
  const Places places = jittered({0, 0, 0}, {16, 2, 2}, 12, 0);
  const auto part = [&](double wavelength) {
    const double k = 2 * M_PI / wavelength;  // [1/cells]
    const double rms = this->noise_of({places}, [&](const Double3& x, std::uint64_t) {
      return Double3{0, std::sin(k * x[0] / cell + M_PI / 4), 0};
    });
    const double mean = std::sin(k) / k, slope = std::sin(k) / (k * k) - std::cos(k) / k;
    EXPECT_NEAR(rms * std::sqrt(2), std::sqrt(1 - mean * mean - 3 * slope * slope), 3e-3) << wavelength;
    return rms * std::sqrt(2);
  };
  // the numbers of docs/theory/measures.md
  EXPECT_NEAR(part(2), 0.83, 0.01);
  EXPECT_NEAR(part(4), 0.32, 0.01);
  EXPECT_NEAR(part(8), 0.09, 0.01);
  EXPECT_NEAR(part(16), 0.023, 0.001);
}

TYPED_TEST(VelocityNoise, moving_by_whole_cubes_changes_nothing) {
  const Places places = jittered({0.3, 0.1, 0.8}, {7, 6, 5}, 2);
  const double here = this->noise_of({places}, this->one);
  EXPECT_GT(here, 1);
  for (const Double3& way : {Double3{2, 0, 0}, Double3{-6, 4, 2}, Double3{1 << 16, -2, 1 << 14}}) {
    Places moved = places;
    for (Double3& x : moved) x = plus(x, times(cell, way));
    EXPECT_NEAR(this->noise_of({moved}, this->one) / here, 1, either<TypeParam>(1e-6, 1e-10)) << way[0];
  }
  // by a half of one the cubes hold other particles
  Places moved = places;
  for (Double3& x : moved) x[0] += cell;
  EXPECT_GT(std::fabs(this->noise_of({moved}, this->one) / here - 1), 1e-4);
}

TYPED_TEST(VelocityNoise, periodic_axes_are_folded) {
  // a block across the border is the same as one in the middle
  const Places middle = jittered({5, 5, 5}, {6, 5, 7}, 2);
  const double expected = this->noise_of({middle}, this->one, {4, 3, 0});
  for (const Double3& way : {Double3{8, 0, 0}, Double3{-8, 6, 0}, Double3{24, -18, 4}}) {
    Places moved = middle;
    for (Double3& x : moved) x = plus(x, times(cell, way));
    for (const double offset : {0.5, 1.0})
      EXPECT_NEAR(this->noise_of({moved}, this->one, {4, 3, 0}, offset) / expected, 1, 1e-6) << way[0];
  }
  // the cubes at the ends of a full domain are two, not halves of one
  const auto turn = [](const Double3& x, std::uint64_t) { return Double3{0, 9 * x[0], 0}; };
  const double rounding = either<TypeParam>(1e-6, 1e-14);
  EXPECT_LE(this->noise_of({jittered({0, 0, 0}, {8, 8, 8}, 2)}, turn, {2, 2, 2}), rounding);
  EXPECT_LE(this->noise_of({jittered({0, 0, 0}, {4, 4, 4}, 2)}, turn, {1, 1, 1}), rounding);
}

// Particles that have left their block since it was sorted are in the same cubes as after sorting.
TYPED_TEST(VelocityNoise, does_not_depend_on_when_particles_are_sorted) {
  for (const BlockCoord& period : {BlockCoord{0, 0, 0}, BlockCoord{3, 3, 3}}) {
    auto store = this->store_of(
        {jittered({0, 0, 0}, {12, 12, 12}, 2)}, this->one, [](std::uint64_t) { return 1; }, period);
    auto& group = store.groups()[0];
    for (std::size_t i = 0; i < group.size(); ++i)
      for (int d = 0; d < 3; ++d)
        group.reals(d)[i] += TypeParam(1.8 * (random_uniform(4, std::uint64_t(d), group.ids()[i]) - 0.5));
    const double before = velocity_noise(store);
    ASSERT_FALSE(store.sort());
    EXPECT_NEAR(velocity_noise(store) / before, 1, either<TypeParam>(1e-6, 1e-12));
  }
}

TYPED_TEST(VelocityNoise, groups_share_cubes) {
  const Places all = jittered({0, 0, 0}, {8, 8, 8}, 2);
  std::vector<Places> halves(2);
  for (std::size_t k = 0; k < all.size(); ++k) halves[random_bits(6, 0, k) % 2].push_back(all[k]);
  const auto by_place = [](const Double3& x, std::uint64_t) {
    return Double3{std::sin(900 * x[0] * x[1]), 0, 0};
  };
  EXPECT_NEAR(this->noise_of(halves, by_place) / this->noise_of({all}, by_place), 1, 1e-6);
  // each in linear motion, but not the same: what the grid gives both is seen as noise
  const auto apart = [&](const Double3&, std::uint64_t id) {
    return Double3{id < halves[0].size() ? 1.0 : 0.0, 0, 0};
  };
  EXPECT_NEAR(this->noise_of(halves, apart), 0.5, 0.03);
}

TYPED_TEST(VelocityNoise, cubes_with_too_few_particles_are_left_out) {
  const auto some = [](std::size_t n) {
    Places places = jittered({0, 0, 0}, {2, 2, 2}, 1);
    places.resize(n, {0.9 * cell, 1.1 * cell, cell});
    return places;
  };
  EXPECT_EQ(this->noise_of({{}}, this->one), 0);
  EXPECT_EQ(velocity_noise(ParticleStore<TypeParam>()), 0);
  EXPECT_EQ(this->noise_of({some(1)}, this->one), 0);
  EXPECT_EQ(this->noise_of({some(7)}, this->one), 0);
  EXPECT_GT(this->noise_of({some(8)}, this->one), 0.1);
  EXPECT_GT(this->noise_of({some(9)}, this->one), 0.1);
  // one particle outweighs the others: the fit follows it, and there is hardly anything to see
  const auto outweighed = [](std::uint64_t id) { return id == 3 ? 1.0 : 1e-6; };
  EXPECT_EQ(velocity_noise(this->store_of({some(8)}, this->one, outweighed)), 0);
  // they are left out of the mass as well
  Places with_strays = jittered({0, 0, 0}, {8, 8, 8}, 2);
  const double without = this->noise_of({with_strays}, this->one);
  for (int k = 0; k < 50; ++k) with_strays.push_back({cell * (100 + 10 * k), 0, 0});
  EXPECT_NEAR(this->noise_of({with_strays}, this->one) / without, 1, 1e-12);
}

// all in one place, masses at the ends of the range of numbers, velocities whose squares overflow
TYPED_TEST(VelocityNoise, is_finite_whatever_the_particles) {
  const Places one_place(20, {cell, cell, cell});
  EXPECT_NEAR(this->noise_of({one_place}, this->one), sqrt3, 1);
  const Places places = jittered({0, 0, 0}, {4, 4, 4}, 2);
  const double least = std::numeric_limits<TypeParam>::min(), most = std::numeric_limits<TypeParam>::max();
  for (const double mass : {0.0, least, 1e-30, 1e30}) {
    const double noise =
        velocity_noise(this->store_of({places}, this->one, [&](std::uint64_t) { return mass; }));
    EXPECT_TRUE(mass == 0 ? noise == 0 : std::fabs(noise / sqrt3 - 1) < 0.2) << mass << ": " << noise;
  }
  for (const double speed : {least, 0.25 * most}) {
    const double noise =
        this->noise_of({places}, [&](const Double3&, std::uint64_t id) { return white(speed, id); });
    EXPECT_TRUE(std::isfinite(noise) && noise >= 0) << noise;
  }
}

TYPED_TEST(VelocityNoise, same_at_any_number_of_threads) {
  const auto mass = [](std::uint64_t id) { return 1 + random_uniform(3, 0, id); };
  Places dense = jittered({0, 0, 0}, {24, 20, 16}, 2), spray;
  for (std::uint64_t n = 0; n < 3000; ++n)
    spray.push_back({random_uniform(5, 0, n), random_uniform(5, 1, n), random_uniform(5, 2, n)});
  const auto store = this->store_of({dense, spray}, this->one, mass, {16, 0, 0});
  std::vector<double> found;
  for (const std::size_t threads : {1, 2, 5}) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
    found.push_back(velocity_noise(store));
  }
  EXPECT_EQ(found[1], found[0]);
  EXPECT_EQ(found[2], found[0]);
}

// the metrics have it, and a run that goes on has the same
TYPED_TEST(VelocityNoise, is_a_metric) {
  Scene scene;
  scene.settings.cell_size = 0.01, scene.settings.gravity = {};
  scene.settings.precision = precision_of<TypeParam>;
  scene.materials = {elastic("soft", 1000, 1e3, 0.3)};
  scene.bodies = {{.material = "soft", .shape = Box{{0, 0, 0}, {0.06, 0.04, 0.05}}, .velocity = {1, 0, 0}}};
  scene.bodies[0].angular_velocity = {3, -4, 12};
  TypedSimulation<TypeParam> run(scene);
  EXPECT_LE(run.metrics().velocity_noise, either<TypeParam>(1e-6, 1e-14));
  each_particle(run, [&](ParticleGroup<TypeParam>& group, std::size_t i, const Double3&) {
    for (int d = 0; d < 3; ++d)
      group.reals(ParticleGroup<TypeParam>::velocity + d)[i] +=
          TypeParam(white(0.1, group.ids()[i])[std::size_t(d)]);
  });
  EXPECT_NEAR(run.metrics().velocity_noise / (0.1 * sqrt3), 1, 0.1);
  for (int k = 0; k < 3; ++k) ASSERT_TRUE(run.step(0.5 * run.stable_dt()).ok());
  std::stringstream file;
  run.save(file);
  TypedSimulation<TypeParam> again(scene);
  again.restore(file);
  EXPECT_EQ(again.metrics().velocity_noise, run.metrics().velocity_noise);
  const Scene nothing;
  TypedSimulation<TypeParam> empty(nothing);
  EXPECT_EQ(empty.metrics().velocity_noise, 0);
}

}  // namespace
}  // namespace dollop
