// Sand runs through the hourglass of the scene at one rate, however much is left above.
#include <dollop/simulation.h>
#include <gtest/gtest.h>

#include <cstdio>
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

}  // namespace
}  // namespace dollop
