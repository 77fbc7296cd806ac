#include "scene/expectations.h"

#include <dollop/simulation.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "io/metrics.h"
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
  for (const char* twice : {"3 %%", "3 % %", "3%%"})
    EXPECT_TRUE(contains(error_of(fmt::format("[expect]\nmass = \"~ 1 +- {}\"\n", twice)), "more than one %"))
        << twice;
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

const std::string block = "[[colliders]]\nname = \"block\"\nshape = { plane = { } }\n";

TEST(Expectations, torques_of_named_colliders) {
  const Scene scene = scene_of(block +
                               "[expect]\ncontact_forces.block.torque.z = \"< 3 N m\"\n"
                               "\"contact_forces.block.torque.x\" = \"> 20 N cm\"\n")
                          .scene;
  ASSERT_EQ(scene.expectations.size(), 2u);
  EXPECT_EQ(scene.expectations[0].metric, "contact_forces.block.torque.z");
  EXPECT_EQ(scene.expectations[0].value, 3);
  EXPECT_DOUBLE_EQ(scene.expectations[1].value, 0.2);
  const auto error = [](const std::string& line) { return error_of(block + "[expect]\n" + line + "\n"); };
  EXPECT_TRUE(contains(error("contact_forces.block.torque.z = \"< 3 N\""), "expected an energy or a torque"));
  EXPECT_TRUE(contains(error("contact_forces.block.torque = \"< 3\""),
                       "it is a vector: write \"contact_forces.block.torque.x\", .y or .z"));
  EXPECT_TRUE(contains(error("contact_forces.block.torqe.z = \"< 3\""),
                       "did you mean 'contact_forces.block.torque.z'?"));
  EXPECT_TRUE(contains(error("contact_forces.something_else.x = \"< 3\""),
                       "write contact_forces.NAME.x, or .torque.x, with the name of a collider"));
}

// the number that [expect] asks for is one that a run has
TEST(Expectations, contact_metrics_are_numbers_of_a_frame) {
  FrameRecord record;
  record.metrics.contact_forces = {{"block", {1, 2, 3}, {4, 5, 6}}};
  double sum = 0;
  for (const MetricInfo& metric : contact_metrics())
    for (const char* axis : {".x", ".y", ".z"})
      sum += metric_value(record, "contact_forces.block" + metric.name + axis);
  EXPECT_EQ(sum, 21);
}

TEST(Expectations, documents_know_the_contact_metrics) {
  const std::string text = scene_reference(), schema = scene_schema();
  EXPECT_TRUE(contains(text, "| `contact_forces.NAME` `.x` `.y` `.z` | N |\n"));
  EXPECT_TRUE(contains(text, "| `contact_forces.NAME.torque` `.x` `.y` `.z` | N m |\n"));
  EXPECT_TRUE(contains(schema, "\"torque\":"));
  EXPECT_TRUE(contains(schema, "\"torque.z\":"));
}

const std::string sheared =
    "[materials.m]\nmodel = \"hencky\"\n"
    "[[bodies]]\nmaterial = \"m\"\nshape = { box = { center = [0.05, 0.05, 0.05], size = [0.1, 0.1, 0.1] } "
    "}\n"
    "[domain]\nmin = [0, 0, 0]\nmax = [0.1, 0.1, 0.1]\n";

TEST(Expectations, plates_of_a_sheared_domain_are_colliders) {
  const std::string expect =
      "[expect]\ncontact_forces.shear-low.x = \"> 0\"\ncontact_forces.shear-high.torque.z = \"< 0\"\n";
  const Scene scene = scene_of(sheared + "shear_rate = 1\n" + expect).scene;
  EXPECT_EQ(scene.expectations.size(), 2u);
  EXPECT_TRUE(contains(error_of(sheared + expect), "'contact_forces.shear-low.x' is not a metric"));
  // they are those that the solver makes
  std::vector<std::string> made;
  for (const ContactForce& contact : Simulation(scene).metrics().contact_forces)
    made.push_back(contact.collider);
  EXPECT_EQ(made, (std::vector<std::string>{shear_plates[0], shear_plates[1]}));
}

TEST(Expectations, a_collider_may_be_named_like_a_plate_where_there_is_none) {
  const std::string plate = "[[colliders]]\nname = \"shear-low\"\nshape = { plane = { } }\n";
  EXPECT_EQ(error_of(sheared + plate), "");
  EXPECT_TRUE(contains(error_of(sheared + "shear_rate = 1\n" + plate), "'shear-low' is the name of a plate"));
}

TEST(Expectations, metrics_that_were_renamed_say_their_new_names) {
  const auto error = [](const std::string& name) {
    return error_of(block + "[expect]\n" + name + " = \"> 0\"\n");
  };
  const std::pair<const char*, const char*> renamed[] = {{"newton_iterations", "outer_iterations"},
                                                         {"solver_iterations", "inner_iterations"},
                                                         {"newton_residual", "residual"}};
  for (const auto& [old, now] : renamed) {
    EXPECT_TRUE(contains(error(old), fmt::format("'{}' is not a metric; it is now called '{}'", old, now)))
        << error(old);
    EXPECT_EQ(error(now), "");
  }
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
              center_of_mass, kinetic_energy, elastic_energy, affine_energy, velocity_noise, bounds_min,
              bounds_max, max_speed, min_J, max_J, mean_J, max_increment, weak, emitted, inserted, merged,
              removed, removed_mass, resample_energy, resample_angular_momentum, survey, rejected_steps,
              outer_iterations, inner_iterations, residual, contact_forces, gauges, volume_changes,
              mesh_gaps] = Metrics{};
  [[maybe_unused]] const auto [volume, density_mean, density_min, density_max, density_within, voids, pieces,
                               longest_thread] = Survey{};
  const std::size_t fields = 38, of_survey = 8, of_frames = 3;
  EXPECT_EQ(
      metrics_known().size(),
      fields - 5 /* survey, contact_forces, gauges, volume_changes, mesh_gaps */ + of_survey + of_frames);
  EXPECT_EQ(contact_forces.size(), 0u);
  EXPECT_EQ(gauges.size(), 0u);
  EXPECT_EQ(volume_changes.size(), 0u);
  EXPECT_EQ(mesh_gaps.size(), 0u);
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

TEST(Expectations, may_be_about_the_volume_of_a_material) {
  const std::string scene =
      "[simulation]\nduration = 1\ncell_size = 0.1\n[materials.cream]\nmodel = \"hencky\"\n[expect]\n";
  const auto read = [&](const std::string& line) {
    return parse_scene(scene + line, "a.toml").scene.expectations;
  };
  for (const char* line :
       {"\"volume_change.cream\" = \"< 3 %\"\n", "volume_change = { cream = \"< 3 %\" }\n"}) {
    ASSERT_EQ(read(line).size(), 1u);
    EXPECT_EQ(read(line)[0].metric, "volume_change.cream");
    EXPECT_DOUBLE_EQ(read(line)[0].value, 0.03);
  }
  EXPECT_THROW(read("\"volume_change.milk\" = \"< 3 %\"\n"), SceneError);
}

TEST(Expectations, of_a_survey_ask_for_one) {
  const std::string scene = "[simulation]\nduration = 1\ncell_size = 0.1\n";
  EXPECT_FALSE(parse_scene(scene + "[expect]\nmass = \"== 0\"\n", "a.toml").scene.output.survey);
  EXPECT_TRUE(parse_scene(scene + "[expect]\npieces = \"== 0\"\n", "a.toml").scene.output.survey);
}

}  // namespace
}  // namespace dollop
