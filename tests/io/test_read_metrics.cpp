#include "io/read_metrics.h"

#include <gtest/gtest.h>

#include <limits>

#include "io/metrics.h"
#include "io/temporary_folder.h"

namespace dollop {
namespace {

FrameRecord record_of(int frame) {
  FrameRecord record;
  record.frame = frame;
  record.metrics.time = 0.1 * frame;
  record.metrics.momentum = {1, -2.5e-7, 3};
  record.metrics.particles = 12345678901;
  record.metrics.max_speed = std::numeric_limits<double>::quiet_NaN();
  record.metrics.contact_forces = {
      {"a \"quoted\" block", {4, 5, 6}, {7, 8, 9}}, {"floor.left", {1, 1, 1}, {}}, {"force", {2, 3, 4}, {}}};
  return record;
}

TEST(read_metrics, names_and_values_are_those_of_metric_value) {
  const FrameRecord record = record_of(3);
  std::map<std::string, double> numbers;
  ASSERT_TRUE(parse_metrics_line(to_json(record), numbers));
  for (const auto& [name, value] : numbers) EXPECT_EQ(value, metric_value(record, name)) << name;
  for (const char* name :
       {"frame", "time", "momentum.x", "momentum.y", "bounds_max.z", "particles",
        "contact_forces.a \"quoted\" block.x", "contact_forces.a \"quoted\" block.torque.z",
        "contact_forces.floor.left.y", "contact_forces.force.y", "mass_error"})
    EXPECT_TRUE(numbers.contains(name)) << name;
  EXPECT_FALSE(numbers.contains("max_speed"));   // not a number
  EXPECT_FALSE(numbers.contains("state_hash"));  // a text
  EXPECT_EQ(numbers.at("momentum.y"), -2.5e-7);
}

TEST(read_metrics, reads_what_the_file_of_a_run_holds) {
  const TemporaryFolder folder;
  MetricsFile file = MetricsFile::create(folder / "metrics.jsonl");
  for (int frame = 0; frame < 4; ++frame) file.append(record_of(frame));
  const auto lines = read_metrics(folder / "metrics.jsonl");
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[2].at("frame"), 2);
  EXPECT_EQ(lines[3].at("time"), 0.1 * 3);
}

// a line of another version: names that it lacks are missing, names that are no more are kept
TEST(read_metrics, takes_names_as_they_are_written) {
  std::map<std::string, double> numbers;
  ASSERT_TRUE(parse_metrics_line(R"({"frame":1,"solver_iterations":42,"newton_residual":0.1})", numbers));
  EXPECT_EQ(numbers, (std::map<std::string, double>{
                         {"frame", 1}, {"newton_residual", 0.1}, {"solver_iterations", 42}}));
}

TEST(read_metrics, damaged_and_unfinished_lines_are_left_out) {
  const TemporaryFolder folder;
  write_text(folder / "m",
             "{\"frame\":0,\"mass\":1}\n{\"frame\":1,\"mas\n[1,2]\n\n{ \"frame\" : 2 , \"a\" : [ 1 , null ] "
             "}\n{\"frame\":3}");
  const auto lines = read_metrics(folder / "m");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1].at("frame"), 2);
  EXPECT_EQ(lines[1].at("a.x"), 1);
  EXPECT_FALSE(lines[1].contains("a.y"));
  EXPECT_TRUE(read_metrics(folder / "missing").empty());
}

}  // namespace
}  // namespace dollop
