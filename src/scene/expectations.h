// [expect]: the checks of a run.
#pragma once

#include "scene/reader.h"

namespace dollop {

// A quantity that [expect] may name, and its unit.
struct MetricInfo {
  std::string name, unit;
  bool is_vector;
  bool of_survey = false;  // a quantity of Survey, which is measured on demand only
};
const std::vector<MetricInfo>& metrics_known();
bool needs_survey(const std::string& metric);

// The colliders that a domain with shear_rate adds, as src/solvers names them.
inline constexpr const char* shear_plates[] = {"shear-low", "shear-high"};

// Metrics of each collider that has a name, without "contact_forces.NAME": "" is the force itself.
const std::vector<MetricInfo>& contact_metrics();

// Metrics of each gauge, without "gauges.NAME.".
const std::vector<MetricInfo>& gauge_metrics();

// Reads [expect] of a scene whose colliders, gauges and duration are known.
std::vector<Expectation> read_expectations(const Reader& reader, const Node& table, const Scene& scene);

}  // namespace dollop
