// A body that falls freely does what its mass points would: exactly the symplectic scheme, and no stress.
#include <gtest/gtest.h>

#include <algorithm>

#include "solvers/bodies.h"
#include "worse_of.h"

namespace dollop {
namespace {

using namespace tests;

struct Method {
  Kernel kernel;
  Transfer transfer;
  ForceForm forces;
};

std::vector<Method> all_methods() {
  std::vector<Method> all;
  for (const Kernel k : all_kernels)
    for (const Transfer t : all_transfers)
      for (const ForceForm f : all_forces) all.push_back({k, t, f});
  return all;
}

class FreeFall : public testing::TestWithParam<Method> {};

std::string method_name(const testing::TestParamInfo<Method>& info) {
  return name_of(info.param.kernel) + "_" + name_of(info.param.transfer) + "_" + name_of(info.param.forces);
}
INSTANTIATE_TEST_SUITE_P(Methods, FreeFall, testing::ValuesIn(all_methods()), method_name);

const Double3 gravity{0.7, -9.81, 0.3}, start_velocity{0.5, 1, -0.25};

Scene falling_ball(const Method& method, Precision precision) {
  Scene scene;
  Settings& s = scene.settings;
  s.cell_size = 0.025, s.kernel = method.kernel, s.transfer = method.transfer, s.forces = method.forces;
  s.gravity = gravity, s.precision = precision, s.threads = 1;
  scene.materials = {elastic("rubber", 1100, 5e4, 0.4, "hencky")};
  scene.bodies = {{.material = "rubber",
                   .shape = Sphere{.center = {0.03, 1, 0.01}, .radius = 0.06},
                   .velocity = start_velocity}};
  return scene;
}

double largest_stress(const Simulation& simulation) {
  double worst = 0;
  const ParticleData particles = simulation.particles("rubber");
  for (const auto& component : particles.state.at("kirchhoff"))
    for (const double tau : component) worst = tests::worse_of(worst, std::fabs(tau));
  return worst;
}

// n steps of dt from x0, v0: v = v0 + n dt g, x = x0 + n dt v0 + n (n + 1) / 2 dt^2 g; exact but for the last
// term, n^2 / 2 in continuous time
void expect_free_fall(const Method& method, Precision precision, double tolerance) {
  Simulation simulation(falling_ball(method, precision));
  const Double3 x0 = simulation.metrics().center_of_mass;
  const double dt = 1e-3;
  const int n = sanitized ? 40 : 200;
  for (int k = 0; k < n; ++k) ASSERT_TRUE(simulation.step(dt).ok());
  const Metrics m = simulation.metrics();
  const double t = n * dt;
  for (std::size_t d = 0; d < 3; ++d) {
    const double v = start_velocity[d] + t * gravity[d];
    const double x = x0[d] + t * start_velocity[d] + 0.5 * n * (n + 1) * dt * dt * gravity[d];
    EXPECT_NEAR(m.momentum[d] / m.mass, v, tolerance);
    EXPECT_NEAR(m.center_of_mass[d], x, tolerance);
    EXPECT_NEAR(m.center_of_mass[d], x0[d] + t * (start_velocity[d] + 0.5 * t * gravity[d]),
                0.5001 * t * dt * std::fabs(gravity[d]) + tolerance);
  }
  // The kernel's slope is not small where its value is: nodes that are left out for having nearly no mass
  // are seen by the gradient form.
  const double strain = method.forces == ForceForm::gradient ? std::max(tolerance, 1e-9) : tolerance;
  EXPECT_LT(largest_stress(simulation) / 5e4, strain);  // of Young's modulus
  EXPECT_NEAR(m.min_J, 1, strain);
  EXPECT_NEAR(m.max_J, 1, strain);
}

TEST_P(FreeFall, is_that_of_the_scheme_in_float) {
  expect_free_fall(GetParam(), Precision::single_precision, 2e-5);
}
TEST_P(FreeFall, is_that_of_the_scheme_in_double) {
  expect_free_fall(GetParam(), Precision::double_precision, 1e-12);
}

TEST(FreeFallError, of_position_halves_with_the_step) {
  const auto error = [](double dt) {
    Simulation simulation(
        falling_ball({Kernel::cubic, Transfer::apic, ForceForm::mls}, Precision::double_precision));
    const double y0 = simulation.metrics().center_of_mass[1], t = 0.1;
    for (int k = 0; k < int(std::lround(t / dt)); ++k) EXPECT_TRUE(simulation.step(dt).ok());
    return simulation.metrics().center_of_mass[1] - (y0 + t * (start_velocity[1] + 0.5 * t * gravity[1]));
  };
  const double coarse = error(2e-3), fine = error(1e-3);
  EXPECT_NEAR(coarse, 0.5 * 0.1 * 2e-3 * gravity[1], 1e-12);
  EXPECT_NEAR(coarse / fine, 2, 1e-9);
}

// the grid moves the particles of a FLIP run in the same way
TEST(FreeFallAdvection, by_grid_velocity_is_the_same) {
  Scene scene = falling_ball({Kernel::cubic, Transfer::flip, ForceForm::mls}, Precision::double_precision);
  Simulation by_particle(scene);
  scene.settings.advection = Advection::grid_velocity;
  Simulation by_grid(scene);
  for (int k = 0; k < 50; ++k) {
    ASSERT_TRUE(by_particle.step(1e-3).ok());
    ASSERT_TRUE(by_grid.step(1e-3).ok());
  }
  EXPECT_LT(length(minus(by_particle.metrics().center_of_mass, by_grid.metrics().center_of_mass)), 1e-13);
}

}  // namespace
}  // namespace dollop
