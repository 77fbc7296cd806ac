#include "io/metrics.h"

#include <dollop/scene_file.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cmath>

#include <cerrno>
#include <limits>

#include "io/atomic_file.h"
#include "io/json.h"
#include "io/read_metrics.h"
#include "io/temporary_folder.h"

namespace dollop {
namespace {

FrameRecord sample_record(std::int64_t frame = 12) {
  FrameRecord record;
  record.frame = frame;
  Metrics& m = record.metrics;
  m.time = 0.4;
  m.steps = 1234;
  m.dt_min = 1e-5;
  m.dt_max = 2.5e-5;
  m.particles = 8000;
  m.mass = 0.125;
  m.mass_error = 1e-9;
  m.momentum = {1, 2, 3};
  m.angular_momentum = {-1, 0.5, 0};
  m.center_of_mass = {0.1, 0.2, 0.3};
  m.kinetic_energy = 7.5;
  m.elastic_energy = 0.75;
  m.bounds_min = {-1, -2, -3};
  m.bounds_max = {4, 5, 6};
  m.max_speed = 9.81;
  m.min_J = 0.9;
  m.max_J = 1.1;
  m.affine_energy = 0.0625, m.velocity_noise = 0.03125;
  m.mean_J = 0.998, m.max_increment = 0.015;
  m.weak = 4;
  m.emitted = 100;
  m.inserted = 5;
  m.merged = 6;
  m.removed = 7;
  m.removed_mass = 0.001;
  m.rejected_steps = 3;
  m.resample_energy = -0.5;
  m.resample_angular_momentum = {1, 0, -1};
  m.outer_iterations = 9, m.residual = 0.001;
  m.inner_iterations = 42;
  m.contact_forces = {{"block", {1, -2, 3}, {0.1, 0.2, 0.3}}, {"a.b \"c\"", {4, 5, 6}, {7, 8, 9}}};
  record.wall_s = 0.25;
  record.particle_steps_per_s = 3.2e7;
  record.peak_memory_bytes = 123456789;
  record.state_hash = 0x0123456789abcdef;
  return record;
}

TEST(metrics, volume_changes_are_named_by_material) {
  FrameRecord record;
  record.metrics.volume_changes = {{"cream", 0.03125}, {"b \"c\"", 0.5}};
  const std::string line = to_json(record);
  EXPECT_TRUE(is_json(line));
  EXPECT_TRUE(line.ends_with(R"(,"volume_change":{"cream":0.03125,"b \"c\"":0.5}})")) << line;
  EXPECT_EQ(metric_value(record, "volume_change.cream"), 0.03125);
  EXPECT_THROW(metric_value(record, "volume_change.milk"), std::out_of_range);
  EXPECT_THROW(metric_value(record, "volume_change"), std::out_of_range);
}

TEST(metrics, line_has_exactly_the_fields_of_the_format) {
  EXPECT_EQ(
      to_json(sample_record()),
      R"({"frame":12,"time":0.4,"steps":1234,"dt_min":1e-05,"dt_max":2.5e-05,"particles":8000,"mass":0.125,)"
      R"("momentum":[1,2,3],"angular_momentum":[-1,0.5,0],"center_of_mass":[0.1,0.2,0.3],)"
      R"("kinetic_energy":7.5,"elastic_energy":0.75,"bounds_min":[-1,-2,-3],"bounds_max":[4,5,6],)"
      R"("max_speed":9.81,"min_J":0.9,"max_J":1.1,"weak":4,"inserted":5,"merged":6,"removed":7,)"
      R"("removed_mass":0.001,"inner_iterations":42,"wall_s":0.25,"particle_steps_per_s":32000000,)"
      R"("peak_memory_bytes":123456789,"state_hash":"0123456789abcdef","mass_error":1e-09,"emitted":100,)"
      R"("outer_iterations":9,"residual":0.001,"rejected_steps":3,"resample_energy":-0.5,"resample_angular_momentum":[1,0,-1],"mean_J":0.998,"max_increment":0.015,"affine_energy":0.0625,"velocity_noise":0.03125,"contact_forces":{"block":{"force":[1,-2,3],"torque":[0.1,0.2,0.3]},)"
      R"("a.b \"c\"":{"force":[4,5,6],"torque":[7,8,9]}}})");
}

