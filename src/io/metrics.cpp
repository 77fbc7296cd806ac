#include "io/metrics.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <fstream>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include "io/atomic_file.h"
#include "io/json.h"
#include "io/read_file.h"

namespace dollop {

namespace {

using Value = std::variant<double, std::int64_t, std::uint64_t, Double3>;

struct Field {
  const char* name;
  Value (*get)(const FrameRecord&);
};

// All fields but state_hash, contact_forces and gauges. The order is that of the file.
constexpr Field fields[] = {
    {"frame", [](const FrameRecord& r) { return Value(r.frame); }},
    {"time", [](const FrameRecord& r) { return Value(r.metrics.time); }},
    {"steps", [](const FrameRecord& r) { return Value(r.metrics.steps); }},
    {"dt_min", [](const FrameRecord& r) { return Value(r.metrics.dt_min); }},
    {"dt_max", [](const FrameRecord& r) { return Value(r.metrics.dt_max); }},
    {"particles", [](const FrameRecord& r) { return Value(r.metrics.particles); }},
    {"mass", [](const FrameRecord& r) { return Value(r.metrics.mass); }},
    {"momentum", [](const FrameRecord& r) { return Value(r.metrics.momentum); }},
    {"angular_momentum", [](const FrameRecord& r) { return Value(r.metrics.angular_momentum); }},
    {"center_of_mass", [](const FrameRecord& r) { return Value(r.metrics.center_of_mass); }},
    {"kinetic_energy", [](const FrameRecord& r) { return Value(r.metrics.kinetic_energy); }},
    {"elastic_energy", [](const FrameRecord& r) { return Value(r.metrics.elastic_energy); }},
    {"bounds_min", [](const FrameRecord& r) { return Value(r.metrics.bounds_min); }},
    {"bounds_max", [](const FrameRecord& r) { return Value(r.metrics.bounds_max); }},
    {"max_speed", [](const FrameRecord& r) { return Value(r.metrics.max_speed); }},
    {"min_J", [](const FrameRecord& r) { return Value(r.metrics.min_J); }},
    {"max_J", [](const FrameRecord& r) { return Value(r.metrics.max_J); }},
    {"weak", [](const FrameRecord& r) { return Value(r.metrics.weak); }},
    {"inserted", [](const FrameRecord& r) { return Value(r.metrics.inserted); }},
    {"merged", [](const FrameRecord& r) { return Value(r.metrics.merged); }},
    {"removed", [](const FrameRecord& r) { return Value(r.metrics.removed); }},
    {"removed_mass", [](const FrameRecord& r) { return Value(r.metrics.removed_mass); }},
    {"inner_iterations", [](const FrameRecord& r) { return Value(r.metrics.inner_iterations); }},
    {"wall_s", [](const FrameRecord& r) { return Value(r.wall_s); }},
    {"particle_steps_per_s", [](const FrameRecord& r) { return Value(r.particle_steps_per_s); }},
    {"peak_memory_bytes", [](const FrameRecord& r) { return Value(std::uint64_t(r.peak_memory_bytes)); }},
};
// fields after state_hash
constexpr Field extra_fields[] = {
    {"mass_error", [](const FrameRecord& r) { return Value(r.metrics.mass_error); }},
    {"emitted", [](const FrameRecord& r) { return Value(r.metrics.emitted); }},
    {"outer_iterations", [](const FrameRecord& r) { return Value(r.metrics.outer_iterations); }},
    {"residual", [](const FrameRecord& r) { return Value(r.metrics.residual); }},
    {"rejected_steps", [](const FrameRecord& r) { return Value(r.metrics.rejected_steps); }},
    {"resample_energy", [](const FrameRecord& r) { return Value(r.metrics.resample_energy); }},
    {"resample_angular_momentum",
     [](const FrameRecord& r) { return Value(r.metrics.resample_angular_momentum); }},
    {"mean_J", [](const FrameRecord& r) { return Value(r.metrics.mean_J); }},
    {"max_increment", [](const FrameRecord& r) { return Value(r.metrics.max_increment); }},
    {"affine_energy", [](const FrameRecord& r) { return Value(r.metrics.affine_energy); }},
    {"velocity_noise", [](const FrameRecord& r) { return Value(r.metrics.velocity_noise); }},
};
// of a survey, after those; left out where none was made
template <auto Member>
Value surveyed(const FrameRecord& r) {
  return r.metrics.survey ? Value((*r.metrics.survey).*Member)
                          : Value(std::numeric_limits<double>::quiet_NaN());
}
constexpr Field survey_fields[] = {
    {"volume", surveyed<&Survey::volume>},
    {"density_mean", surveyed<&Survey::density_mean>},
    {"density_min", surveyed<&Survey::density_min>},
    {"density_max", surveyed<&Survey::density_max>},
    {"density_within", surveyed<&Survey::density_within>},
    {"voids", surveyed<&Survey::voids>},
    {"pieces", surveyed<&Survey::pieces>},
    {"longest_thread", surveyed<&Survey::longest_thread>},
};

std::string value_to_json(const Value& value) {
  if (const auto* number = std::get_if<double>(&value)) return json_number(*number);
  if (const auto* number = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *number);
  if (const auto* number = std::get_if<std::uint64_t>(&value)) return fmt::format("{}", *number);
  const Double3& v = std::get<Double3>(value);
  return fmt::format("[{},{},{}]", json_number(v[0]), json_number(v[1]), json_number(v[2]));
}

const Field* find_field(std::string_view name) {
  for (const Field& field : fields)
    if (name == field.name) return &field;
  for (const Field& field : extra_fields)
    if (name == field.name) return &field;
  for (const Field& field : survey_fields)
    if (name == field.name) return &field;
  return nullptr;
}

// 0 1 2 for x y z; none for other words
std::optional<std::size_t> axis_of(std::string_view word) {
  if (word == "x") return 0;
  if (word == "y") return 1;
  if (word == "z") return 2;
  return std::nullopt;
}

[[noreturn]] void unknown(const std::string& name, const std::string& reason) {
  throw std::out_of_range(fmt::format("'{}' is not a number of the metrics: {}", name, reason));
}

// splits at the last dot: "a.b.c" -> "a.b", "c"
std::pair<std::string_view, std::string_view> split_last(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return {name, {}};
  return {name.substr(0, dot), name.substr(dot + 1)};
}

// a number, or with `component` ".x" one of a vector; `name` is for the error
double number_of(const Value& value, const std::string& name, std::string_view component) {
  const auto* vector = std::get_if<Double3>(&value);
  if (component.empty()) {
    if (const auto* number = std::get_if<double>(&value)) return *number;
    if (const auto* number = std::get_if<std::int64_t>(&value)) return double(*number);
    if (const auto* number = std::get_if<std::uint64_t>(&value)) return double(*number);
    unknown(name, fmt::format("it is a vector; write {0}.x, {0}.y or {0}.z", name));
  }
  const std::optional<std::size_t> axis = axis_of(component.substr(1));
  if (vector == nullptr || !axis)
    unknown(name, fmt::format("'{}' has no component '{}'", name.substr(0, name.size() - component.size()),
                              component.substr(1)));
  return (*vector)[*axis];
}

// "COLLIDER.x", "COLLIDER.force.x" or "COLLIDER.torque.x"; names of colliders may hold dots themselves
double contact_value(const FrameRecord& record, const std::string& name, std::string_view rest) {
  const auto [owner, component] = split_last(rest);
  const std::optional<std::size_t> axis = axis_of(component);
  if (!axis) unknown(name, "write contact_forces.NAME.x (or .y, .z), or contact_forces.NAME.torque.x");
  const auto [stem, quantity] = split_last(owner);
  for (const ContactForce& contact : record.metrics.contact_forces) {
    if (contact.collider == owner) return contact.force[*axis];
    if (contact.collider == stem && quantity == "force") return contact.force[*axis];
    if (contact.collider == stem && quantity == "torque") return contact.torque[*axis];
  }
  unknown(name, fmt::format("no collider is named '{}'", owner));
}

struct GaugeField {
  const char* name;
  Value (*get)(const GaugeReading&);
};
constexpr GaugeField gauge_fields[] = {
    {"particles", [](const GaugeReading& r) { return Value(r.particles); }},
    {"mass", [](const GaugeReading& r) { return Value(r.mass); }},
    {"flow", [](const GaugeReading& r) { return Value(r.flow); }},
    {"momentum", [](const GaugeReading& r) { return Value(r.momentum); }},
    {"center_of_mass", [](const GaugeReading& r) { return Value(r.center_of_mass); }},
    {"kinetic_energy", [](const GaugeReading& r) { return Value(r.kinetic_energy); }},
    {"bounds_min", [](const GaugeReading& r) { return Value(r.bounds_min); }},
    {"bounds_max", [](const GaugeReading& r) { return Value(r.bounds_max); }},
    {"max_speed", [](const GaugeReading& r) { return Value(r.max_speed); }},
};

// "NAME.mass" or "NAME.momentum.x"; names of gauges may hold dots themselves
double gauge_value(const FrameRecord& record, const std::string& name, std::string_view rest) {
  for (const GaugeReading& reading : record.metrics.gauges) {
    if (!rest.starts_with(reading.gauge + ".")) continue;
    const std::string_view quantity = rest.substr(reading.gauge.size() + 1);
    for (const GaugeField& field : gauge_fields)
      if (quantity == field.name || split_last(quantity).first == field.name)
        return number_of(field.get(reading), name, quantity.substr(std::string_view(field.name).size()));
  }
  unknown(name, "write gauges.NAME.mass, or another number of a gauge of the scene");
}

std::string gauges_json(const std::vector<GaugeReading>& readings) {
  std::vector<std::string> gauges;
  for (const GaugeReading& reading : readings) {
    std::vector<std::string> values;
    for (const GaugeField& field : gauge_fields)
      values.push_back(fmt::format("\"{}\":{}", field.name, value_to_json(field.get(reading))));
    gauges.push_back(fmt::format("{}:{{{}}}", json_string(reading.gauge), fmt::join(values, ",")));
  }
  return fmt::format("{{{}}}", fmt::join(gauges, ","));
}

std::string volume_changes_json(const std::vector<VolumeChange>& changes) {
  std::vector<std::string> values;
  for (const VolumeChange& c : changes)
    values.push_back(fmt::format("{}:{}", json_string(c.material), json_number(c.change)));
  return fmt::format("{{{}}}", fmt::join(values, ","));
}

double volume_change(const FrameRecord& record, const std::string& name, std::string_view material) {
  for (const VolumeChange& c : record.metrics.volume_changes)
    if (c.material == material) return c.change;
  unknown(name, fmt::format("no material is named '{}'", material));
}

std::string name_of(const MeshGaps& gaps) { return fmt::format("bodies[{}]", gaps.body); }

std::string mesh_gaps_json(const std::vector<MeshGaps>& gaps) {
  std::vector<std::string> values;
  for (const MeshGaps& g : gaps) values.push_back(fmt::format("\"{}\":{}", name_of(g), json_number(g.part)));
  return fmt::format("{{{}}}", fmt::join(values, ","));
}

double mesh_gaps(const FrameRecord& record, const std::string& name, std::string_view body) {
  for (const MeshGaps& g : record.metrics.mesh_gaps)
    if (name_of(g) == body) return g.part;
  unknown(name, fmt::format("'{}' has no surface mesh", body));
}

// The frame of a line that was written whole by append(); none if it is damaged.
std::optional<std::int64_t> frame_of(std::string_view line) {
  constexpr std::string_view start = "{\"frame\":";
  if (!line.starts_with(start) || !is_json(line)) return std::nullopt;
  std::int64_t frame = 0;
  const char* digits = line.data() + start.size();
  const auto [stop, error] = std::from_chars(digits, line.data() + line.size(), frame);
  if (error != std::errc() || *stop != ',') return std::nullopt;
  return frame;
}

// the lines to keep when a run goes on from `last_frame`
std::string kept_lines(std::string_view text, std::int64_t last_frame) {
  std::string kept;
  std::int64_t previous = -1;
  while (true) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return kept;  // a line without its end is damaged
    const std::optional<std::int64_t> frame = frame_of(text.substr(0, end));
    if (frame && *frame > previous && *frame <= last_frame) {
      kept += text.substr(0, end + 1);
      previous = *frame;
    }
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::string to_json(const FrameRecord& record) {
  std::string line = "{";
  const auto add = [&](const Field& field) {
    line += fmt::format("\"{}\":{},", field.name, value_to_json(field.get(record)));
  };
  for (const Field& field : fields) add(field);
  line += fmt::format("\"state_hash\":\"{:016x}\",", record.state_hash);
  for (const Field& field : extra_fields) add(field);
  if (record.metrics.survey)
    for (const Field& field : survey_fields) add(field);
  line += "\"contact_forces\":{";
  const char* separator = "";
  for (const ContactForce& contact : record.metrics.contact_forces) {
    line += fmt::format("{}{}:{{\"force\":{},\"torque\":{}}}", separator, json_string(contact.collider),
                        value_to_json(contact.force), value_to_json(contact.torque));
    separator = ",";
  }
  line += "}";
  if (!record.metrics.gauges.empty())
    line += fmt::format(",\"gauges\":{}", gauges_json(record.metrics.gauges));
  if (!record.metrics.volume_changes.empty())
    line += fmt::format(",\"volume_change\":{}", volume_changes_json(record.metrics.volume_changes));
  if (!record.metrics.mesh_gaps.empty())
    line += fmt::format(",\"mesh_gaps\":{}", mesh_gaps_json(record.metrics.mesh_gaps));
  return line + "}";
}

double metric_value(const FrameRecord& record, const std::string& name) {
  constexpr std::string_view contacts = "contact_forces.";
  if (name.starts_with(contacts))
    return contact_value(record, name, std::string_view(name).substr(contacts.size()));

  constexpr std::string_view gauges = "gauges.";
  if (name.starts_with(gauges))
    return gauge_value(record, name, std::string_view(name).substr(gauges.size()));

  constexpr std::string_view changes = "volume_change.";
  if (name.starts_with(changes))
    return volume_change(record, name, std::string_view(name).substr(changes.size()));
  constexpr std::string_view gaps = "mesh_gaps.";
  if (name.starts_with(gaps)) return mesh_gaps(record, name, std::string_view(name).substr(gaps.size()));
  if (const Field* field = find_field(name)) return number_of(field->get(record), name, "");
  const auto [stem, component] = split_last(name);
  const Field* field = find_field(stem);
  if (field == nullptr) unknown(name, "there is no field of this name");
  return number_of(field->get(record), name, std::string_view(name).substr(stem.size()));
}

MetricsFile::MetricsFile(const std::filesystem::path& file, int flags) : file_(file) {
  descriptor_ = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | flags, 0666);
  if (descriptor_ < 0) throw OutputError(file, errno);
}

MetricsFile MetricsFile::create(const std::filesystem::path& file) { return {file, O_TRUNC}; }

MetricsFile MetricsFile::resume(const std::filesystem::path& file, std::int64_t last_frame) {
  std::error_code error;  // a missing file has no lines
  const std::string text = std::filesystem::exists(file, error) ? read_whole_file(file) : std::string();
  const std::string kept = kept_lines(text, last_frame);
  if (kept != text) write_file(file, kept, Durability::synced);
  return {file, 0};
}

MetricsFile::~MetricsFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

MetricsFile::MetricsFile(MetricsFile&& other) noexcept
    : file_(std::move(other.file_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

MetricsFile& MetricsFile::operator=(MetricsFile&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

void MetricsFile::append(const FrameRecord& record) {
  const std::string line = to_json(record) + "\n";
  const off_t before = ::lseek(descriptor_, 0, SEEK_END);
  try {
    write_all(descriptor_, line.data(), line.size(), file_);
  } catch (const OutputError&) {
    // a full disk may have taken a part of the line: take it back; if that fails too, resume() will drop it
    std::error_code ignored;
    if (before >= 0) std::filesystem::resize_file(file_, std::uintmax_t(before), ignored);
    throw;
  }
}

std::size_t peak_memory_bytes() {
  // the kernel's high-water mark of this program; that of getrusage may be of the one that started it
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stoull(line.substr(6)) * 1024;
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return std::size_t(usage.ru_maxrss) * 1024;
}

}  // namespace dollop
