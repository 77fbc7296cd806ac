// Sums over the state that are not conserved quantities: what has become of the volume, and how large steps were.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "solvers/bodies.h"

namespace dollop {
namespace {

using namespace tests;

Scene block_of_two() {
  Scene scene;
  scene.settings.cell_size = 0.01, scene.settings.gravity = {};
  scene.materials = {elastic("soft", 1000, 1e3, 0.3), elastic("other", 500, 1e3, 0.3)};
  scene.bodies = {{.material = "soft", .shape = Box{{0, 0, 0}, {0.06, 0.04, 0.04}}, .velocity = {1, 0, 0}},
                  {.material = "other", .shape = Box{{0.2, 0, 0}, {0.02, 0.04, 0.04}}}};
  return scene;
}

// a block that is 1.2 times as large, and one of a third of its volume that is 0.9 times as large
TEST(Measure, mean_volume_ratio_is_by_volume) {
  Scene scene = block_of_two();
  scene.settings.precision = Precision::double_precision;
  scene.bodies[1].particles_per_cell = 27;  // each counts for less
  TypedSimulation<double> run(scene);
  EXPECT_EQ(run.metrics().mean_J, 1);
  auto& groups = run.state().particles.groups();
  const double ratios[] = {1.2, 0.9};
  for (std::size_t g = 0; g < 2; ++g)
    for (std::size_t i = 0; i < groups[g].size(); ++i)
      for (int c = 0; c < 3; ++c)
        groups[g].reals(groups[g].state_arrays().begin + c)[i] = std::pow(ratios[g], 2.0 / 3) - 1;
  const Metrics m = run.metrics();
  EXPECT_NEAR(m.mean_J, (3 * 1.2 + 0.9) / 4, 1e-12);
  EXPECT_NEAR(m.min_J, 0.9, 1e-12);
  EXPECT_NEAR(m.max_J, 1.2, 1e-12);
  ASSERT_EQ(m.volume_changes.size(), 2u);
  EXPECT_EQ(m.volume_changes[1].material, "other");
  EXPECT_NEAR(m.volume_changes[0].change, 0.2, 1e-12);
  EXPECT_NEAR(m.volume_changes[1].change, 0.1, 1e-12);
  EXPECT_EQ(Simulation(Scene{}).metrics().mean_J, 1);  // of nothing
}

// A rigid turn at w has C = [w]x everywhere, and |C|^2 = 2 w^2: its affine energy is M D w^2.
TEST(Measure, affine_energy_of_a_turn_is_that_of_the_spin_of_particles) {
  for (const Kernel kernel : {Kernel::quadratic, Kernel::cubic})
    for (const Transfer transfer : all_transfers) {
      Scene scene = block_of_two();
      scene.settings.kernel = kernel, scene.settings.transfer = transfer;
      scene.settings.precision = Precision::double_precision;
      const Double3 w{3, -4, 12};  // |w| = 13
      scene.bodies[0].angular_velocity = w;
      TypedSimulation<double> run(scene);
      const Metrics m = run.metrics();
      const double h = scene.settings.cell_size, mass = 1000 * 0.06 * 0.04 * 0.04;
      const double inertia = h * h / (kernel == Kernel::cubic ? 3 : 4);
      const bool carried = carries_affine_velocity(transfer);
      EXPECT_NEAR(m.affine_energy, carried ? mass * inertia * dot(w, w) : 0, 1e-12);
      EXPECT_NEAR(m.affine_energy, affine_energy(run), 1e-12);
    }
}

// sum of m v^2 / 2 over the nodes
double energy_of_grid(const TypedSimulation<double>& run) {
  const BlockGrid<double>& grid = std::get<ExplicitMpm<double>>(run.method()).grid.blocks;
  const auto& velocity = grid.velocity;
  double energy = 0;
  for (std::size_t node = 0; node < 64 * grid.slots.size(); ++node) {
    const Double3 v{velocity[4 * node], velocity[4 * node + 1], velocity[4 * node + 2]};
    energy += 0.5 * velocity[4 * node + 3] * dot(v, v);
  }
  return energy;
}

// The grid gets all of it: nodes turn with the body, and their energy is that of particles and their affine velocity.
TEST(Measure, kinetic_and_affine_energy_are_those_of_the_grid_of_a_turn) {
  for (const Kernel kernel : {Kernel::quadratic, Kernel::cubic}) {
    Scene scene = block_of_two();
    scene.settings.kernel = kernel, scene.settings.transfer = Transfer::apic;
    scene.settings.precision = Precision::double_precision;
    scene.bodies.resize(1);
    scene.bodies[0].velocity = {}, scene.bodies[0].angular_velocity = {0, 0, 50};
    TypedSimulation<double> run(scene);
    const Metrics m = run.metrics();
    ASSERT_TRUE(run.step(1e-12).ok());
    const double on_grid = energy_of_grid(run);
    EXPECT_NEAR((m.kinetic_energy + m.affine_energy) / on_grid, 1, 1e-9);
    EXPECT_GT(m.affine_energy / on_grid, 0.01);  // so that it is seen if it is missing
  }
}

TEST(Measure, largest_increment_is_that_of_the_interval) {
  Scene scene = block_of_two();
  scene.bodies[0].angular_velocity = {0, 0, 50};
  TypedSimulation<float> run(scene);
  EXPECT_EQ(run.metrics().max_increment, 0);
  double largest = 0;
  const double dt = run.stable_dt();
  for (const double part : {0.5, 1.0, 0.25}) {
    const StepReport report = run.step(part * dt);
    ASSERT_TRUE(report.ok()) << describe(report);
    largest = std::max(largest, report.max_increment);
    EXPECT_EQ(run.metrics().max_increment, largest);
  }
  EXPECT_GT(largest, 50 * dt);  // |grad v| of a turn is sqrt(2) times its rate

  // a run that goes on knows it
  std::stringstream file;
  run.save(file);
  TypedSimulation<float> again(scene);
  again.restore(file);
  EXPECT_EQ(again.metrics().max_increment, largest);
  again.new_interval();
  EXPECT_EQ(again.metrics().max_increment, 0);
  const StepReport report = again.step(0.1 * dt);
  EXPECT_EQ(again.metrics().max_increment, report.max_increment);
}

}  // namespace
}  // namespace dollop