TEST(metrics, line_is_valid_json_whatever_the_values) {
  FrameRecord record = sample_record();
  record.metrics.max_speed = std::numeric_limits<double>::infinity();
  record.metrics.momentum = {std::numeric_limits<double>::quiet_NaN(), 1e300, -1e-300};
  record.metrics.contact_forces[0].collider = "\xff\n{";
  const std::string line = to_json(record);
  EXPECT_TRUE(is_json(line)) << line;
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_NE(line.find(R"("max_speed":null)"), std::string::npos);
  EXPECT_NE(line.find(R"("momentum":[null,1e+300,-1e-300])"), std::string::npos);

  // and by a reader that shares nothing with us
  const TemporaryFolder folder;
  write_text(folder / "line", line);
  int status = 0;
  const std::string names = output_of(
      "/usr/bin/env python3 -c \"import json,sys; print(*json.load(open(sys.argv[1], encoding='utf-8')))\" " +
          (folder / "line").string(),
      status);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(
      names,
      "frame time steps dt_min dt_max particles mass momentum angular_momentum center_of_mass kinetic_energy "
      "elastic_energy bounds_min bounds_max max_speed min_J max_J weak inserted merged removed removed_mass "
      "inner_iterations wall_s particle_steps_per_s peak_memory_bytes state_hash mass_error emitted "
      "outer_iterations residual rejected_steps resample_energy resample_angular_momentum "
      "mean_J max_increment affine_energy velocity_noise contact_forces\n");
}

TEST(metrics, a_survey_is_written_if_it_was_made) {
  FrameRecord record = sample_record();
  EXPECT_EQ(to_json(record).find("longest_thread"), std::string::npos);
  EXPECT_TRUE(std::isnan(metric_value(record, "volume")));
  record.metrics.survey = Survey{1, 2, 3, 4, 0.5, 6, 7, 8};
  const std::string line = to_json(record);
  EXPECT_TRUE(is_json(line)) << line;
  EXPECT_NE(line.find(R"("volume":1,"density_mean":2,"density_min":3,"density_max":4,"density_within":0.5,)"
                      R"("voids":6,"pieces":7,"longest_thread":8,)"),
            std::string::npos);
  EXPECT_EQ(metric_value(record, "pieces"), 7);
}

GaugeReading sample_reading(const std::string& name, double base) {
  const auto vector = [&](double at) { return Double3{base + at, base + at + 0.25, base + at + 0.5}; };
  return {name, 17, base + 1, base + 2, vector(3), vector(4), base + 5, vector(6), vector(7), base + 8};
}

TEST(metrics, gauges_are_written_if_there_are_any) {
  FrameRecord record = sample_record();
  EXPECT_EQ(to_json(record).find("gauges"), std::string::npos);
  const std::string before = to_json(record);
  record.metrics.gauges = {sample_reading("below", 0), sample_reading("b \"c\"", 10)};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  record.metrics.gauges[1].center_of_mass = {nan, nan, nan};
  const std::string line = to_json(record);
  EXPECT_TRUE(is_json(line)) << line;
  EXPECT_EQ(line, before.substr(0, before.size() - 1) +
                      R"(,"gauges":{"below":{"particles":17,"mass":1,"flow":2,"momentum":[3,3.25,3.5],)"
                      R"("center_of_mass":[4,4.25,4.5],"kinetic_energy":5,"bounds_min":[6,6.25,6.5],)"
                      R"("bounds_max":[7,7.25,7.5],"max_speed":8},)"
                      R"("b \"c\"":{"particles":17,"mass":11,"flow":12,"momentum":[13,13.25,13.5],)"
                      R"("center_of_mass":[null,null,null],"kinetic_energy":15,"bounds_min":[16,16.25,16.5],)"
                      R"("bounds_max":[17,17.25,17.5],"max_speed":18}}})");
}

