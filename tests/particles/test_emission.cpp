// Steady flow out of a nozzle: counts, volumes, places and times by hand.
#include "particles/emission.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "particles/seeding_poisson.h"

namespace dollop {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double s = 0.025;  // the spacing: 8 particles in a cell of 0.05

BlockSpace make_space() {
  BlockSpace space;
  space.cell_size = 0.05;
  return space;
}

// a disc of four spacings, downwards: 52 middles of squares lie in it, 13 in a quarter (4 + 4 + 3 + 2)
Emitter make_tap() {
  Emitter tap;
  tap.shape = Disc{{1, 2, 3}, {0, -2, 0}, 4 * s};
  tap.speed = 0.5;
  return tap;
}

Emission run(const Emitter& emitter, double end, std::uint64_t seed = 1) {
  EmitterState state;
  return EmitterPlan(emitter, make_space(), seed, 0).emit(state, 0, end);
}

// how many particles at each height, heights rounded to 1e-9
std::map<long, int> layers_of(const Emission& out, std::size_t axis = 1) {
  std::map<long, int> layers;
  for (const Double3& x : out.places) ++layers[std::lround(x[axis] * 1e9)];
  return layers;
}

TEST(emission, counts_and_volumes_of_a_disc) {
  const EmitterPlan plan(make_tap(), make_space(), 1, 0);
  EXPECT_EQ(plan.direction(), (Double3{0, -1, 0}));
  EXPECT_DOUBLE_EQ(plan.area(), pi * 16 * s * s);
  EmitterState state;
  const Emission out = plan.emit(state, 0, 5);  // 2.5 m are 100 layers
  EXPECT_EQ(state.layers, 100);
  EXPECT_DOUBLE_EQ(state.length, 2.5);
  ASSERT_EQ(out.places.size(), 5200u);
  ASSERT_EQ(out.velocities.size(), 5200u);
  EXPECT_NEAR(out.volume * 5200, pi * 16 * s * s * 2.5, 1e-13);
  EXPECT_NEAR(plan.expected_volume(5), pi * 16 * s * s * 2.5, 1e-13);
  EXPECT_NEAR(plan.expected_count(5), 5200, 1e-9);
  EXPECT_NEAR(expected_volume(make_tap(), 5), pi * 16 * s * s * 2.5, 1e-13);
  for (const Double3& v : out.velocities) EXPECT_EQ(v, (Double3{0, -0.5, 0}));
  for (const Double3& x : out.places) EXPECT_LT(std::hypot(x[0] - 1, x[2] - 3), 4 * s);
}

TEST(emission, layers_are_one_spacing_apart) {
  const auto layers = layers_of(run(make_tap(), 1));  // 0.5 m are 20 layers
  ASSERT_EQ(layers.size(), 20u);
  std::size_t k = 20;
  for (const auto& [height, count] : layers) {  // the first layer is the lowest
    --k;
    EXPECT_EQ(count, 52);
    EXPECT_NEAR(1e-9 * double(height), 2 - s * (double(k) + 0.5), 2e-9) << k;
  }
}

TEST(emission, a_layer_is_born_when_its_middle_passes) {
  const EmitterPlan plan(make_tap(), make_space(), 1, 0);
  EmitterState state;
  EXPECT_TRUE(plan.emit(state, 0, 0.0249).places.empty());  // s / 2 passes at 0.025 s
  const Emission first = plan.emit(state, 0.0249, 0.026);
  ASSERT_EQ(first.places.size(), 52u);
  EXPECT_NEAR(first.places[0][1], 2 - (0.013 - s / 2), 1e-15);
  EXPECT_TRUE(plan.emit(state, 0.026, 0.0749).places.empty());
  EXPECT_EQ(plan.emit(state, 0.0749, 0.0751).places.size(), 52u);
  EXPECT_EQ(state.layers, 2);
}

TEST(emission, the_window_is_kept_to) {
  Emitter tap = make_tap();
  tap.from = 0.31;
  tap.until = 0.31 + 10 * s / 0.5;  // ten layers
  const EmitterPlan plan(tap, make_space(), 1, 0);
  EmitterState state;
  EXPECT_TRUE(plan.emit(state, 0, 0.3).places.empty());
  EXPECT_TRUE(plan.emit(state, 0.3, 0.31).places.empty());
  const Emission all = plan.emit(state, 0.31, 2);
  EXPECT_EQ(all.places.size(), 520u);
  EXPECT_TRUE(plan.emit(state, 2, 9).places.empty());
  EXPECT_EQ(state.layers, 10);
  // what left flies on after the window
  double lowest = 9;
  for (const Double3& x : all.places) lowest = std::min(lowest, x[1]);
  EXPECT_NEAR(lowest, 2 - (0.5 * (2 - 0.31) - s / 2), 1e-14);
  EXPECT_NEAR(plan.expected_volume(9), pi * 16 * s * s * 10 * s, 1e-15);
}

TEST(emission, a_box_fills_its_cross_section) {
  Emitter slot;
  slot.shape = Box{{0.3, 0.1, -0.2}, {5 * s, 0.4, 8 * s}};
  slot.direction = {0, 3, 0};
  const Emission out = run(slot, 10 * s);  // 1 m/s
  EXPECT_EQ(out.places.size(), 5u * 8 * 10);
  EXPECT_NEAR(out.volume, s * s * s, 1e-18);
  std::set<std::array<long, 3>> seen;
  for (const Double3& x : out.places) {
    const double a = (x[0] - 0.3) / s + 2.5 - 0.5, b = (x[2] + 0.2) / s + 4 - 0.5, c = (x[1] - 0.3) / s - 0.5;
    EXPECT_NEAR(a, std::round(a), 1e-9);
    EXPECT_NEAR(b, std::round(b), 1e-9);
    EXPECT_NEAR(c, std::round(c), 1e-9);
    EXPECT_TRUE(seen.insert({std::lround(a), std::lround(b), std::lround(c)}).second);
  }
}

// turned boxes have columns along their edges, so nothing changes but the frame
TEST(emission, a_turned_box_fills_its_cross_section_too) {
  const Rotation r = rotation_of_angles({0.4, 0.9, -0.2});
  Emitter slot;
  slot.shape = place(Box{{0.3, 0.1, -0.2}, {5 * s, 0.4, 8 * s}}, r, {1, 2, 3}, 2);
  slot.direction = {r[0][1], r[1][1], r[2][1]};
  const Emission out = run(slot, 10 * s);
  EXPECT_EQ(out.places.size(), 10u * 16 * 10);
  EXPECT_NEAR(out.volume, s * s * s, 1e-16);
}

TEST(emission, a_curved_front_gives_curved_layers) {
  const double radius = 6.3 * s;
  Emitter bulb;
  bulb.shape = Sphere{{0, 0, 0}, radius};
  bulb.direction = {1, 0, 0};
  const Emission out = run(bulb, 1.5 * s);
  std::size_t columns = 0;  // of a lattice of 13: a middle at the middle of the sphere
  for (int i = -6; i <= 6; ++i)
    for (int j = -6; j <= 6; ++j) columns += std::hypot(i, j) < 6.3;
  ASSERT_EQ(out.places.size(), 2 * columns);
  EXPECT_NEAR(out.volume * double(columns), pi * radius * radius * s, 1e-15);
  for (std::size_t n = 0; n < out.places.size(); ++n) {
    const Double3& x = out.places[n];
    const double front = std::sqrt(radius * radius - x[1] * x[1] - x[2] * x[2]);
    EXPECT_NEAR(x[0] - front, n < columns ? s : 0, 1e-12);
  }
}

TEST(emission, hollow_nozzles_leave_their_holes_free) {
  Emitter ring = make_tap();
  ring.direction = {0, -1, 0};
  const Disc outer{{1, 2, 3}, {0, -1, 0}, 4 * s}, inner{{1, 2, 3}, {0, -1, 0}, 2 * s};
  // 12 middles of squares lie within two spacings
  ring.shape = Minus{{outer, inner}};
  EXPECT_EQ(run(ring, 0.05).places.size(), 40u);
  ring.shape = Minus{{outer, Sphere{{1, 2, 3}, 2 * s}}};
  EXPECT_EQ(run(ring, 0.05).places.size(), 40u);
  ring.shape = Intersect{{Sphere{{1, 2, 3}, 2 * s}, outer}};
  EXPECT_EQ(run(ring, 0.05).places.size(), 12u);
  ring.shape = Minus{{Cylinder{{1, 2, 3}, {0, 1, 0}, 4 * s, 0.2}, Cylinder{{1, 2, 3}, {0, 1, 0}, 2 * s, 1}}};
  EXPECT_EQ(run(ring, 0.05).places.size(), 40u);
  EXPECT_NEAR(run(ring, 0.05).volume, s * s * s, 1e-18);  // no closed form: the squares that are open
  EXPECT_NEAR(expected_volume(ring, 2), pi * 12 * s * s, 0.03 * pi * 12 * s * s);
}

TEST(emission, several_holes_flow_together) {
  Emitter shower = make_tap();
  shower.direction = {0, -1, 0};
  shower.shape = Union{{Disc{{0, 2, 0}, {0, 1, 0}, 2 * s}, Disc{{20 * s, 2.5, 0}, {0, 1, 0}, 2 * s}}};
  const Emission out = run(shower, 0.05);
  ASSERT_EQ(out.places.size(), 24u);
  int upper = 0;
  for (const Double3& x : out.places) upper += std::fabs(x[1] - (2.5 - s / 2)) < 1e-12;
  EXPECT_EQ(upper, 12);
}

TEST(emission, an_oblique_disc_flows_through_its_shadow) {
  Emitter tap = make_tap();
  tap.direction = {0, -1, -1};
  const EmitterPlan plan(tap, make_space(), 1, 0);
  EXPECT_NEAR(plan.area(), pi * 16 * s * s / std::sqrt(2.0), 1e-15);
  EmitterState state;
  const Emission out = plan.emit(state, 0, s);  // the middle of the first layer is just passing
  EXPECT_NEAR(double(out.places.size()), plan.area() / (s * s), 6);
  for (const Double3& x : out.places) EXPECT_NEAR(x[1], 2, 1e-10);
}

TEST(emission, a_nozzle_thinner_than_the_spacing_has_one_column) {
  for (const double radius : {0.01 * s, 0.45 * s, 0.6 * s}) {
    Emitter tap = make_tap();
    tap.shape = Disc{{1, 2, 3}, {0, -1, 0}, radius};
    const Emission out = run(tap, 1);
    ASSERT_EQ(out.places.size(), 20u);
    EXPECT_NEAR(out.volume * 20, pi * radius * radius * 0.5, 1e-15);
    EXPECT_NEAR(out.places[0][0], 1, 1e-15);
  }
}

TEST(emission, jitter_stays_in_the_cube_and_in_the_flow) {
  Emitter tap = make_tap();
  const Emission lattice = run(tap, 1);
  tap.seeding = Seeding::jittered;
  const Emission out = run(tap, 1), other = run(tap, 1, 2);
  ASSERT_EQ(out.places.size(), lattice.places.size());
  EXPECT_EQ(out.places, run(tap, 1).places);
  EXPECT_NE(out.places, other.places);
  EXPECT_EQ(out.volume, lattice.volume);
  std::size_t moved = 0;
  for (std::size_t n = 0; n < out.places.size(); ++n) {
    for (std::size_t d = 0; d < 3; ++d)
      EXPECT_LE(std::fabs(out.places[n][d] - lattice.places[n][d]), 0.5 * s * (1 + 1e-9));
    EXPECT_LT(std::hypot(out.places[n][0] - 1, out.places[n][2] - 3), 4 * s * (1 + 1e-12));
    moved += out.places[n][0] != lattice.places[n][0];
  }
  EXPECT_GT(moved, 800u);
  for (std::size_t n = 52; n < 104; ++n) EXPECT_NE(out.places[n][0], out.places[n - 52][0]);  // layers differ
}

TEST(emission, poisson_flow_keeps_its_distance_and_its_mass) {
  Emitter tap = make_tap();
  tap.seeding = Seeding::poisson;
  const EmitterPlan plan(tap, make_space(), 3, 0);
  EmitterState state;
  const Emission out = plan.emit(state, 0, 32 * s / 0.5);  // two tiles: the volume is exact
  EXPECT_NEAR(out.volume * double(out.places.size()), pi * 16 * s * s * 32 * s, 1e-15);
  EXPECT_NEAR(out.volume, s * s * s, 0.1 * s * s * s);
  double least = 1;
  for (std::size_t n = 0; n < out.places.size(); ++n)
    for (std::size_t m = 0; m < n; ++m) {
      const Double3 &x = out.places[n], &y = out.places[m];
      least = std::min(least, std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]));
    }
  EXPECT_GE(least, poisson_distance * s * (1 - 1e-9));
  EXPECT_LE(least, poisson_distance * s * 1.05);
  for (const Double3& x : out.places) EXPECT_LT(std::hypot(x[0] - 1, x[2] - 3), 4 * s);
}

