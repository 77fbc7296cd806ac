// metrics.jsonl: one line of numbers for each frame. Fields and units: docs/output.md.
#pragma once

#include <dollop/simulation.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace dollop {

struct FrameRecord {
  std::int64_t frame = 0;  // 0: the initial state
  Metrics metrics;
  double wall_s = 0;                // time that this frame took [s]
  double particle_steps_per_s = 0;  // particles times steps of this frame, over wall_s
  std::size_t peak_memory_bytes = 0;
  std::uint64_t state_hash = 0;  // written as 16 hexadecimal digits
};

// One line without its end, always valid JSON: numbers that are not finite become null.
std::string to_json(const FrameRecord& record);

// A number by its name: "mass", "center_of_mass.y", "contact_forces.block.x" (of the force),
// "contact_forces.block.torque.z", "gauges.below.mass". Throws std::out_of_range if there is no such number.
double metric_value(const FrameRecord& record, const std::string& name);

// The file. A line appears whole, by a single write. All functions throw OutputError.
class MetricsFile {
 public:
  static MetricsFile create(const std::filesystem::path& file);  // empties a file that exists
  // Goes on with a file: keeps the lines of frames up to `last_frame`, drops later and damaged ones.
  static MetricsFile resume(const std::filesystem::path& file, std::int64_t last_frame);
  ~MetricsFile();
  MetricsFile(MetricsFile&& other) noexcept;
  MetricsFile& operator=(MetricsFile&& other) noexcept;

  void append(const FrameRecord& record);

 private:
  MetricsFile(const std::filesystem::path& file, int flags);
  std::filesystem::path file_;
  int descriptor_ = -1;
};

std::size_t peak_memory_bytes();  // most memory that this process has had in use

}  // namespace dollop
