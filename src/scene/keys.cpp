#include "scene/keys.h"

#include <fmt/format.h>

namespace dollop {
namespace {

// bounds that are round in another unit are shown with six digits
std::string bound_text(double bound) {
  const std::string exact = fmt::format("{}", bound);
  return exact.size() <= 8 ? exact : fmt::format("{:.6g}", bound);
}

}  // namespace

const Key* Section::find(const std::string& key) const {
  for (const Key& k : keys)
    if (k.name == key) return &k;
  return nullptr;
}

std::vector<std::string> Section::names() const {
  std::vector<std::string> result;
  for (const Key& key : keys) result.push_back(key.name);
  return result;
}

std::string range_text(const Range& range) {
  if (range.infinite) {
    Range finite = range;
    finite.infinite = false;
    return range_text(finite) + " or inf";
  }
  const bool no_low = range.low <= -enormous, no_high = range.high >= enormous;
  const std::string low = bound_text(range.low), high = bound_text(range.high);
  if (no_low && no_high) return "";
  if (no_high) return fmt::format("{} {}", range.low_open ? ">" : ">=", low);
  if (no_low) return fmt::format("{} {}", range.high_open ? "<" : "<=", high);
  if (range.low == range.high) return low;
  return fmt::format("{}{} {} {}", range.low_open ? "above " : "", low, range.high_open ? "to below" : "to",
                     high);
}

std::string label_of(const Part& part) {
  return part.is_list ? fmt::format("[[{}]]", part.name) : fmt::format("[{}]", part.name);
}

const std::vector<Part>& parts() {
  static const std::vector<Part> all{{"simulation", simulation_section, false},
                                     {"domain", domain_section, false},
                                     {"bodies", body_section, true},
                                     {"emitters", emitter_section, true},
                                     {"colliders", collider_section, true},
                                     {"gauges", gauge_section, true},
                                     {"camera", camera_section, false},
                                     {"output", output_section, false}};
  return all;
}

}  // namespace dollop
