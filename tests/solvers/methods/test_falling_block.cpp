// A block falls on a floor for a thousand steps: nothing is lost, nothing is infinite.
#include <gtest/gtest.h>

#include "solvers/bodies.h"

namespace dollop {
namespace {

using namespace tests;

Scene block_above_floor(int cells, const std::string& model, Precision precision) {
  Scene scene;
  const double width = 0.5, h = width / cells;
  scene.settings.cell_size = h;
  scene.settings.precision = precision;
  scene.settings.kernel = Kernel::quadratic;
  scene.materials = {elastic("block", 1000, 5e5, 0.3, model)};
  scene.bodies = {{.material = "block",
                   .shape = Box{.center = {0, 0.25 + 4 * h, 0}, .size = {width, width, width}},
                   .velocity = {0.2, -3, 0.1},
                   .angular_velocity = {1, 0.5, 2}}};
  scene.colliders = {{.name = "floor", .shape = Plane{}, .friction = 0.3}};
  return scene;
}

void fall(const Scene& scene, int steps, std::uint64_t at_least) {
  Simulation simulation(scene);
  const Metrics before = simulation.metrics();
  ASSERT_GE(before.particles, at_least);
  for (int k = 0; k < steps; ++k) {
    const StepReport report = simulation.step(simulation.stable_dt());
    ASSERT_TRUE(report.ok()) << describe(report) << " at step " << k;
  }
  const Metrics after = simulation.metrics();
  EXPECT_EQ(after.steps, steps);
  EXPECT_EQ(after.particles, before.particles);
  EXPECT_EQ(after.mass, before.mass);
  EXPECT_TRUE(std::isfinite(after.kinetic_energy) && std::isfinite(after.elastic_energy));
  EXPECT_TRUE(std::isfinite(after.bounds_min[0]) && std::isfinite(after.bounds_max[1]));
  EXPECT_GT(after.bounds_min[1], -2 * scene.settings.cell_size);
  EXPECT_GT(after.min_J, 0.1);
  const double energy =
      before.kinetic_energy + before.elastic_energy + before.mass * 9.81 * before.center_of_mass[1];
  const double left =
      after.kinetic_energy + after.elastic_energy + after.mass * 9.81 * after.center_of_mass[1];
  EXPECT_LT(left, 1.001 * energy);

  const ParticleData particles = simulation.particles("block");
  ASSERT_EQ(particles.id.size(), before.particles);
  for (std::size_t i = 0; i < particles.id.size(); ++i) ASSERT_EQ(particles.id[i], i);  // every one, once
  std::printf("%llu particles, %d steps, %.3g s: J from %.3f to %.3f, energy %.4f of the start\n",
              static_cast<unsigned long long>(after.particles), steps, after.time, after.min_J, after.max_J,
              left / energy);
}

TEST(FallingBlock, loses_nothing_in_a_thousand_steps) {
  fall(block_above_floor(sanitized ? 5 : 14, "neo-hookean", Precision::single_precision), 1000,
       sanitized ? 1000 : 20000);
}
TEST(FallingBlock, loses_nothing_in_a_thousand_steps_of_double) {
  fall(block_above_floor(sanitized ? 5 : 10, "hencky", Precision::double_precision), 1000, 1000);
}

TEST(LongMillion, loses_nothing_in_a_thousand_steps) {
  fall(block_above_floor(50, "neo-hookean", Precision::single_precision), 1000, 1000000);
}

}  // namespace
}  // namespace dollop
