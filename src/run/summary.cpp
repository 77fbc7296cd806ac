#include "run/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "core/amounts.h"
#include "materials/registry.h"

namespace dollop {
namespace {

constexpr double target_change = 0.01;  // of the bulk modulus that a warning names

void raise(RunSummary::Worst& worst, double value, double time) {
  if (value > worst.value) worst = {value, time};
}
void lower(RunSummary::Worst& worst, double value, double time) {
  if (value < worst.value) worst = {value, time};
}

double parameter(const ModelInfo& model, const std::vector<double>& values, std::string_view name) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (model.parameters[i].name == name) return values[i];
  return 0;
}

struct ElasticModuli {
  double shear = 0, bulk = 0;  // [Pa]
};
ElasticModuli moduli_of(const ModelInfo& model, const std::vector<double>& values) {
  const double young = parameter(model, values, "young_modulus"),
               poisson = parameter(model, values, "poisson_ratio");
  return {young / (2 * (1 + poisson)), young / (3 * (1 - 2 * poisson))};
}

// Whether a lasting change of volume is a loss. The law of sand changes it, and an elastic material with a Poisson ratio
// up to 0.45 was made compressible.
bool should_keep_volume(const ModelInfo& model, const std::vector<double>& values) {
  const auto has = [](const auto& list, std::string_view name) {
    return std::any_of(list.begin(), list.end(), [&](const auto& item) { return item.name == name; });
  };
  if (has(model.columns, "volume_gain")) return false;
  const ElasticModuli moduli = moduli_of(model, values);
  return has(model.parameters, "yield_stress") || moduli.bulk > 10 * moduli.shear;
}

}  // namespace

void SummaryTracker::add(const FrameRecord& record) {
  const Metrics& m = record.metrics;
  summary_.steps = m.steps, summary_.rejected_steps = m.rejected_steps;
  if (m.dt_min > 0 && (summary_.shortest_step.value == 0 || m.dt_min < summary_.shortest_step.value))
    summary_.shortest_step = {m.dt_min, m.time};
  raise(summary_.mass_error, m.mass_error, m.time);
  lower(summary_.min_J, m.min_J, m.time), raise(summary_.max_J, m.max_J, m.time);
  for (const VolumeChange& c : m.volume_changes) {
    raise(summary_.volume_change[c.material], c.change, m.time);
    volume_changes_[c.material].push_back(c.change);
  }
  for (const MeshGaps& gaps : m.mesh_gaps)
    if (gaps.part > much_of_a_mesh)
      torn_meshes_.try_emplace(gaps.body, TornMesh{record.frame, m.time, gaps.part});
}

void SummaryTracker::replay(const std::vector<Line>& lines, int last_frame) {
  constexpr std::string_view changes = "volume_change.", gaps = "mesh_gaps.bodies[";
  for (const Line& line : lines) {
    const auto value = [&](const char* name, double otherwise) {
      const auto found = line.find(name);
      return found == line.end() ? otherwise : found->second;
    };
    if (value("frame", last_frame + 1.0) > last_frame) continue;
    FrameRecord record;
    record.frame = std::int64_t(value("frame", 0));
    Metrics& m = record.metrics;
    m.time = value("time", 0), m.steps = std::int64_t(value("steps", 0));
    m.rejected_steps = std::int64_t(value("rejected_steps", 0));
    m.dt_min = value("dt_min", 0), m.mass_error = value("mass_error", 0);
    m.min_J = value("min_J", 1), m.max_J = value("max_J", 1);
    for (const auto& [name, number] : line)
      if (name.starts_with(changes))
        m.volume_changes.push_back({name.substr(changes.size()), number});
      else if (name.starts_with(gaps))
        m.mesh_gaps.push_back({std::atoi(name.c_str() + gaps.size()), number});
    add(record);
  }
}

// An impact may squeeze a material for a moment; a change that lasts is one of some frames.
std::string SummaryTracker::volume_warning(const SceneFile& file, const Material& material) const {
  constexpr std::size_t least_frames = 3;
  const auto found = volume_changes_.find(material.name);
  if (found == volume_changes_.end()) return "";
  const ModelInfo& model = models()[std::size_t(find_model(material.model))];
  const std::vector<double> values = resolve_parameters(model, material.parameters);
  if (!should_keep_volume(model, values)) return "";
  const std::vector<double>& changes = found->second;
  const auto frames = std::size_t(
      std::count_if(changes.begin(), changes.end(), [](double c) { return c > much_volume_change; }));
  if (frames < std::max(least_frames, (changes.size() + 3) / 4)) return "";

  const RunSummary::Worst& change = summary_.volume_change.at(material.name);
  const ElasticModuli moduli = moduli_of(model, values);
  const double bulk = rounded_up(moduli.bulk * change.value / target_change, 2);
  const auto stiffness = [&](double k) { return std::max(3 * k, 2 * moduli.shear); };
  const bool is_given = file.positions.contains(fmt::format("materials.{}.bulk_modulus", material.name));
  const std::string how =
      is_given ? fmt::format("bulk_modulus = {:.3g} instead of {:.3g}", bulk, moduli.bulk)
               : fmt::format("shear_modulus = {:.4g} and bulk_modulus = {:.3g}, which is {:.3g} now,",
                             moduli.shear, bulk, moduli.bulk);
  return fmt::format(
      "the volume of '{}' changed by up to {:.2g} % on average, at {:.4g} s, and by more than {:g} % in {} "
      "of {} frames; in "
      "[materials.{}], {} (Pa) keeps it near {:g} %, with time steps {:.2g} times as long",
      material.name, 100 * change.value, change.time, 100 * much_volume_change, frames, changes.size(),
      material.name, how, 100 * target_change, std::sqrt(stiffness(moduli.bulk) / stiffness(bulk)));
}

std::string SummaryTracker::mesh_warning(const SceneFile& file, int body, const TornMesh& torn) const {
  return fmt::format(
      "the surface mesh of bodies[{}], of '{}', spans gaps in the material from frame {} on, at {:.4g} s: "
      "{:.2g} % of "
      "its edges then; a surface mesh cannot tear, so leave out surface_mesh to have a surface made from the "
      "particles",
      body, file.scene.bodies[std::size_t(body)].material, torn.frame, torn.time, 100 * torn.part);
}

RunSummary SummaryTracker::result(const SceneFile& file, double seconds) const {
  RunSummary summary = summary_;
  summary.seconds = seconds;
  for (const Material& material : file.scene.materials)
    if (const std::string warning = volume_warning(file, material); !warning.empty())
      summary.warnings.push_back(warning);
  for (const auto& [body, torn] : torn_meshes_)
    if (std::size_t(body) < file.scene.bodies.size())
      summary.warnings.push_back(mesh_warning(file, body, torn));
  return summary;
}

}  // namespace dollop
