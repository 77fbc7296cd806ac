// Nodes outside a separating collider that would enter it within the step come only as far as its surface (BC.5); and
// which of several colliders decides.
#include <gtest/gtest.h>

#include "solvers/bodies.h"

namespace dollop {
namespace {

using namespace tests;

constexpr double h = 0.02, dt = 1e-3;

double quadratic_spline(double x) {
  const double a = std::fabs(x);
  return a < 0.5 ? 0.75 - a * a : a < 1.5 ? 0.5 * (1.5 - a) * (1.5 - a) : 0;
}

// A floor 0.4 cells below a layer of nodes, and a block on it. Speeds are in cells a step.
Scene block_on_floor(double block_speed, double floor_speed, ContactKind contact) {
  Scene scene;
  Settings& s = scene.settings;
  s.cell_size = h, s.kernel = Kernel::quadratic, s.precision = Precision::double_precision,
  s.gravity = Double3{0, 0, 0};
  scene.materials = {elastic("block", 1000, 1e3, 0.3)};
  scene.bodies = {{.material = "block",
                   .shape = Box{.center = {0, 5 * h, 0}, .size = {4 * h, 8 * h, 4 * h}},
                   .velocity = {0, block_speed * h / dt, 0}}};
  Collider floor{
      .name = "floor", .shape = Plane{.point = {0, 0.6 * h, 0}, .normal = {0, 1, 0}}, .contact = contact};
  floor.motion.velocity = {0, floor_speed * h / dt, 0};
  scene.colliders = {floor};
  return scene;
}

// momentum after a step in which each layer of nodes moves as told: velocity(height above the floor in cells)
template <class Velocity>
double expected_momentum(const Simulation& simulation, Velocity velocity) {
  const ParticleData p = simulation.particles("block");
  double sum = 0;
  for (std::size_t i = 0; i < p.position.size(); ++i)
    for (int layer = -2; layer < 16; ++layer)
      sum += p.mass[i] * quadratic_spline(p.position[i][1] / h - layer) * velocity(layer - 0.6) * h / dt;
  return sum;
}

void expect_stopped_at_the_surface(double block_speed, double floor_speed) {
  Simulation simulation(block_on_floor(block_speed, floor_speed, ContactKind::separate));
  const double expected = expected_momentum(
      simulation, [&](double height) { return std::max(block_speed, floor_speed - std::max(height, 0.0)); });
  const StepReport report = simulation.step(dt);
  ASSERT_TRUE(report.ok()) << describe(report);
  EXPECT_NEAR(simulation.metrics().momentum[1], expected, 1e-9 * std::fabs(expected));
}

TEST(ContactAhead, floor_at_rest) { expect_stopped_at_the_surface(-0.6, 0); }
TEST(ContactAhead, floor_that_rises) { expect_stopped_at_the_surface(-0.3, 0.3); }
TEST(ContactAhead, too_slow_to_arrive) { expect_stopped_at_the_surface(-0.3, 0); }

// slip keeps only what is inside
TEST(ContactAhead, slip_lets_nodes_enter) {
  Simulation simulation(block_on_floor(-0.4, 0, ContactKind::slip));
  const double expected =
      expected_momentum(simulation, [](double height) { return height > 0 ? -0.4 : 0.0; });
  ASSERT_TRUE(simulation.step(dt).ok());
  EXPECT_NEAR(simulation.metrics().momentum[1], expected, 1e-9 * std::fabs(expected));
}

// Material that only touches a no-slip floor is mirrored along it and held across it: one layer of nodes is below.
TEST(ContactAhead, no_slip_mirrors_what_touches_along_the_floor_only) {
  Scene scene = block_on_floor(-0.1, 0, ContactKind::no_slip);
  scene.bodies[0].velocity[0] = 0.3 * h / dt;
  Simulation simulation(scene);
  const double along = expected_momentum(simulation, [](double height) { return height > 0 ? 0.3 : -0.3; });
  const double across = expected_momentum(simulation, [](double height) { return height > 0 ? -0.1 : 0.0; });
  ASSERT_TRUE(simulation.step(dt).ok());
  EXPECT_NEAR(simulation.metrics().momentum[0], along, 1e-9 * std::fabs(along));
  EXPECT_NEAR(simulation.metrics().momentum[1], across, 1e-9 * std::fabs(across));
}

// A sticky floor holds its nodes against a wall that sweeps over all of them, whichever comes first in the scene.
TEST(ContactOfSeveral, sticky_decides_in_either_order) {
  for (const bool wall_first : {false, true}) {
    Scene scene = block_on_floor(0, 0, ContactKind::sticky);
    Collider wall{.name = "wall",
                  .shape = Plane{.point = {10 * h, 0, 0}, .normal = {1, 0, 0}},
                  .contact = ContactKind::slip};
    wall.motion.velocity = {0.3 * h / dt, 0, 0};
    scene.colliders.insert(wall_first ? scene.colliders.begin() : scene.colliders.end(), wall);
    Simulation simulation(scene);
    const double expected =
        expected_momentum(simulation, [](double height) { return height > 0 ? 0.3 : 0.0; });
    ASSERT_TRUE(simulation.step(dt).ok());
    EXPECT_NEAR(simulation.metrics().momentum[0], expected, 1e-9 * expected) << wall_first;
  }
}

}  // namespace
}  // namespace dollop
