// A body that falls freely does what its mass points would: exactly the symplectic scheme, and no stress.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

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

// the ball of shaving cream, which flows and tears
Scene falling_foam(const Method& method, Precision precision) {
  Scene scene = falling_ball(method, precision);
  scene.materials = {{"foam",
                      "herschel-bulkley",
                      {{"density", 77.7},
                       {"shear_modulus", 290},
                       {"bulk_modulus", 109e3},
                       {"yield_stress", 31.9},
                       {"viscosity", 27.2},
                       {"power", 0.22},
                       {"tear_threshold", 217.5},
                       {"recovery_time", 0.35}}}};
  scene.bodies[0].material = "foam";
  return scene;
}

// every particle gains g dt in every step, to the rounding of its speed, and there is no strain that would be a stress
void expect_equal_gains(const Method& method, Precision precision, double rounding, double left_out) {
  Simulation simulation(falling_foam(method, precision));
  const double dt = 2e-4;
  ParticleData before = simulation.particles("foam");
  ASSERT_GT(before.id.size(), 300u);
  double off = 0, strain = 0;
  for (int k = 0; k < (sanitized ? 10 : 50); ++k) {
    ASSERT_TRUE(simulation.step(dt).ok());
    ParticleData after = simulation.particles("foam");
    ASSERT_EQ(after.id, before.id);
    for (std::size_t i = 0; i < after.id.size(); ++i) {
      const Double3 gained = minus(after.velocity[i], before.velocity[i]);
      off = worse_of(off, length(minus(gained, times(dt, gravity))) / length(after.velocity[i]));
    }
    for (const char* name : {"volume_change", "strain", "total", "weak"})
      for (const auto& component : after.state.at(name))
        for (const double e : component) strain = worse_of(strain, std::fabs(e));
    before = std::move(after);
  }
  EXPECT_LT(off, rounding + left_out);
  EXPECT_LT(strain, rounding + left_out);
}

TEST_P(FreeFall, gives_every_particle_of_a_foam_the_same_in_float) {
  expect_equal_gains(GetParam(), Precision::single_precision, 8 * std::numeric_limits<float>::epsilon(), 0);
}
// Nodes lighter than 1e-12 of a particle are left out. The cubic kernel has such nodes, and there a slope that is not so
// small, which the gradient form sees.
TEST_P(FreeFall, gives_every_particle_of_a_foam_the_same_in_double) {
  const bool gradient = GetParam().forces == ForceForm::gradient;
  const double left_out = GetParam().kernel == Kernel::quadratic ? 0 : gradient ? 5e-11 : 2e-12;
  expect_equal_gains(GetParam(), Precision::double_precision, 8 * std::numeric_limits<double>::epsilon(),
                     left_out);
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
