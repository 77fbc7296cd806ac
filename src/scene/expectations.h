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

// Colliders that a domain with shear_rate has without being asked, as src/solvers/setup/setup.cpp names them.
inline constexpr const char* shear_plates[] = {"shear-low", "shear-high"};

// What is shown of each collider that has a name, without "contact_forces.NAME": "" is the force itself.
const std::vector<MetricInfo>& contact_metrics();

// What each gauge shows, without "gauges.NAME.".
const std::vector<MetricInfo>& gauge_metrics();

// Reads [expect] of a scene whose colliders, gauges and duration are known.
std::vector<Expectation> read_expectations(const Reader& reader, const Node& table, const Scene& scene);

}  // namespace dollop
