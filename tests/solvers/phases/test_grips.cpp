// Colliders that appear and vanish: grips that let go, walls that come later.                         (BC.26)
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>

#include "solvers/bodies.h"

namespace dollop {
namespace {

using namespace tests;

constexpr double release = 0.06, gravity = 9.81;

// a block of rubber that hangs from a grip around its upper part
Scene hanging_block(const std::string& solver) {
  Scene scene;
  Settings& s = scene.settings;
  s.cell_size = 0.02, s.kernel = Kernel::quadratic, s.solver = solver;
  if (solver != "explicit") s.max_dt = 2e-3;
  scene.materials = {elastic("rubber", 1000, 1e5, 0.3)};
  scene.bodies = {{.material = "rubber", .shape = Box{.center = {0, 0.5, 0}, .size = {0.08, 0.16, 0.08}}}};
  scene.colliders = {{.name = "grip",
                      .shape = Box{.center = {0, 0.56, 0}, .size = {0.2, 0.08, 0.2}},
                      .contact = ContactKind::sticky,
                      .until = release}};
  return scene;
}

// the same block inside a grip that holds every node it uses
Scene held_block(const std::string& solver) {
  Scene scene = hanging_block(solver);
  scene.colliders[0].shape = Box{.center = {0, 0.5, 0}, .size = {0.2, 0.3, 0.2}};
  return scene;
}

Metrics after(Simulation& run, double time) {
  run.new_interval();
  const AdvanceReport report = run.advance_to(time);
  EXPECT_TRUE(report.ok()) << describe(report.last);
  return run.metrics();
}

double force_on_grip(const Metrics& m) { return m.contact_forces.at(0).force[1]; }

class Grips : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Solvers, Grips,
                         testing::Values("explicit", "newton", "semi-implicit", "optimisation", "subcycled"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// symplectic Euler falls by g t^2 / 2 and another g t dt / 2
TEST_P(Grips, hold_a_block_and_let_it_fall) {
  Simulation run(held_block(GetParam()));
  const Metrics held = after(run, release);
  EXPECT_NEAR(held.center_of_mass[1], 0.5, 1e-6);
  EXPECT_NEAR(held.momentum[1], 0, 1e-6 * held.mass);
  EXPECT_NEAR(force_on_grip(held), -gravity * held.mass, 1e-3 * gravity * held.mass);
  const double time = 0.1;
  const Metrics fallen = after(run, release + time);
  EXPECT_NEAR(fallen.momentum[1] / fallen.mass, -gravity * time, 1e-4 * gravity * time);
  EXPECT_NEAR(0.5 - fallen.center_of_mass[1], 0.5 * gravity * time * time,
              0.5 * gravity * time * fallen.dt_max + 1e-5);
  EXPECT_EQ(force_on_grip(fallen), 0);
}

// whatever the block does inside, its centre of mass falls
TEST_P(Grips, let_go_of_a_block_that_hangs) {
  Simulation run(hanging_block(GetParam()));
  const Metrics held = after(run, release);
  EXPECT_GT(held.center_of_mass[1], 0.49);  // in free fall it would be at 0.482
  EXPECT_LT(force_on_grip(held), -0.3 * gravity * held.mass);
  const double time = 0.1, speed = held.momentum[1] / held.mass;
  const Metrics fallen = after(run, release + time);
  EXPECT_NEAR(fallen.momentum[1] / fallen.mass, speed - gravity * time, 1e-4 * gravity * time);
  EXPECT_NEAR(fallen.center_of_mass[1] - held.center_of_mass[1], speed * time - 0.5 * gravity * time * time,
              0.5 * gravity * time * fallen.dt_max + 1e-5);
  EXPECT_EQ(force_on_grip(fallen), 0);
}

// a grip that swings up, and a paddle that comes in, hits the block and goes
Scene busy_scene(const std::string& solver) {
  Scene scene = hanging_block(solver);
  scene.colliders[0].motion = {.pivot = {0, 0.6, 0}, .rotation = Animated3(0, 0, Animated("0.4*sin(20*t)"))};
  scene.colliders.push_back({.name = "paddle",
                             .shape = Box{.center = {0.2, 0.46, 0}, .size = {0.1, 0.2, 0.2}},
                             .friction = 0.4,
                             .motion = {.velocity = {-2, 0, 0}},
                             .from = 0.02,
                             .until = 0.09});
  scene.colliders.push_back({.name = "shelf", .shape = Plane{.point = {0, 0.38, 0}}, .from = 0.075});
  return scene;
}

TEST_P(Grips, give_the_same_bits_on_any_threads_and_through_a_checkpoint) {
  Scene scene = busy_scene(GetParam());
  scene.settings.threads = 1;
  Simulation whole(scene);
  ASSERT_TRUE(whole.advance_to(0.05).ok());
  ASSERT_TRUE(whole.advance_to(0.1).ok());
  for (const double stop : {0.01, 0.03, 0.07, 0.095}) {  // before and after all that happens
    scene.settings.threads = 1;
    Simulation first(scene);
    const double frame = stop < 0.05 ? 0.05 : 0.1;
    if (stop > 0.05) {
      ASSERT_TRUE(first.advance_to(0.05).ok());
    }
    const auto until_stop = [&](const StepReport&) { return first.time() < stop; };
    ASSERT_TRUE(first.advance_to(frame, until_stop).stopped);
    std::stringstream file;
    first.save(file);
    scene.settings.threads = 2;
    Simulation second(scene);
    second.restore(file);
    ASSERT_TRUE(second.advance_to(0.05).ok());
    ASSERT_TRUE(second.advance_to(0.1).ok());
    EXPECT_EQ(second.state_hash(), whole.state_hash()) << "stopped at " << stop << " s";
    EXPECT_EQ(second.steps(), whole.steps());
  }
}

// however fast it moves, and wherever it is
TEST_P(Grips, of_the_past_and_the_future_change_nothing) {
  Scene scene = hanging_block(GetParam());
  Simulation plain(scene);
  ASSERT_TRUE(plain.advance_to(0.04).ok());
  for (const ContactKind contact : {ContactKind::sticky, ContactKind::slip, ContactKind::separate})
    scene.colliders.push_back({.name = "later" + std::to_string(int(contact)),
                               .shape = Sphere{.center = {0, 0.44, 0}, .radius = 0.05},
                               .contact = contact,
                               .motion = {.velocity = {900, 0, 0}, .angular_velocity = {0, 900, 0}},
                               .from = 0.041});
  scene.colliders.push_back({.name = "lid", .shape = Plane{.point = {0, 0.45, 0}}, .from = 5, .until = 6});
  Simulation run(scene);
  ASSERT_TRUE(run.advance_to(0.04).ok());
  EXPECT_EQ(run.state_hash(), plain.state_hash());
  EXPECT_EQ(run.steps(), plain.steps());
  for (std::size_t c = 1; c < 5; ++c)
    for (std::size_t d = 0; d < 3; ++d) EXPECT_EQ(run.metrics().contact_forces.at(c).force[d], 0) << c;
}

TEST_P(Grips, shorten_steps_only_while_they_are_there) {
  const Scene scene = hanging_block(GetParam());
  Scene fast = scene;
  fast.colliders.push_back({.name = "bullet",
                            .shape = Sphere{.center = {50, 0, 0}, .radius = 0.1},
                            .motion = {.velocity = {5000, 0, 0}},
                            .until = 2e-6});
  Simulation without(scene), with(fast);
  EXPECT_LT(with.stable_dt(), 0.1 * without.stable_dt());
  ASSERT_TRUE(without.step(2e-6).ok());
  ASSERT_TRUE(with.step(2e-6).ok());
  EXPECT_EQ(with.stable_dt(), without.stable_dt());
}

TEST_P(Grips, catch_a_block_that_falls) {
  Scene scene = held_block(GetParam());
  scene.colliders[0].shape = Box{.center = {0, 0.5, 0}, .size = {0.3, 0.5, 0.3}};
  scene.colliders[0].from = 0.05, scene.colliders[0].until = std::numeric_limits<double>::infinity();
  Simulation run(scene);
  const Metrics falling = after(run, 0.05);
  EXPECT_NEAR(falling.momentum[1] / falling.mass, -gravity * 0.05, 1e-4 * gravity * 0.05);
  EXPECT_EQ(force_on_grip(falling), 0);
  const Metrics caught = after(run, 0.06);
  EXPECT_NEAR(caught.max_speed, 0, 1e-6);
  EXPECT_NEAR(caught.center_of_mass[1], falling.center_of_mass[1], 1e-6);
}

// as if it had been there at the start: what is inside is not pushed out
TEST(GripsThatAppearInside, leave_particles_where_they_are) {
  for (const ContactKind contact : {ContactKind::sticky, ContactKind::slip, ContactKind::separate}) {
    Scene scene = hanging_block("explicit");
    scene.settings.gravity = {0, 0, 0};
    scene.colliders = {{.name = "ball",
                        .shape = Sphere{.center = {0.03, 0.5, 0}, .radius = 0.05},
                        .contact = contact,
                        .from = 0.005}};
    Simulation run(scene);
    const ParticleData before = run.particles("rubber");
    ASSERT_TRUE(run.advance_to(0.02).ok());
    const ParticleData now = run.particles("rubber");
    ASSERT_EQ(now.position.size(), before.position.size());
    for (std::size_t i = 0; i < now.position.size(); ++i)
      EXPECT_LT(length(minus(now.position[i], before.position[i])), 1e-6);
  }
}

// particles that are outside when a wall appears do not get in
TEST(GripsThatAppearInside, keep_out_what_is_outside) {
  Scene scene = hanging_block("explicit");
  const double top = 0.36;
  scene.colliders = {{.name = "shelf", .shape = Box{{0, top - 0.02, 0}, {1, 0.04, 1}}, .from = 0.05}};
  Simulation run(scene);
  ASSERT_TRUE(run.advance_to(0.125).ok());  // in free fall it would be at 0.343 by then
  const Metrics m = run.metrics();
  EXPECT_GT(m.bounds_min[1], top - 1e-3 * scene.settings.cell_size);
  EXPECT_LT(m.bounds_min[1], top + scene.settings.cell_size);  // where nodes touch it
}

}  // namespace
}  // namespace dollop
