// What a scene promises to show: [expect].
#pragma once

#include "scene/reader.h"

namespace dollop {

// A quantity that [expect] may name, and its unit.
struct MetricInfo {
  std::string name, unit;
  bool is_vector;
  bool of_survey = false;  // of the body that the particles form; made only if it is asked for
};
const std::vector<MetricInfo>& metrics_known();
bool needs_survey(const std::string& metric);

// Reads [expect]. Names of colliders are those whose contact force can be asked for.
std::vector<Expectation> read_expectations(const Reader& reader, const Node& table,
                                           const std::vector<std::string>& colliders, double duration);

}  // namespace dollop