TEST(metrics, numbers_of_gauges_are_found_by_name) {
  FrameRecord record = sample_record();
  record.metrics.gauges = {sample_reading("a", 0), sample_reading("ab", 10), sample_reading("a.b", 20)};
  EXPECT_EQ(metric_value(record, "gauges.a.particles"), 17);
  EXPECT_EQ(metric_value(record, "gauges.a.mass"), 1);
  EXPECT_EQ(metric_value(record, "gauges.a.flow"), 2);
  EXPECT_EQ(metric_value(record, "gauges.a.momentum.y"), 3.25);
  EXPECT_EQ(metric_value(record, "gauges.a.center_of_mass.z"), 4.5);
  EXPECT_EQ(metric_value(record, "gauges.a.kinetic_energy"), 5);
  EXPECT_EQ(metric_value(record, "gauges.a.bounds_min.x"), 6);
  EXPECT_EQ(metric_value(record, "gauges.a.bounds_max.x"), 7);
  EXPECT_EQ(metric_value(record, "gauges.a.max_speed"), 8);
  EXPECT_EQ(metric_value(record, "gauges.ab.mass"), 11);
  EXPECT_EQ(metric_value(record, "gauges.a.b.mass"), 21);
  EXPECT_EQ(metric_value(record, "gauges.a.b.momentum.z"), 23.5);
  EXPECT_EQ(metric_value(record, "mass"), 0.125);  // of the scene
  for (const char* name :
       {"gauges", "gauges.", "gauges.a", "gauges.a.", "gauges..mass", "gauges.b.mass", "gauges.a.volume",
        "gauges.a.mass.x", "gauges.a.mass.", "gauges.a.momentum", "gauges.a.momentum.", "gauges.a.momentum.w",
        "gauges.a.momentum.x.x", "gauges.a.gauge", "gauges.abc.mass", "gauges.a_mass"})
    EXPECT_THROW(metric_value(record, name), std::out_of_range) << name;
}

// the file gives back the names and numbers of metric_value()
TEST(metrics, numbers_of_gauges_are_read_back) {
  FrameRecord record = sample_record();
  record.metrics.gauges = {sample_reading("below", 0)};
  record.metrics.gauges[0].bounds_min[1] = std::numeric_limits<double>::quiet_NaN();
  std::map<std::string, double> numbers;
  ASSERT_TRUE(parse_metrics_line(to_json(record), numbers));
  std::size_t of_gauges = 0;
  for (const auto& [name, value] : numbers) {
    if (!name.starts_with("gauges.")) continue;
    EXPECT_EQ(metric_value(record, name), value) << name;
    ++of_gauges;
  }
  EXPECT_EQ(of_gauges, 5u + 4 * 3 - 1);  // scalars and vectors, less what is null
  EXPECT_FALSE(numbers.contains("gauges.below.bounds_min.y"));
}

TEST(metrics, numbers_are_found_by_name) {
  const FrameRecord record = sample_record();
  EXPECT_EQ(metric_value(record, "frame"), 12);
  EXPECT_EQ(metric_value(record, "min_J"), 0.9);
  EXPECT_EQ(metric_value(record, "mean_J"), 0.998);
  EXPECT_EQ(metric_value(record, "max_increment"), 0.015);
  EXPECT_EQ(metric_value(record, "velocity_noise"), 0.03125);
  EXPECT_EQ(metric_value(record, "particles"), 8000);
  EXPECT_EQ(metric_value(record, "mass_error"), 1e-9);
  EXPECT_EQ(metric_value(record, "center_of_mass.y"), 0.2);
  EXPECT_EQ(metric_value(record, "contact_forces.block.y"), -2);
  EXPECT_EQ(metric_value(record, "contact_forces.block.force.z"), 3);
  EXPECT_EQ(metric_value(record, "contact_forces.block.torque.x"), 0.1);
  EXPECT_EQ(metric_value(record, "contact_forces.a.b \"c\".z"), 6);
  EXPECT_EQ(metric_value(record, "contact_forces.a.b \"c\".torque.z"), 9);
  for (const std::string& name : metric_names()) EXPECT_NO_THROW(metric_value(record, name)) << name;
  for (const char* name :
       {"", ".", "masss", "mass.x", "momentum", "momentum.w", "momentum.x.x", "state_hash", "contact_forces",
        "contact_forces.", "contact_forces.block", "contact_forces.wall.x", "contact_forces.block.power.x"})
    EXPECT_THROW(metric_value(record, name), std::out_of_range) << name;
}

