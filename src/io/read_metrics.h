// Reads what io/metrics.h writes.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "io/read_file.h"

namespace dollop {

// The whole lines of a file, each as names of numbers to values, with the names of metric_value(): "mass",
// "momentum.x", "contact_forces.block.x", "contact_forces.block.torque.x", "gauges.below.mass". Numbers that
// are null are left out, damaged lines too, and the last line while it is being written. No file: no lines.
std::vector<std::map<std::string, double>> read_metrics(const std::filesystem::path& file);

// One line. False if it is not a JSON object.
bool parse_metrics_line(std::string_view line, std::map<std::string, double>& numbers);

}  // namespace dollop
