// Contacts of the implicit solver: nothing enters, nothing is pulled, forces balance, friction is Coulomb's.
#include <gtest/gtest.h>

#include <numbers>

#include "solvers/bodies.h"
#include "solvers/methods/implicit_contact.h"

namespace dollop {
namespace {

using namespace tests;

Scene block_over(const std::vector<Collider>& colliders, const Double3& velocity,
                 const Double3& gravity = {0, -9.81, 0}) {
  Scene scene;
  Settings& s = scene.settings;
  s.cell_size = 0.03, s.solver = "newton", s.gravity = gravity, s.max_dt = 2e-3;
  scene.materials = {elastic("block", 1000, 2e5, 0.3)};
  scene.bodies = {{.material = "block",
                   .shape = Box{.center = {0, 0.06, 0}, .size = {0.12, 0.12, 0.12}},
                   .velocity = velocity}};
  scene.colliders = colliders;
  return scene;
}

Collider floor_of(ContactKind contact, double friction = 0) {
  return {.name = "floor",
          .shape = Plane{.point = {0, 0, 0}, .normal = {0, 1, 0}},
          .contact = contact,
          .friction = friction};
}

double run_to(Simulation& simulation, double time) {
  const AdvanceReport report = simulation.advance_to(time);
  EXPECT_TRUE(report.ok()) << describe(report.last);
  return simulation.metrics().center_of_mass[1];
}

// it comes to rest on the floor, which then feels its weight
TEST(NewtonContact, carries_the_weight) {
  for (const ContactKind kind : {ContactKind::separate, ContactKind::slip, ContactKind::sticky}) {
    Simulation simulation(block_over({floor_of(kind)}, {0, 0, 0}));
    run_to(simulation, 0.5);
    simulation.new_interval();
    run_to(simulation, 0.6);
    const Metrics m = simulation.metrics();
    ASSERT_EQ(m.contact_forces.size(), 1u);
    EXPECT_NEAR(m.contact_forces[0].force[1] / (-9.81 * m.mass), 1, 0.02) << int(kind);
    EXPECT_GT(m.bounds_min[1], -1e-4);
    EXPECT_LT(m.max_speed, 0.02);
  }
}

// thrown down it bounces off a floor that lets go, and stays on one that does not
TEST(NewtonContact, lets_go_of_what_leaves) {
  Simulation separate(block_over({floor_of(ContactKind::separate)}, {0, -2, 0}, {0, 0, 0}));
  Simulation slip(block_over({floor_of(ContactKind::slip)}, {0, -2, 0}, {0, 0, 0}));
  run_to(separate, 0.1), run_to(slip, 0.1);
  EXPECT_GT(separate.metrics().momentum[1] / separate.metrics().mass, 0.3);
  EXPECT_GT(separate.metrics().bounds_min[1], 0.01);
  EXPECT_LT(slip.metrics().bounds_min[1], 0.01);
}

// a floor that rises takes the block along, at its own speed
TEST(NewtonContact, bodies_that_move_push) {
  Collider piston = floor_of(ContactKind::separate);
  piston.motion.velocity = {0, 0.5, 0};
  Simulation simulation(block_over({piston}, {0, 0, 0}));
  run_to(simulation, 0.4);
  const Metrics m = simulation.metrics();
  EXPECT_NEAR(m.momentum[1] / m.mass, 0.5, 0.05);  // it still swings
  EXPECT_GT(m.bounds_min[1], 0.5 * 0.4 - 1e-3);
}

// floor and wall as two colliders: the corner holds both
TEST(NewtonContact, corners_hold) {
  Collider wall{.name = "wall", .shape = Plane{.point = {0.06, 0, 0}, .normal = {-1, 0, 0}}};
  Simulation simulation(block_over({floor_of(ContactKind::separate), wall}, {1, -0.5, 0}));
  run_to(simulation, 0.05);
  EXPECT_GT(simulation.metrics().bounds_min[1], -1e-3);
  EXPECT_LT(simulation.metrics().bounds_max[0], 0.061);
}

// one node that is held to a floor below it
ImplicitContacts held_node(ContactKind kind, int releases = 0) {
  ImplicitContacts contacts;
  SurfaceHold hold{
      .near = nullptr, .kind = kind, .depth = 0, .normal = {0, 1, 0}, .active = true, .releases = releases};
  contacts.nodes.push_back({.node = 0, .position = {0, 0, 0}, .holds = {hold}});
  return contacts;
}

// only a surface that lets go, only what it would have to pull, and not for ever
TEST(NewtonContact, surfaces_do_not_pull) {
  const double pull[4] = {1, -1, 0, 0}, push[4] = {1, 1, 0, 0};
  const auto released = [](ImplicitContacts contacts, const double* residual) {
    const bool any = release(residual, contacts);
    EXPECT_EQ(any, !contacts.nodes[0].holds[0].active);
    return any;
  };
  EXPECT_TRUE(released(held_node(ContactKind::separate), pull));
  EXPECT_FALSE(released(held_node(ContactKind::separate), push));
  EXPECT_FALSE(released(held_node(ContactKind::separate, 4), pull));
  EXPECT_FALSE(released(held_node(ContactKind::slip), pull));
  EXPECT_FALSE(released(held_node(ContactKind::sticky), pull));
}

// a nozzle lets sand out in implicit steps too; it piles up on the floor between walls, and none is lost
TEST(NewtonContact, nozzles_push_and_walls_hold) {
  Scene scene = block_over({floor_of(ContactKind::sticky)}, {0, 0, 0});
  scene.materials = {{"block", "drucker-prager", {}}};
  scene.bodies.clear();
  scene.colliders.push_back({.name = "wall", .shape = Plane{.point = {0.1, 0, 0}, .normal = {-1, 0, 0}}});
  scene.emitters = {{.material = "block",
                     .shape = Disc{.center = {0, 0.2, 0}, .normal = {0, -1, 0}, .radius = 0.06},
                     .speed = 0.8}};
  Simulation simulation(scene);
  run_to(simulation, 0.6);
  const Metrics m = simulation.metrics();
  EXPECT_NEAR(m.mass, 2200 * std::numbers::pi * 0.06 * 0.06 * 0.8 * 0.6, 0.05 * m.mass);
  EXPECT_LT(m.mass_error, 1e-9);
  EXPECT_GT(m.bounds_min[1], -1e-3);
  EXPECT_LT(m.bounds_max[0], 0.101);
  EXPECT_EQ(m.rejected_steps, 0);
}

// on a slope it slides by g t^2 / 2 (sin a - mu cos a)
TEST(NewtonContact, slides_as_coulomb_says) {
  const double a = 35 * std::numbers::pi / 180, mu = 0.4, t = 0.5;
  Scene scene = block_over({floor_of(ContactKind::separate, mu)}, {0, 0, 0},
                           {9.81 * std::sin(a), -9.81 * std::cos(a), 0});
  scene.settings.max_dt = 1e-3;
  Simulation simulation(scene);
  run_to(simulation, t);
  const Metrics m = simulation.metrics();
  const double expected = 9.81 * (std::sin(a) - mu * std::cos(a)) * t;
  std::printf("speed %.4f, expected %.4f m/s\n", m.momentum[0] / m.mass, expected);
  EXPECT_NEAR(m.momentum[0] / m.mass / expected, 1, 0.03);
}

// held by friction it creeps in proportion to dt, which is the price of the split of velocities; a sticky floor holds
TEST(NewtonContact, creep_of_friction_is_of_first_order_and_sticky_holds) {
  const double a = 15 * std::numbers::pi / 180;
  const Double3 gravity{9.81 * std::sin(a), -9.81 * std::cos(a), 0};
  const auto creep = [&](ContactKind kind, double dt) {
    Scene scene = block_over({floor_of(kind, 0.6)}, {0, 0, 0}, gravity);
    scene.settings.max_dt = dt;
    Simulation simulation(scene);
    run_to(simulation, 0.3);
    const double from = simulation.metrics().center_of_mass[0];
    run_to(simulation, 0.5);
    return (simulation.metrics().center_of_mass[0] - from) / 0.2;
  };
  const double coarse = creep(ContactKind::separate, 2e-3), fine = creep(ContactKind::separate, 1e-3);
  std::printf("creep %.3g and %.3g m/s\n", coarse, fine);
  EXPECT_LT(fine, 0.7 * coarse);
  EXPECT_LT(coarse, 0.25);
  EXPECT_LT(std::fabs(creep(ContactKind::sticky, 2e-3)), 5e-4);
}

}  // namespace
}  // namespace dollop