TEST(emission, what_is_wrong_is_said) {
  const auto says = [](const Emitter& e, const std::string& words) {
    EXPECT_NE(validate(e).find(words), std::string::npos) << validate(e);
    try {
      EmitterPlan(e, make_space(), 1, 4);
      ADD_FAILURE() << "accepted: " << words;
    } catch (const SceneError& error) {
      EXPECT_EQ(error.what(), validate(e));
      EXPECT_EQ(error.where.rfind("emitters[4].", 0), 0u) << error.where;
    }
  };
  EXPECT_EQ(validate(make_tap()), "");
  Emitter e = make_tap();
  e.shape = Sphere{};
  says(e, "needs a direction");
  e = make_tap(), e.speed = -1;
  says(e, "must not be negative");
  e = make_tap(), e.speed = Animated(Animated::Kind::linear, {{0, 1}, {1, -1}});
  says(e, "must not be negative");
  e = make_tap(), e.speed = Animated("2*");
  says(e, "speed: ");
  e = make_tap(), e.speed = 0;
  says(e, "nothing flows");
  e = make_tap(), e.from = 2, e.until = 1;
  says(e, "later than 'from'");
  e = make_tap(), e.from = -1;
  says(e, "zero or more");
  e = make_tap(), e.every = -1;
  says(e, "'every'");
  e = make_tap(), e.every = 1;
  says(e, "without thickness");
  e = make_tap(), e.particles_per_cell = 0;
  says(e, "particles_per_cell");
  e = make_tap(), e.shape = Plane{}, e.direction = {0, 1, 0};
  says(e, "bounded");
  e = make_tap(), e.shape = MeshSequence{};
  says(e, "changes its form");
  e = make_tap(), e.direction = {0, std::nan(""), 0};
  says(e, "three numbers");
  e = make_tap(), e.motion.position.x = Animated("wat");
  says(e, "motion: ");
}

TEST(emission, absurd_nozzles_are_refused) {
  Emitter e = make_tap();
  e.shape = Disc{{0, 0, 0}, {0, 1, 0}, 1e6};
  EXPECT_THROW(EmitterPlan(e, make_space(), 1, 0), SceneError);
  e.shape = Box{{0, 0, 0}, {1e6, 1e6, 1e6}};
  e.every = 1;
  e.direction = {0, 1, 0};
  EXPECT_THROW(EmitterPlan(e, make_space(), 1, 0), SceneError);
  e.shape = Box{{0, 0, 0}, {1e-6, 1, 1}};  // between two layers of the lattice
  EXPECT_THROW(EmitterPlan(e, make_space(), 1, 0), SceneError);
}

}  // namespace
}  // namespace dollop
