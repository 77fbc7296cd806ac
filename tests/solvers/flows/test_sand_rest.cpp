// Sand that has come to rest: the stress under its own weight, energy that does not grow, the same bits at any number of
// threads and after a restart.
#include <gtest/gtest.h>

#include <sstream>

#include "solvers/bodies.h"
#include "solvers/resting_column.h"
#include "solvers/sand_cases.h"
#include "worse_of.h"

namespace dollop {
namespace {

using namespace tests;

// --- a column between smooth walls ---

constexpr int column_cells = 16;  // high

Scene sand_column(double angle) {
  return walled_column(sand_settings(0.01), Sand{.angle = angle}.material(), column_cells,
                       Animated(Animated::Kind::smooth, {{0, 0}, {0.6, -g_earth}}));
}

std::vector<ColumnLayer> sand_layers(const ParticleData& sand) {
  const auto &tau = sand.state.at("kirchhoff"), &e = sand.state.at("strain");  // xx yy zz ...
  return layers_of(sand, 0.01, column_cells, [&](std::size_t i) {
    const double j = std::sqrt((1 + e[0][i]) * (1 + e[1][i]) * (1 + e[2][i])),
                 scale = -1 / (2200 * g_earth * j);
    return Double3{scale * tau[0][i], scale * tau[1][i], scale * tau[2][i]};
  });
}

// sigma_v = rho g z; the sides bear nu/(1 - nu) of it, or where that would yield (3 - M)/(3 + 2 M), M = q/p of the cone
void expect_pressure_at_rest(double angle, double ratio) {
  Simulation simulation(sand_column(angle));
  ASSERT_TRUE(simulation.advance_to(1).ok());
  double vertical = 0, above = 0, across = 0, along = 0;
  for (const ColumnLayer& s : sand_layers(simulation.particles("sand"))) {
    if (s.above < 0.03 || s.above > 0.13) continue;  // away from the surface and the floor
    vertical += s.vertical, above += s.above, across += s.across, along += s.along;
    EXPECT_NEAR(s.vertical / s.above, 1, 0.02);
  }
  std::printf("%g degrees: vertical stress %.4f of the weight, sides %.5f and %.5f of it, expected %.5f\n",
              angle, vertical / above, across / vertical, along / vertical, ratio);
  EXPECT_NEAR(vertical / above, 1, 0.01);
  EXPECT_NEAR(across / vertical / ratio, 1, 0.01);
  EXPECT_NEAR(along / vertical / ratio, 1, 0.01);
}

TEST(HeavySandAtRest, sides_of_a_column_bear_their_share) {
  expect_pressure_at_rest(20, 0.490291);  // yields
  expect_pressure_at_rest(25, 0.428571);  // elastic
  expect_pressure_at_rest(30, 0.428571);
}

// --- a heap ---

Scene heap_scene(int threads) {
  Scene scene;
  scene.settings = sand_settings(0.02);
  scene.settings.threads = threads;
  scene.materials = {{"sand",
                      "drucker-prager",
                      {{"friction_angle", 35 * one_degree},
                       {"hardening_rate", 9 * one_degree},
                       {"hardening_decay", 0.2},
                       {"hardening_drop", 10 * one_degree}}}};
  scene.bodies = {{.material = "sand", .shape = Box{{0, 0.08, 0}, {0.16, 0.16, 0.16}}},
                  {.material = "sand", .shape = Sphere{{0.05, 0.26, 0.02}, 0.06}, .velocity = {-1, -1, 0.5}}};
  scene.colliders = {{.name = "floor", .shape = Plane{}, .friction = 0.5}};
  return scene;
}

TEST(HeavySandAtRest, energy_does_not_grow) {
  Simulation simulation(heap_scene(1));
  const auto energy = [&] {
    const Metrics m = simulation.metrics();
    return m.kinetic_energy + m.elastic_energy + m.mass * g_earth * m.center_of_mass[1];
  };
  ASSERT_TRUE(simulation.advance_to(1).ok());
  const double settled = energy();
  double last = settled, most = 0;
  for (int k = 1; k <= 10; ++k) {
    ASSERT_TRUE(simulation.advance_to(1 + 0.1 * k).ok());
    most = worse_of(most, (energy() - last) / settled);
    last = std::min(last, energy());
  }
  const Metrics m = simulation.metrics();
  const double speed = std::sqrt(2 * m.kinetic_energy / m.mass);
  std::printf("energy changes by %.1e of it in 1 s, at most %.1e up; %.1e m/s\n", last / settled - 1, most,
              speed);
  EXPECT_LT(most, 1e-5);
  EXPECT_LT(speed, 5e-3);
}

TEST(SandDeterminism, any_number_of_threads_and_a_restart_give_the_same_bits) {
  std::uint64_t hash = 0;
  for (const int threads : {1, 2, 8}) {
    Simulation simulation(heap_scene(threads));
    ASSERT_TRUE(simulation.advance_to(0.05).ok());
    std::stringstream file;
    simulation.save(file);
    ASSERT_TRUE(simulation.advance_to(0.1).ok());
    if (threads == 1) hash = simulation.state_hash();
    EXPECT_EQ(simulation.state_hash(), hash) << threads << " threads";
    Simulation second(heap_scene(threads == 1 ? 8 : 1));
    second.restore(file);
    ASSERT_TRUE(second.advance_to(0.1).ok());
    EXPECT_EQ(second.state_hash(), hash) << "restarted after " << threads << " threads";
  }
}

}  // namespace
}  // namespace dollop
