#include "scene/expectations.h"

#include <dollop/simulation.h>
#include <gtest/gtest.h>

#include "scene/scene_files.h"

namespace dollop {
namespace {

using When = Expectation::When;

Expectation expectation(const std::string& metric, const std::string& text) {
  const Scene scene = scene_of("[expect]\n" + metric + " = \"" + text + "\"\n").scene;
  EXPECT_EQ(scene.expectations.size(), 1u);
  return scene.expectations.at(0);
}

TEST(Expectations, operators) {
  for (const std::string op : {"<", "<=", ">", ">=", "==", "!="})
    for (const std::string gap : {"", " ", "   "}) {
      const Expectation e = expectation("mass", op + gap + "0.3");
      EXPECT_EQ(e.op, op);
      EXPECT_EQ(e.value, 0.3);
      EXPECT_EQ(e.when, When::end);
      EXPECT_EQ(e.text, op + gap + "0.3");
    }
}

TEST(Expectations, times) {
  EXPECT_EQ(expectation("mass", "< 1 always").when, When::always);
  EXPECT_EQ(expectation("mass", "< 1 kg sometime").when, When::sometime);
  EXPECT_EQ(expectation("mass", "< 1 at the end").when, When::end);
  const Expectation e = expectation("mass", "< 1 kg at 250 ms");
  EXPECT_EQ(e.when, When::at);
  EXPECT_EQ(e.time, 0.25);
  EXPECT_EQ(e.value, 1);
  EXPECT_EQ(expectation("mass", "< 1 at 1").time, 1);  // the end itself
}

TEST(Expectations, tolerances) {
  const Expectation relative = expectation("mass", "~ 0.3 +- 2 %");
  EXPECT_EQ(relative.op, "~");
  EXPECT_DOUBLE_EQ(relative.tolerance, 0.006);
  EXPECT_DOUBLE_EQ(expectation("mass", "~ -0.3±2%").tolerance, 0.006);
  const Expectation absolute = expectation("mass", "~ 300 g +- 10 g always");
  EXPECT_EQ(absolute.value, 0.3);
  EXPECT_EQ(absolute.tolerance, 0.01);
  EXPECT_EQ(absolute.when, When::always);
}

TEST(Expectations, units_of_metrics) {
  EXPECT_EQ(expectation("center_of_mass.y", "> 2 cm").value, 0.02);
  EXPECT_EQ(expectation("kinetic_energy", "> 2 mJ").value, 0.002);
  EXPECT_EQ(expectation("momentum.x", "> 2 N s").value, 2);
  EXPECT_EQ(expectation("angular_momentum.z", "> 2 kg m^2/s").value, 2);
  EXPECT_EQ(expectation("max_speed", "< 3 m/s").value, 3);
}

TEST(Expectations, contact_forces_of_named_colliders) {
  const Scene scene =
      scene_of(
          "[[colliders]]\nname = \"block\"\nshape = { plane = { } }\n"
          "[expect]\ncontact_forces.block.x = \"< 3 kN\"\n\"contact_forces.block.y\" = \"< 1\"\n")
          .scene;
  ASSERT_EQ(scene.expectations.size(), 2u);
  EXPECT_EQ(scene.expectations[0].metric, "contact_forces.block.x");
  EXPECT_EQ(scene.expectations[0].value, 3000);
  EXPECT_EQ(scene.expectations[1].metric, "contact_forces.block.y");
}

TEST(Expectations, metric_names) {
  const std::vector<std::string> names = metric_names();
  for (const char* name :
       {"time", "steps", "mass_error", "center_of_mass.x", "bounds_max.z", "rejected_steps", "emitted",
        "wall_s", "particle_steps_per_s", "peak_memory_bytes"})
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
  for (const std::string& name : names) EXPECT_EQ(expectation("\"" + name + "\"", "> 0").metric, name);
}

// every scalar or vector of Metrics has its name; a field that is added must be added here and there
TEST(Expectations, metric_names_are_the_fields_of_metrics) {
  const auto [time, steps, dt_min, dt_max, particles, mass, mass_error, momentum, angular_momentum,
              center_of_mass, kinetic_energy, elastic_energy, bounds_min, bounds_max, max_speed, min_J, max_J,
              weak, emitted, inserted, merged, removed, removed_mass, resample_energy,
              resample_angular_momentum, survey, rejected_steps, newton_iterations, solver_iterations,
              newton_residual, contact_forces, gauges] = Metrics{};
  [[maybe_unused]] const auto [volume, density_mean, density_min, density_max, density_within, voids, pieces,
                               longest_thread] = Survey{};
  const std::size_t fields = 32, of_survey = 8, of_frames = 3;
  EXPECT_EQ(metrics_known().size(), fields - 3 /* survey, contact_forces, gauges */ + of_survey + of_frames);
  EXPECT_EQ(contact_forces.size(), 0u);
  EXPECT_EQ(gauges.size(), 0u);
  EXPECT_FALSE(survey);
}

// the same for what a gauge shows, without its name
TEST(Expectations, gauge_metrics_are_the_fields_of_a_reading) {
  const auto [gauge, particles, mass, flow, momentum, center_of_mass, kinetic_energy, bounds_min, bounds_max,
              max_speed] = GaugeReading{};
  const std::size_t fields = 10;
  EXPECT_EQ(gauge_metrics().size(), fields - 1 /* gauge */);
  EXPECT_EQ(gauge, "");
  for (const MetricInfo& metric : gauge_metrics())
    EXPECT_EQ(metric.is_vector, metric.name == "momentum" || metric.name == "center_of_mass" ||
                                    metric.name == "bounds_min" || metric.name == "bounds_max")
        << metric.name;
}

TEST(Expectations, of_a_survey_ask_for_one) {
  const std::string scene = "[simulation]\nduration = 1\ncell_size = 0.1\n";
  EXPECT_FALSE(parse_scene(scene + "[expect]\nmass = \"== 0\"\n", "a.toml").scene.output.survey);
  EXPECT_TRUE(parse_scene(scene + "[expect]\npieces = \"== 0\"\n", "a.toml").scene.output.survey);
}

}  // namespace
}  // namespace dollop
