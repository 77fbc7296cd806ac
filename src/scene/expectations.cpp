#include "scene/expectations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "scene/units.h"

namespace dollop {
namespace {

using Kind = Node::Kind;

const char* const how_to_write =
    "write a comparison such as \"< 0.1\", \"> 2 cm at 1 s\", \"<= 1e-6 always\" or \"~ 0.3 +- 2 %\"";

// metrics that had other names once
constexpr std::pair<const char*, const char*> renamed_metrics[] = {
    {"newton_iterations", "outer_iterations"},
    {"solver_iterations", "inner_iterations"},
    {"newton_residual", "residual"},
};

bool take(std::string& text, const std::string& word) {
  if (text.compare(0, word.size(), word) != 0) return false;
  text.erase(0, std::min(text.size(), std::max(word.size(), text.find_first_not_of(' ', word.size()))));
  return true;
}
bool take_end(std::string& text, const std::string& word) {
  if (text.size() < word.size() || text.compare(text.size() - word.size(), word.size(), word) != 0)
    return false;
  text.erase(text.size() - word.size());
  text.erase(text.find_last_not_of(' ') + 1);
  return true;
}

// Parses one comparison. Each function returns an error message, or "".
struct Comparison {
  Expectation result;
  std::string unit;
  double duration;

  std::string read(const std::string& written) {
    std::string rest = written;
    rest.erase(0, std::min(rest.find_first_not_of(' '), rest.size()));
    rest.erase(rest.find_last_not_of(' ') + 1);
    for (const char* op : {"<=", ">=", "==", "!=", "<", ">", "~"})
      if (take(rest, op)) {
        result.op = op;
        break;
      }
    if (result.op.empty()) return how_to_write;
    if (const std::string fault = read_time(rest); !fault.empty()) return fault;
    if (result.op == "~") return read_tolerance(rest);
    return parse_quantity(rest, unit, result.value);
  }

  std::string read_time(std::string& rest) {
    if (take_end(rest, "at the end")) return "";
    if (take_end(rest, "always")) return result.when = Expectation::When::always, "";
    if (take_end(rest, "sometime")) return result.when = Expectation::When::sometime, "";
    const std::size_t at = rest.find(" at ");
    if (at == std::string::npos) return "";
    result.when = Expectation::When::at;
    if (const std::string fault = parse_quantity(rest.substr(at + 4), "s", result.time); !fault.empty())
      return fault;
    rest.erase(at);
    if (result.time < 0) return "the time must be >= 0";
    if (result.time > duration * (1 + 1e-12))
      return fmt::format("the time {} s is after the end of the run, {} s", result.time, duration);
    return "";
  }

  std::string read_tolerance(const std::string& rest) {
    std::size_t mark = rest.find("+-");
    if (mark == std::string::npos) mark = rest.find("±");
    if (mark == std::string::npos) return "~ needs a tolerance, such as \"~ 0.3 +- 2 %\"";
    if (const std::string fault = parse_quantity(rest.substr(0, mark), unit, result.value); !fault.empty())
      return fault;
    std::string tolerance = rest.substr(mark + 2);  // "+-" and "±" have two bytes each
    const bool relative = take_end(tolerance, "%");
    if (relative && tolerance.find('%') != std::string::npos) return "the tolerance has more than one %";
    const std::string fault = parse_quantity(tolerance, relative ? "" : unit, result.tolerance);
    if (!fault.empty()) return fault;
    if (relative) result.tolerance *= std::fabs(result.value) / 100;
    return result.tolerance >= 0 ? "" : "the tolerance must be >= 0";
  }
};

// Walks through [expect]; tables in it are the components of a metric.
class ExpectReader {
 public:
  ExpectReader(const Reader& reader, const Scene& scene)
      : reader_(reader), duration_(scene.settings.duration) {
    for (const MetricInfo& metric : metrics_known()) add(metric);
    for (const Collider& collider : scene.colliders)
      if (!collider.name.empty()) add_contact(collider.name);
    if (scene.domain && scene.domain->shear_rate)
      for (const char* plate : shear_plates) add_contact(plate);
    for (const Material& material : scene.materials) add({"volume_change." + material.name, "", false});
    for (std::size_t b = 0; b < scene.bodies.size(); ++b)
      if (!scene.bodies[b].surface_mesh.empty()) add({fmt::format("mesh_gaps.bodies[{}]", b), "", false});
    for (const Gauge& gauge : scene.gauges)
      for (const MetricInfo& metric : gauge_metrics())
        add({fmt::format("gauges.{}.{}", gauge.name, metric.name), metric.unit, metric.is_vector});
  }

  void read(const Node& table, const std::string& prefix) {
    for (const Entry& entry : table.entries) {
      const std::string name = prefix + entry.key;
      if (entry.value.is(Kind::table))
        read(entry.value, name + ".");
      else
        read_metric(name, entry);
    }
  }
  std::vector<Expectation> result;

 private:
  void add(const MetricInfo& metric) {
    if (!metric.is_vector) units_[metric.name] = metric.unit;
    for (const char* axis : {".x", ".y", ".z"})
      if (metric.is_vector) units_[metric.name + axis] = metric.unit;
  }
  void add_contact(const std::string& collider) {
    for (const MetricInfo& metric : contact_metrics())
      add({"contact_forces." + collider + metric.name, metric.unit, metric.is_vector});
  }

