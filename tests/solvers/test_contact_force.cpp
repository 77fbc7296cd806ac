// What colliders feel: weights, momentum balance, torque.
#include <dollop/dollop.h>
#include <gtest/gtest.h>

#include <cmath>

namespace dollop {
namespace {

Scene block_on_ground(ContactKind contact) {
  Scene scene;
  Settings& s = scene.settings;
  s.cell_size = 0.02, s.kernel = Kernel::quadratic, s.threads = 1;
  scene.materials = {{"jelly", "neo-hookean", {{"density", 800}, {"young_modulus", 5e4}}}};
  scene.bodies = {{.material = "jelly", .shape = Box{{0, 0.05, 0}, {0.1, 0.1, 0.1}}}};
  scene.colliders = {{.name = "ground", .shape = Plane{}, .contact = contact}};
  return scene;
}

const ContactForce& force_on(const Metrics& m, const std::string& name) {
  for (const ContactForce& f : m.contact_forces)
    if (f.collider == name) return f;
  throw std::runtime_error("no such collider");
}

TEST(ContactForce, IsTheWeightOfABodyAtRest) {
  Simulation run(block_on_ground(ContactKind::sticky));
  ASSERT_TRUE(run.advance_to(0.4).ok());  // long enough for most of the ringing
  run.new_interval();
  ASSERT_TRUE(run.advance_to(1.0).ok());
  const Metrics m = run.metrics();
  const double weight = m.mass * 9.81;
  EXPECT_NEAR(m.mass, 0.8, 1e-6);
  EXPECT_NEAR(force_on(m, "ground").force[1], -weight, 0.02 * weight);
  EXPECT_NEAR(force_on(m, "ground").force[0], 0, 0.01 * weight);
}

// force times time is the change of momentum less what gravity gave
TEST(ContactForce, BalancesMomentumExactly) {
  for (const ContactKind contact : {ContactKind::sticky, ContactKind::slip, ContactKind::separate}) {
    Scene scene = block_on_ground(contact);
    scene.bodies[0].velocity = {0.5, -1, 0.2};
    scene.colliders[0].friction = 0.3;
    scene.colliders.push_back({.name = "wall", .shape = Plane{{0.065, 0, 0}, {-1, 0, 0}}});
    scene.settings.precision = Precision::double_precision;
    Simulation run(scene);
    const Metrics before = run.metrics();
    ASSERT_TRUE(run.advance_to(0.12).ok());
    const Metrics m = run.metrics();
    for (std::size_t d = 0; d < 3; ++d) {
      const double given = (force_on(m, "ground").force[d] + force_on(m, "wall").force[d]) * m.time;
      const double gravity = d == 1 ? -9.81 * m.mass * m.time : 0;
      EXPECT_NEAR(m.momentum[d] - before.momentum[d], gravity - given, 1e-11) << d;
    }
    if (contact != ContactKind::sticky) {
      EXPECT_GT(force_on(m, "wall").force[0], 0.3);
    }
  }
}

TEST(ContactForce, TorqueIsAboutTheOrigin) {
  Scene scene = block_on_ground(ContactKind::sticky);
  scene.bodies[0].shape = Box{{0.5, 0.05, -0.3}, {0.1, 0.1, 0.1}};
  Simulation run(scene);
  ASSERT_TRUE(run.advance_to(0.2).ok());
  const ContactForce f = force_on(run.metrics(), "ground");
  EXPECT_NEAR(f.torque[2], 0.5 * f.force[1], 0.03 * std::fabs(f.force[1]));
  EXPECT_NEAR(f.torque[0], 0.3 * f.force[1], 0.03 * std::fabs(f.force[1]));
}

// two plates shear a slab: the stress is G times the strain rate times the time
TEST(ContactForce, OfShearedSlabIsItsShearStress) {
  Scene scene;
  Settings& s = scene.settings;
  s.cell_size = 0.01, s.kernel = Kernel::quadratic, s.gravity = {0, 0, 0},
  s.precision = Precision::double_precision;
  scene.materials = {
      {"jelly", "neo-hookean", {{"density", 1000}, {"young_modulus", 2.6e4}, {"poisson_ratio", 0.3}}}};
  scene.domain = Domain{{0, 0, 0}, {0.04, 0.1, 0.04}, {true, false, true}, Animated(0.5)};
  scene.bodies = {{.material = "jelly", .shape = Box{{0.02, 0.05, 0.02}, {0.04, 0.1, 0.04}}}};
  // start with the profile that the plates impose, so that no wave runs
  Simulation run(scene);
  ASSERT_TRUE(run.advance_to(0.2).ok());
  run.new_interval();
  ASSERT_TRUE(run.advance_to(0.4).ok());
  const Metrics m = run.metrics();
  const double shear_modulus = 1e4, mean_strain = 0.5 * 0.3, area = 0.04 * 0.04;
  EXPECT_NEAR(force_on(m, "shear-high").force[0] / area, -shear_modulus * mean_strain,
              0.05 * shear_modulus * mean_strain);
  EXPECT_NEAR(force_on(m, "shear-low").force[0] / area, shear_modulus * mean_strain,
              0.05 * shear_modulus * mean_strain);
}

// a belt carries what lies on it
TEST(ContactForce, SurfaceVelocityDrivesLikeAConveyor) {
  Scene scene = block_on_ground(ContactKind::separate);
  scene.colliders[0].friction = 0.5;
  scene.colliders[0].surface_velocity = Animated3(0.4, 0, 0);
  Simulation run(scene);
  ASSERT_TRUE(run.advance_to(0.5).ok());
  const Metrics m = run.metrics();
  EXPECT_NEAR(m.momentum[0] / m.mass, 0.4, 0.02);
  EXPECT_NEAR(m.center_of_mass[0], 0.4 * 0.5 - 0.4 * 0.4 / (2 * 0.5 * 9.81),
              0.01);  // slips at mu g until it sticks
}

// A floor that is meant to lie on a plane of nodes may be off it by rounding, to either side.
TEST(ContactOnNodes, does_not_depend_on_rounding) {
  const auto slide = [](double height) {
    Scene scene;
    scene.settings.cell_size = 0.1, scene.settings.precision = Precision::double_precision;
    scene.materials = {{"block", "neo-hookean", {{"young_modulus", 1e4}}}};
    scene.bodies = {
        {.material = "block", .shape = Box{{0, 0.25, 0}, {0.5, 0.5, 0.5}}, .velocity = {1, 0, 0}}};
    scene.colliders = {
        {.name = "floor", .shape = Plane{{0, height, 0}, {0, 1, 0}}, .contact = ContactKind::sticky}};
    Simulation simulation(scene);
    EXPECT_TRUE(simulation.advance_to(0.05).ok());
    return simulation.metrics().momentum[0];
  };
  const double on = slide(0), above = slide(1e-12), below = slide(-1e-12);
  EXPECT_GT(on, 0);
  EXPECT_NEAR(above / on, 1, 1e-6);
  EXPECT_NEAR(below / on, 1, 1e-6);
}

}  // namespace
}  // namespace dollop
