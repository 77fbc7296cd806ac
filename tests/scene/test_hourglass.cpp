// Sand runs through the hourglass of the scene at one rate, however much is left above.
#include <dollop/simulation.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <numbers>
#include <numeric>

#include "scene/scene_files.h"

namespace dollop {
namespace {

// rates over 0.2 s while 10 to 80 % of the sand has passed the neck [kg/s]
std::vector<double> flow_rates(const std::string& preset) {
  const SceneFile file =
      read_scene(std::filesystem::path(DOLLOP_SOURCE_DIR) / "scenes/sand/hourglass.toml",
                 {"variant=small", "materials.sand.preset=\"" + preset + "\"", "simulation.duration=4"});
  Simulation simulation(file.scene);
  std::vector<double> rates;
  for (int k = 1; k <= 20; ++k) {
    simulation.new_interval();
    const Metrics before = simulation.metrics();
    if (!simulation.advance_to(0.2 * k).ok()) break;
    const Metrics after = simulation.metrics();
    if (after.gauges.at(0).mass > 0.8 * after.mass) break;
    if (before.gauges.at(0).mass > 0.1 * before.mass) rates.push_back(after.gauges.at(0).flow);
  }
  return rates;
}

TEST(LongHourglass, flows_at_one_rate_however_much_is_left) {
  for (const char* preset : {"sand-30", "sand-35"}) {
    const std::vector<double> rates = flow_rates(preset);
    ASSERT_GE(rates.size(), 5u) << preset;
    const double mean = std::accumulate(rates.begin(), rates.end(), 0.0) / double(rates.size());
    std::printf("%s: %.3f kg/s, times", preset, mean);
    for (const double rate : rates) {
      std::printf(" %.3f", rate / mean);
      EXPECT_NEAR(rate / mean, 1, 0.1) << preset;
    }
    std::printf("\n");
  }
}

// volume of the cubes of two cells that hold at least half of what they do at the density of the start [m^3]
double volume_of_full_cubes(const ParticleData& sand, double density, double side) {
  std::map<std::array<int, 3>, double> filled;
  for (std::size_t i = 0; i < sand.position.size(); ++i) {
    std::array<int, 3> cube;
    for (std::size_t d = 0; d < 3; ++d) cube[d] = int(std::floor(sand.position[i][d] / side));
    filled[cube] += sand.mass[i] / density;
  }
  double volume = 0;
  for (const auto& [cube, sum] : filled) volume += sum >= 0.5 * side * side * side ? side * side * side : 0;
  return volume;
}

// density within 30 mm of the axis, 15 to 50 mm above the lowest point of the bulb [kg/m^3]
double density_in_the_middle(const ParticleData& sand) {
  const double radius = 0.03, low = -0.17, high = -0.135;
  double mass = 0;
  for (std::size_t i = 0; i < sand.position.size(); ++i) {
    const Double3& x = sand.position[i];
    if (std::hypot(x[0], x[2]) < radius && x[1] > low && x[1] < high) mass += sand.mass[i];
  }
  return mass / (std::numbers::pi * radius * radius * (high - low));
}

struct HourglassVolume {
  double full;    // cubes at least half full, over those at the start
  double middle;  // density in the middle of the heap, over that at the start
  double passed;  // part of the sand that is below
};

HourglassVolume volume_after_a_run(bool correction) {
  const SceneFile file =
      read_scene(std::filesystem::path(DOLLOP_SOURCE_DIR) / "scenes/sand/hourglass.toml",
                 {"variant=small",
                  std::string("materials.sand.volume_correction=\"") + (correction ? "on" : "off") + "\"",
                  "simulation.duration=4"});
  const double side = 2 * file.scene.settings.cell_size;
  Simulation simulation(file.scene);
  const ParticleData sand = simulation.particles("sand");
  const double density = std::accumulate(sand.mass.begin(), sand.mass.end(), 0.0) /
                         std::accumulate(sand.volume.begin(), sand.volume.end(), 0.0);
  const double before = volume_of_full_cubes(sand, density, side);
  EXPECT_TRUE(simulation.advance_to(4).ok());
  const ParticleData after = simulation.particles("sand");
  const Metrics m = simulation.metrics();
  const HourglassVolume v{.full = volume_of_full_cubes(after, density, side) / before,
                          .middle = density_in_the_middle(after) / density,
                          .passed = m.gauges.at(0).mass / m.mass};
  std::printf(
      "volume correction %s: full cubes %.3f of those before, density in the middle %.3f, %.3f passed\n",
      correction ? "on" : "off", v.full, v.middle, v.passed);
  return v;
}

TEST(LongHourglass, has_no_more_volume_below_than_above) {
  const HourglassVolume with = volume_after_a_run(true), without = volume_after_a_run(false);
  EXPECT_GT(with.passed, 0.98);
  EXPECT_GT(without.passed, 0.98);
  EXPECT_LT(with.full, 1.02);
  EXPECT_NEAR(with.middle, 1, 0.05);
  EXPECT_LT(without.middle, 0.85);
  EXPECT_GT(without.full, with.full + 0.1);
}

}  // namespace
}  // namespace dollop