TEST(metrics_file, lines_are_appended) {
  const TemporaryFolder folder;
  write_text(folder / "m.jsonl", "old\n");
  MetricsFile file = MetricsFile::create(folder / "m.jsonl");
  std::string expected;
  for (int frame = 0; frame < 3; ++frame) {
    file.append(sample_record(frame));
    expected += to_json(sample_record(frame)) + "\n";
    EXPECT_EQ(read_text(folder / "m.jsonl"), expected);
  }
}

TEST(metrics_file, resume_keeps_whole_lines_up_to_a_frame) {
  const TemporaryFolder folder;
  const auto line = [](int frame) { return to_json(sample_record(frame)) + "\n"; };
  const std::string damaged[] = {line(3).substr(0, 200),         // torn, and the last
                                 line(3).substr(0, 200) + "\n",  // torn
                                 "\n",
                                 std::string(50, '\0') + "\n",  // what a crash of the machine leaves
                                 line(1),
                                 "{\"frame\":x}\n",
                                 "{\"fra",
                                 line(4) + line(5) + line(6)};
  for (const std::string& tail : damaged) {
    write_text(folder / "m.jsonl", line(0) + line(1) + line(2) + tail);
    MetricsFile file = MetricsFile::resume(folder / "m.jsonl", 3);
    EXPECT_EQ(read_text(folder / "m.jsonl"), line(0) + line(1) + line(2));
    file.append(sample_record(3));
    EXPECT_EQ(read_text(folder / "m.jsonl"), line(0) + line(1) + line(2) + line(3));
  }
  MetricsFile::resume(folder / "m.jsonl", 1);
  EXPECT_EQ(read_text(folder / "m.jsonl"), line(0) + line(1));
  MetricsFile::resume(folder / "new.jsonl", 1).append(sample_record(2));
  EXPECT_EQ(read_text(folder / "new.jsonl"), line(2));
}

TEST(metrics_file, full_disk_and_missing_folder_are_reported) {
  const TemporaryFolder folder;
  EXPECT_THROW(MetricsFile::create(folder / "no/m.jsonl"), OutputError);
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "this system has no /dev/full";
  MetricsFile file = MetricsFile::create("/dev/full");
  try {
    file.append(sample_record());
    FAIL() << "nothing was thrown";
  } catch (const OutputError& error) {
    EXPECT_EQ(error.code, ENOSPC);
  }
}

TEST(metrics_file, line_that_does_not_fit_is_taken_back) {
  const TemporaryFolder folder;
  MetricsFile file = MetricsFile::create(folder / "m.jsonl");
  file.append(sample_record(0));
  const std::string before = read_text(folder / "m.jsonl");
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  void (*handler)(int) = ::signal(SIGXFSZ, SIG_IGN);
  const rlimit low{before.size() + before.size() / 2, limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &low), 0);
  EXPECT_THROW(file.append(sample_record(1)), OutputError);
  ::setrlimit(RLIMIT_FSIZE, &limit);
  ::signal(SIGXFSZ, handler);
  EXPECT_EQ(read_text(folder / "m.jsonl"), before);
  file.append(sample_record(1));  // space is there again
  EXPECT_EQ(read_text(folder / "m.jsonl"), before + to_json(sample_record(1)) + "\n");
}

TEST(metrics, peak_memory_grows_with_what_is_used) {
  const std::size_t before = peak_memory_bytes();
  const std::vector<char> block(before + (std::size_t(64) << 20), 1);
  EXPECT_GE(peak_memory_bytes(), before + (std::size_t(32) << 20) + std::size_t(block[0] - 1));
}

}  // namespace
}  // namespace dollop
