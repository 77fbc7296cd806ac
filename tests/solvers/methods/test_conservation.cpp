// Mass, momentum and angular momentum of a free body, over a thousand steps.
#include <gtest/gtest.h>

#include "solvers/bodies.h"
#include "worse_of.h"

namespace dollop {
namespace {

using namespace tests;

template <class S>
class Conservation : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Conservation, Scalars);

constexpr int free_steps = sanitized ? 100 : 1000;

// a block that moves, spins and pulses, stretched to begin with, not aligned with the cells
template <class S>
TypedSimulation<S> free_block(Kernel kernel, Transfer transfer, ForceForm forces) {
  Scene scene;
  Settings& s = scene.settings;
  s.cell_size = 0.02, s.kernel = kernel, s.transfer = transfer, s.forces = forces;
  s.gravity = {0, 0, 0}, s.precision = precision_of<S>;
  scene.materials = {elastic("jelly", 1000, 2e4, 0.3)};
  scene.bodies = {
      {.material = "jelly", .shape = Box{.center = {0.013, 0.207, -0.005}, .size = {0.12, 0.1, 0.08}}}};
  TypedSimulation<S> run(scene);
  set_strain(run, {0.08, -0.05, 0.03, 0.02, -0.03, 0.01});
  const std::array<Double3, 3> grad{{{0.8, -3, 1}, {3, -0.5, 2}, {-1, -2, 0.4}}};  // turns and stretches
  set_linear_velocity(run, {0.3, -0.2, 0.1}, grad);
  return run;
}

template <class S>
void take_free_steps(TypedSimulation<S>& run) {
  const double dt = 0.4 * run.stable_dt();
  for (int n = 0; n < free_steps; ++n) {
    const StepReport report = run.step(dt);
    ASSERT_TRUE(report.ok()) << describe(report);
  }
}

// largest change of momentum and angular momentum, relative to the sums of their parts' sizes
template <class S>
std::array<double, 2> drift_of(TypedSimulation<S>& run) {
  const Metrics before = run.metrics();
  const double p = momentum_scale(run), l = length(before.angular_momentum);
  take_free_steps(run);
  const Metrics after = run.metrics();
  EXPECT_EQ(after.mass, before.mass);
  EXPECT_EQ(after.particles, before.particles);
  EXPECT_GT(after.max_speed, 0);
  return {length(minus(after.momentum, before.momentum)) / p,
          length(minus(after.angular_momentum, before.angular_momentum)) / l};
}

TYPED_TEST(Conservation, linear_momentum_is_exact_to_rounding_for_every_transfer) {
  using S = TypeParam;
  // float: a sixth of a rounding a step; double: nodes lighter than 1e-12 of a particle are left out
  const double tolerance = either<S>(1e-5, 1e-11);
  double worst = 0;
  for (const Kernel kernel : all_kernels)
    for (const Transfer transfer : all_transfers)
      for (const ForceForm forces : all_forces) {
        if (sanitized && (transfer == Transfer::pic || forces == ForceForm::gradient)) continue;
        TypedSimulation<S> run = free_block<S>(kernel, transfer, forces);
        const double drift = drift_of(run)[0];
        EXPECT_LT(drift, tolerance) << name_of(kernel) << ' ' << name_of(transfer) << ' ' << name_of(forces);
        worst = tests::worse_of(worst, drift);
      }
  std::printf("largest change of momentum in %d steps: %.2g of sum m|v|\n", free_steps, worst);
}

TYPED_TEST(Conservation, angular_momentum_is_exact_to_rounding_with_affine_velocities) {
  using S = TypeParam;
  const double tolerance = either<S>(1e-5, 1e-11);
  double worst = 0;
  for (const Kernel kernel : all_kernels)
    for (const Transfer transfer : {Transfer::apic, Transfer::rpic, Transfer::fading})
      for (const ForceForm forces : all_forces) {
        if (sanitized && transfer == Transfer::rpic && forces == ForceForm::gradient) continue;
        TypedSimulation<S> run = free_block<S>(kernel, transfer, forces);
        const double drift = drift_of(run)[1];
        EXPECT_LT(drift, tolerance) << name_of(kernel) << ' ' << name_of(transfer) << ' ' << name_of(forces);
        worst = tests::worse_of(worst, drift);
      }
  std::printf("largest change of angular momentum in %d steps: %.2g\n", free_steps, worst);
}

TYPED_TEST(Conservation, grid_holds_the_mass_and_momentum_of_the_particles) {
  using S = TypeParam;
  for (const Kernel kernel : all_kernels) {
    TypedSimulation<S> run = free_block<S>(kernel, Transfer::apic, ForceForm::mls);
    const Metrics before = run.metrics();
    const double scale = momentum_scale(run);
    ASSERT_TRUE(run.step(1e-4).ok());
    double mass = 0;
    Double3 momentum{};
    const BlockGrid<S>& grid = std::get<ExplicitMpm<S>>(run.method()).grid.blocks;
    const auto& velocity = grid.velocity;
    for (std::size_t node = 0; node < 64 * grid.slots.size(); ++node) {
      const double m = double(velocity[4 * node + 3]);
      mass += m;
      for (std::size_t d = 0; d < 3; ++d) momentum[d] += m * double(velocity[4 * node + d]);
    }
    EXPECT_NEAR(mass / before.mass, 1, either<S>(3e-7, 1e-12)) << name_of(kernel);
    EXPECT_LT(length(minus(momentum, before.momentum)) / scale, either<S>(3e-7, 1e-12)) << name_of(kernel);
  }
}

// no stress is in the way: an affine velocity comes back from the grid as it went there
TYPED_TEST(Conservation, affine_velocity_survives_the_way_to_the_grid_and_back) {
  using S = TypeParam;
  for (const Kernel kernel : all_kernels)
    for (const ForceForm forces : all_forces) {
      TypedSimulation<S> run = free_block<S>(kernel, Transfer::apic, forces);
      set_strain(run, {0, 0, 0, 0, 0, 0});
      const double energy = run.metrics().kinetic_energy, affine = affine_energy(run);
      const ParticleData before = run.particles("jelly");
      ASSERT_TRUE(run.step(1e-9).ok());
      const ParticleData after = run.particles("jelly");
      double worst = 0;
      for (std::size_t i = 0; i < before.id.size(); ++i)
        worst = tests::worse_of(worst, length(minus(after.velocity[i], before.velocity[i])));
      EXPECT_LT(worst, either<S>(3e-6, 1e-6));  // 1e-9 s of nearly no stress
      EXPECT_NEAR(run.metrics().kinetic_energy / energy, 1, either<S>(3e-6, 1e-6));
      EXPECT_NEAR(affine_energy(run) / affine, 1, either<S>(3e-5, 1e-6));
    }
}

}  // namespace
}  // namespace dollop
