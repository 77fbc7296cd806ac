// What leaves a nozzle does not depend on the time steps; nozzles that move, speeds that change, copies.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "boundary/motion.h"
#include "boundary/rigid.h"
#include "boundary/shape_distance.h"
#include "core/random.h"
#include "particles/emission.h"
#include "particles/emission_flow.h"
#include "particles/emission_room.h"

namespace dollop {
namespace {

constexpr double s = 0.025;  // the spacing: 8 particles in a cell of 0.05

BlockSpace make_space() {
  BlockSpace space;
  space.cell_size = 0.05;
  return space;
}

Emitter make_tap() {
  Emitter tap;
  tap.shape = Disc{{1, 2, 3}, {0, -2, 0}, 2.2 * s};
  tap.speed = 0.5;
  return tap;
}

struct Particle {
  Double3 x, v;
  bool operator<(const Particle& other) const { return x < other.x; }
};

// Steps of random lengths up to `longest`, from 0 to `end`; in between everything flies freely.
std::vector<Particle> fly(const EmitterPlan& plan, double end, double longest, std::uint64_t seed) {
  std::vector<Particle> all;
  EmitterState state;
  double t = 0;
  for (std::uint64_t n = 0; t < end; ++n) {
    const double next = std::min(end, t + longest * random_uniform(seed, 0, n));
    for (Particle& p : all)
      for (std::size_t d = 0; d < 3; ++d) p.x[d] += (next - t) * p.v[d];
    const Emission out = plan.emit(state, t, next);
    for (std::size_t i = 0; i < out.places.size(); ++i) all.push_back({out.places[i], out.velocities[i]});
    t = next;
  }
  return all;
}

// both sets have the same places to rounding, whatever the order
void expect_same(const std::vector<Particle>& a, const std::vector<Particle>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t n = 0; n < a.size(); ++n)  // the order is that of layers and columns
    for (std::size_t d = 0; d < 3; ++d) ASSERT_NEAR(a[n].x[d], b[n].x[d], tolerance) << n;
}

TEST(emission_steps, any_steps_give_the_same_particles) {
  for (const Seeding kind : {Seeding::lattice, Seeding::jittered, Seeding::poisson}) {
    Emitter tap = make_tap();
    tap.seeding = kind;
    tap.from = 0.123;
    tap.until = 1.456;
    tap.motion.velocity = {0.3, -0.1, 0.7};
    const EmitterPlan plan(tap, make_space(), 1, 0);
    const auto once = fly(plan, 2, 1e9, 1);
    EXPECT_NEAR(double(once.size()) * plan.volume(), plan.expected_volume(2), plan.area() * s);
    for (const double longest : {0.7, 0.06, 0.001}) expect_same(fly(plan, 2, longest, 2), once, 1e-12);
  }
}

TEST(emission_steps, copies_do_not_depend_on_steps) {
  Emitter drops;
  drops.shape = Sphere{{1, 2, 3}, 3 * s};
  drops.direction = {1, 0, 0};
  drops.speed = Animated(Animated::Kind::linear, {{0, 1}, {2, 3}});
  drops.every = 0.17;
  drops.from = 0.05;
  drops.until = 1.5;
  drops.motion.angular_velocity = {0.1, 2, 0.3};
  const EmitterPlan plan(drops, make_space(), 1, 0);
  const auto once = fly(plan, 2, 1e9, 1);
  EXPECT_EQ(once.size() % 9, 0u);  // 0.05 + 8 * 0.17 = 1.41
  EXPECT_NEAR(double(once.size()) * plan.volume(), plan.expected_volume(2), 1e-12);
  for (const double longest : {0.7, 0.06}) expect_same(fly(plan, 2, longest, 2), once, 1e-12);
}

TEST(emission_steps, a_run_goes_on_from_its_state) {
  Emitter tap = make_tap();
  tap.speed = Animated("0.5 + 0.3*sin(20*t)");
  const EmitterPlan plan(tap, make_space(), 1, 0);
  EmitterState state;
  plan.emit(state, 0, 0.37);
  EmitterState saved = state;
  const Emission a = plan.emit(state, 0.37, 0.9),
                 b = EmitterPlan(tap, make_space(), 1, 0).emit(saved, 0.37, 0.9);
  EXPECT_EQ(a.places, b.places);
  EXPECT_EQ(a.velocities, b.velocities);
  EXPECT_EQ(state.length, saved.length);
}

// --- a nozzle that moves -----------------------------------------------------------------------------------

// seen from the nozzle at the end of a step, new layers are one spacing apart and follow the old ones
TEST(emission_steps, layers_follow_a_nozzle_that_moves_and_turns) {
  Emitter tap = make_tap();
  tap.motion.pivot = {1, 2.1, 3};
  tap.motion.velocity = {0.2, 0, 0};
  tap.motion.angular_velocity = {0.5, 1, 3};
  tap.motion.position.y = Animated("0.1*sin(5*t)");
  const EmitterPlan plan(tap, make_space(), 1, 0);
  EmitterState state;
  double t = 0;
  for (int n = 0; n < 60; ++n) {
    const double next = t + 0.031 * (1 + n % 3);
    const std::int64_t before = state.layers;
    const Emission out = plan.emit(state, t, next);
    t = next;
    const Pose pose = pose_at(tap.motion, t);
    const auto columns = out.places.size() / std::size_t(std::max<std::int64_t>(1, state.layers - before));
    for (std::size_t i = 0; i < out.places.size(); ++i) {
      const auto rest =
          to_array(transpose(to_mat(pose.rotation)) * (to_vec(out.places[i]) - to_vec(pose.translation)));
      const double k = double(before) + double(i / columns);
      EXPECT_NEAR(2 - rest[1], 0.5 * t - (k + 0.5) * s, 1e-12);
      EXPECT_LT(std::hypot(rest[0] - 1, rest[2] - 3), 2.2 * s);
      // the velocity is the nozzle's there, and the flow's, which turns with it
      const auto v =
          to_vec(velocity_at(pose, out.places[i])) + to_mat(pose.rotation) * Vec3<double>{0, -0.5, 0};
      for (int d = 0; d < 3; ++d) EXPECT_NEAR(out.velocities[i][std::size_t(d)], v[d], 1e-14);
    }
  }
  EXPECT_EQ(state.layers, std::int64_t(std::floor(0.5 * t / s + 0.5)));
}

// the distance between a layer and the next, flown freely, differs from the spacing by the nozzle's acceleration times
// the square of the time between them, at most; and so does its shift sideways
TEST(emission_steps, no_gap_behind_an_accelerated_nozzle) {
  Emitter tap = make_tap();
  tap.motion.pivot = {1, 2.5, 3};
  tap.motion.angular_velocity = {0, 0, 1};
  const EmitterPlan plan(tap, make_space(), 1, 0);
  for (const double dt : {0.05, 0.013, 0.001}) {
    EmitterState state;
    std::vector<Double3> last, speed;
    double born = 0;
    for (int n = 0; double(n) * dt < 1; ++n) {
      const Emission out = plan.emit(state, n * dt, (n + 1) * dt);
      if (out.places.empty()) continue;
      const double now = (n + 1) * dt;
      for (std::size_t i = 0; i < last.size(); ++i) {
        Double3 gap;
        for (std::size_t d = 0; d < 3; ++d)
          gap[d] = last[i][d] + (now - born) * speed[i][d] - out.places[i][d];
        // acceleration: centripetal 1 x 0.6 m/s^2 and Coriolis 2 x 1 x 0.5 m/s^2
        EXPECT_NEAR(std::hypot(gap[0], gap[1], gap[2]), s, 1.6 * (now - born) * (now - born) + 1e-12);
      }
      ASSERT_LE(out.places.size(), plan.expected_count(s / 0.5) + 1e-6);  // one layer at a time
      last = out.places;
      speed = out.velocities;
      born = now;
    }
  }
}

// --- speeds that change ---------------------------------------------------------------------------------------

TEST(emission_speed, length_of_keys_is_exact) {
  const Animated linear(Animated::Kind::linear, {{1, 2}, {3, 6}, {4, 0}});
  EXPECT_DOUBLE_EQ(flow_length(linear, 0, 1), 2);
  EXPECT_DOUBLE_EQ(flow_length(linear, 1, 3), 8);
  EXPECT_DOUBLE_EQ(flow_length(linear, 0, 4), 2 + 8 + 3);
  EXPECT_DOUBLE_EQ(flow_length(linear, 2, 2.5), 4 * 0.5 + 0.25);
  EXPECT_DOUBLE_EQ(flow_length(linear, 4, 9), 0);
  const Animated smooth(Animated::Kind::smooth, {{0, 1}, {2, 3}});
  EXPECT_DOUBLE_EQ(flow_length(smooth, 0, 2), 4);
  EXPECT_DOUBLE_EQ(flow_length(smooth, 0, 1), 1 + 2 * 2 * (1.0 / 8 - 1.0 / 32));
  EXPECT_DOUBLE_EQ(flow_length(smooth, 2, 3), 3);
  EXPECT_EQ(flow_length(2, 3, 1), 0);
  // the same by Gauss's rule
  double sum = 0;
  for (int n = 0; n < 4000; ++n) sum += value_at(smooth, (n + 0.5) / 1000 - 1) / 1000;
  EXPECT_NEAR(flow_length(smooth, -1, 3), sum, 1e-6);
}

TEST(emission_speed, length_of_expressions_is_close) {
  const double w = 2 * std::numbers::pi * 30;
  const Animated wave("1 + sin(2*pi*30*t)");
  EXPECT_NEAR(flow_length(wave, 0, 0.777), 0.777 + (1 - std::cos(w * 0.777)) / w, 1e-9);
  double sum = 0;
  for (int n = 0; n < 777; ++n) sum += flow_length(wave, 0.001 * n, 0.001 * (n + 1));
  EXPECT_NEAR(sum, flow_length(wave, 0, 0.777), 1e-9);
  EXPECT_EQ(flow_length(Animated("-1 - t"), 0, 2), 0);  // nothing is sucked in
}

TEST(emission_speed, layers_are_one_spacing_apart_at_any_speed) {
  for (const Animated& speed : {Animated(Animated::Kind::linear, {{0, 0}, {1, 1}}), Animated("t")}) {
    Emitter tap = make_tap();
    tap.speed = speed;
    const EmitterPlan plan(tap, make_space(), 1, 0);
    EmitterState state;
    std::int64_t layers = 0;
    for (int n = 0; n < 100; ++n) {
      const double t = 0.01 * (n + 1);
      const Emission out = plan.emit(state, 0.01 * n, t);
      EXPECT_NEAR(state.length, 0.5 * t * t, 1e-12);
      for (std::size_t i = 0; i < out.places.size(); ++i) {
        const double k = std::round((state.length - (2 - out.places[i][1])) / s - 0.5);
        EXPECT_GE(k, double(layers));
        EXPECT_NEAR(2 - out.places[i][1], state.length - (k + 0.5) * s, 1e-12);
        EXPECT_NEAR(out.velocities[i][1], -t, 1e-12);
      }
      layers = state.layers;
    }
    EXPECT_EQ(layers, 20);  // 0.5 m
    EXPECT_NEAR(plan.expected_volume(1), plan.area() * 0.5, 1e-12);
  }
}

// --- copies ----------------------------------------------------------------------------------------------

TEST(emission_copies, are_the_shape_at_its_times) {
  Emitter drops;
  drops.shape = Box{{0, 0, 0}, {4 * s, 4 * s, 4 * s}};
  drops.direction = {0, -1, 0};
  drops.speed = 2;
  drops.every = 0.1;
  drops.until = 0.5;
  const EmitterPlan plan(drops, make_space(), 1, 0);
  EmitterState state;
  const Emission first = plan.emit(state, 0, 0.001);
  ASSERT_EQ(first.places.size(), 64u);
  EXPECT_EQ(state.copies, 1);
  EXPECT_NEAR(first.volume, s * s * s, 1e-18);
  const Seeds seeds = seed(drops.shape, make_space(), 8, Seeding::lattice, 1, 0);
  for (std::size_t n = 0; n < 64; ++n) {
    EXPECT_NEAR(first.places[n][0], seeds.places[n][0], 1e-15);
    EXPECT_NEAR(first.places[n][1], seeds.places[n][1] - 0.002, 1e-15);
    EXPECT_EQ(first.velocities[n], (Double3{0, -2, 0}));
  }
  EXPECT_TRUE(plan.emit(state, 0.001, 0.0999).places.empty());
  EXPECT_EQ(plan.emit(state, 0.0999, 0.1).places.size(), 64u);  // on time: in the step that ends there
  EXPECT_TRUE(plan.emit(state, 0.1, 0.15).places.empty());
  EXPECT_EQ(plan.emit(state, 0.15, 7).places.size(), 3u * 64);  // 0.2, 0.3, 0.4; not 0.5
  EXPECT_NEAR(plan.expected_volume(0.05), 64 * s * s * s, 1e-15);
  EXPECT_NEAR(plan.expected_volume(7), 5 * 64 * s * s * s, 1e-15);
  EXPECT_NEAR(expected_volume(drops, 7), 5 * 64 * s * s * s, 1e-15);
  EXPECT_EQ(expected_volume(drops, -1), 0);
}

TEST(emission_copies, turn_with_the_nozzle_and_need_no_direction_at_rest) {
  Emitter drops;
  drops.shape = Box{{0, 0, 0}, {8 * s, 2 * s, 2 * s}};
  drops.speed = 0;
  drops.every = 1;
  drops.motion.angular_velocity = {0, 0, std::numbers::pi / 2};  // a quarter turn a second
  const EmitterPlan plan(drops, make_space(), 1, 0);
  EmitterState state;
  plan.emit(state, 0, 0.5);
  const Emission out = plan.emit(state, 0.5, 1);
  ASSERT_EQ(out.places.size(), 32u);
  for (const Double3& x : out.places) {
    EXPECT_LT(std::fabs(x[0]), s);
    EXPECT_LT(std::fabs(x[1]), 4 * s);
  }
  for (std::size_t n = 0; n < 32; ++n) {
    EXPECT_NEAR(out.velocities[n][0], -std::numbers::pi / 2 * out.places[n][1], 1e-12);
    EXPECT_NEAR(out.velocities[n][1], std::numbers::pi / 2 * out.places[n][0], 1e-12);
  }
}

// copies 0.1 m long that leave at 0.5 m/s every 0.1 s would lie on each other
Emitter make_queue() {
  Emitter drops;
  drops.shape = Box{{0, 0, 0}, {4 * s, 4 * s, 4 * s}};
  drops.direction = {0, -1, 0};
  drops.speed = 0.5;
  drops.every = 0.1;
  drops.until = 0.45;  // five of them
  return drops;
}

// the times at which copies leave in steps of 10 ms, while all that have left fly freely
std::vector<double> leave_times(const EmitterPlan& plan, double end) {
  std::vector<Particle> all;
  std::vector<double> times;
  EmitterState state;
  for (int n = 0; 0.01 * n < end; ++n) {
    for (Particle& p : all)
      for (std::size_t d = 0; d < 3; ++d) p.x[d] += 0.01 * p.v[d];
    const Emission out = plan.emit(state, 0.01 * n, 0.01 * (n + 1), [&](const std::vector<Double3>& places) {
      for (const Double3& x : places)
        for (const Particle& p : all)
          if (std::hypot(x[0] - p.x[0], x[1] - p.x[1], x[2] - p.x[2]) < plan.clearance()) return false;
      return true;
    });
    for (std::size_t i = 0; i < out.places.size(); ++i) all.push_back({out.places[i], out.velocities[i]});
    for (std::size_t i = 0; i < out.places.size(); i += 64) times.push_back(0.01 * (n + 1));
  }
  return times;
}

TEST(emission_copies, wait_for_room) {
  const EmitterPlan plan(make_queue(), make_space(), 1, 0);
  EXPECT_DOUBLE_EQ(plan.clearance(), 0.1);  // two cells
  // faces of particles are 3 s = 0.075 m apart; there is room when the last has moved by 0.175 m, in 0.35 s
  const std::vector<double> times = leave_times(plan, 2);
  ASSERT_EQ(times.size(), 5u);  // all of them, the last three after `until`
  EXPECT_NEAR(times[0], 0.01, 1e-12);
  EXPECT_NEAR(times[1], 0.36, 0.0101);  // the first was born at 0
  for (std::size_t n = 2; n < 5; ++n) EXPECT_NEAR(times[n] - times[n - 1], 0.36, 0.0101);
}

TEST(emission_copies, come_on_time_where_there_is_room) {
  Emitter quick = make_queue();
  quick.speed = 2;  // 0.2 m apart, 0.125 m from particle to particle
  const std::vector<double> times = leave_times(EmitterPlan(quick, make_space(), 1, 0), 2);
  ASSERT_EQ(times.size(), 5u);
  for (std::size_t n = 1; n < 5; ++n) EXPECT_NEAR(times[n], 0.1 * double(n), 0.0101);
}

TEST(emission_copies, need_not_wait) {
  Emitter eager = make_queue();
  eager.wait = false;
  const EmitterPlan plan(eager, make_space(), 1, 0);
  EmitterState state;
  const Emission out = plan.emit(state, 0, 0.45, [](const std::vector<Double3>&) { return false; });
  EXPECT_EQ(out.places.size(), 5u * 64u);
}

// copies that are due in the same step are in each other's way too
TEST(emission_copies, wait_for_each_other) {
  const EmitterPlan plan(make_queue(), make_space(), 1, 0);
  EmitterState state;
  const auto empty = [](const std::vector<Double3>&) { return true; };
  EXPECT_EQ(plan.emit(state, 0, 0.45, empty).places.size(), 64u);
  EXPECT_EQ(state.copies, 1);
  const Emission late = plan.emit(state, 0.45, 0.5, empty);
  ASSERT_EQ(late.places.size(), 64u);
  const Seeds seeds = seed(make_queue().shape, make_space(), 8, Seeding::lattice, 1, 0);
  for (std::size_t n = 0; n < 64; ++n)
    EXPECT_EQ(late.places[n], seeds.places[n]);  // born at the end of the step
}

TEST(point_cells, know_what_is_near) {
  std::vector<Double3> points;
  for (std::uint64_t n = 0; n < 200; ++n)
    points.push_back(
        {random_uniform(7, 0, n) - 0.5, random_uniform(7, 1, n) - 0.5, random_uniform(7, 2, n) - 0.5});
  const PointCells cells(points, 0.1);
  int near = 0;
  for (std::uint64_t n = 0; n < 2000; ++n) {
    const Double3 x{2 * random_uniform(8, 0, n) - 1, random_uniform(8, 1, n) - 0.5,
                    random_uniform(8, 2, n) - 0.5};
    const auto is_near = [&](double shift) {
      return std::ranges::any_of(points, [&](const Double3& p) {
        return std::hypot(p[0] - x[0] - shift, p[1] - x[1], p[2] - x[2]) < 0.1;
      });
    };
    ASSERT_EQ(cells.has_near(x), is_near(0)) << n;
    near += is_near(0);
    // a period shorter than the set: some places have two images in it
    bool any = false;
    for (int k = -5; k <= 5; ++k) any = any || is_near(0.45 * k);
    ASSERT_EQ(cells.has_near_image(x, {0.45, 0, 0}), any) << n;
  }
  EXPECT_GT(near, 200);
  EXPECT_LT(near, 1500);
  EXPECT_FALSE(cells.has_near({std::nan(""), 0, 0}));
  EXPECT_FALSE(PointCells({}, 0.1).has_near_image({0, 0, 0}, {1, 1, 1}));
}

}  // namespace
}  // namespace dollop