  void read_metric(const std::string& name, const Entry& entry) {
    const auto known = units_.find(name);
    if (known == units_.end()) unknown(name, entry);
    if (!given_.insert(name).second) reader_.fail(entry.at, fmt::format("'{}' is given twice", name));
    if (!entry.value.is(Kind::array)) return read_text(name, known->second, entry.value);
    if (entry.value.items.empty()) reader_.fail(entry.value.at, how_to_write);
    for (const Node& item : entry.value.items) read_text(name, known->second, item);
  }

  [[noreturn]] void unknown(const std::string& name, const Entry& entry) {
    std::vector<std::string> names;
    for (const auto& [metric, unit] : units_) names.push_back(metric);
    std::string hint = suggestion(name, names);
    for (const auto& [old, now] : renamed_metrics)
      if (name == old) hint = fmt::format("; it is now called '{}'", now);
    if (units_.count(name + ".x")) hint = fmt::format("; it is a vector: write \"{}.x\", .y or .z", name);
    if (hint.empty() && name.compare(0, 14, "contact_forces") == 0)
      hint = "; write contact_forces.NAME.x, or .torque.x, with the name of a collider";
    if (hint.empty() && name.compare(0, 13, "volume_change") == 0)
      hint = "; write volume_change.NAME with the name of a material";
    if (hint.empty() && name.compare(0, 6, "gauges") == 0)
      hint = "; write gauges.NAME.mass, say, with the name of one of the [[gauges]]";
    reader_.fail(entry.at, fmt::format("'{}' is not a metric{}", shown(name), hint));
  }

  void read_text(const std::string& name, const std::string& unit, const Node& node) {
    if (!node.is(Kind::text)) reader_.fail(node.at, how_to_write);
    Comparison comparison{{}, unit, duration_};
    comparison.result.metric = name, comparison.result.text = node.text;
    if (const std::string fault = comparison.read(node.text); !fault.empty())
      reader_.fail(node.at, fmt::format("'{}': {}", name, fault));
    result.push_back(comparison.result);
  }

  const Reader& reader_;
  double duration_;
  std::map<std::string, std::string> units_;
  std::set<std::string> given_;
};

}  // namespace

const std::vector<MetricInfo>& metrics_known() {
  static const std::vector<MetricInfo> all{
      {"time", "s", false},
      {"steps", "", false},
      {"dt_min", "s", false},
      {"dt_max", "s", false},
      {"particles", "", false},
      {"mass", "kg", false},
      {"mass_error", "", false},
      {"momentum", "kg m/s", true},
      {"angular_momentum", "kg m^2/s", true},
      {"center_of_mass", "m", true},
      {"kinetic_energy", "J", false},
      {"elastic_energy", "J", false},
      {"affine_energy", "J", false},
      {"velocity_noise", "m/s", false},
      {"bounds_min", "m", true},
      {"bounds_max", "m", true},
      {"max_speed", "m/s", false},
      {"min_J", "", false},
      {"max_J", "", false},
      {"mean_J", "", false},
      {"max_increment", "", false},
      {"weak", "", false},
      {"emitted", "", false},
      {"inserted", "", false},
      {"merged", "", false},
      {"removed", "", false},
      {"removed_mass", "kg", false},
      {"resample_energy", "J", false},
      {"resample_angular_momentum", "kg m^2/s", true},
      {"rejected_steps", "", false},
      {"outer_iterations", "", false},
      {"inner_iterations", "", false},
      {"residual", "", false},
      {"wall_s", "s", false},
      {"particle_steps_per_s", "1/s", false},
      {"peak_memory_bytes", "", false},
      {"volume", "m^3", false, true},
      {"density_mean", "kg/m^3", false, true},
      {"density_min", "kg/m^3", false, true},
      {"density_max", "kg/m^3", false, true},
      {"density_within", "", false, true},
      {"voids", "m^3", false, true},
      {"pieces", "", false, true},
      {"longest_thread", "m", false, true},
  };
  return all;
}

const std::vector<MetricInfo>& contact_metrics() {
  static const std::vector<MetricInfo> all{{"", "N", true}, {".torque", "N m", true}};
  return all;
}

const std::vector<MetricInfo>& gauge_metrics() {
  static const std::vector<MetricInfo> all{
      {"particles", "", false},     {"mass", "kg", false},         {"flow", "kg/s", false},
      {"momentum", "kg m/s", true}, {"center_of_mass", "m", true}, {"kinetic_energy", "J", false},
      {"bounds_min", "m", true},    {"bounds_max", "m", true},     {"max_speed", "m/s", false},
  };
  return all;
}

bool needs_survey(const std::string& metric) {
  for (const MetricInfo& known : metrics_known())
    if (known.name == metric) return known.of_survey;
  return false;
}

std::vector<std::string> metric_names() {
  std::vector<std::string> names;
  for (const MetricInfo& metric : metrics_known())
    if (metric.is_vector)
      for (const char* axis : {".x", ".y", ".z"}) names.push_back(metric.name + axis);
    else
      names.push_back(metric.name);
  return names;
}

std::vector<Expectation> read_expectations(const Reader& reader, const Node& table, const Scene& scene) {
  ExpectReader expect(reader, scene);
  expect.read(table, "");
  return expect.result;
}

}  // namespace dollop
