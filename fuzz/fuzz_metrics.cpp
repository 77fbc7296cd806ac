// Feeds arbitrary text to the readers of metrics.jsonl: a run that is resumed, which keeps the lines up to a frame, and
// plots, expectations and the summary, which are made of all lines. Damaged lines are left out; nothing may be refused.
#include <dollop/simulation.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "io/atomic_file.h"
#include "io/metrics.h"
#include "io/read_metrics.h"
#include "io/run_plots.h"
#include "run/expectations.h"
#include "run/summary.h"
#include "scene/read_scene.h"
#include "target.h"

namespace dollop::fuzz {

namespace {

constexpr int last_frame = 2;

const SceneFile& scene() {
  static const SceneFile made = parse_scene(R"([simulation]
duration = 0.2
frame_rate = 20
cell_size = 0.02
[materials.clay]
model = "von-mises"
young_modulus = 4e4
yield_stress = 100
[[bodies]]
material = "clay"
shape = { box = { center = [0, 0.1, 0], size = [0.06, 0.06, 0.06] } }
[[colliders]]
name = "ground"
shape = { plane = { point = [0, 0, 0], normal = [0, 1, 0] } }
[expect]
center_of_mass.y = ["> 0 always", "~ 0.1 +- 20 % at 0.1 s"]
contact_forces.ground.y = ">= 0 sometime"
)",
                                            "fuzz.toml");
  return made;
}

std::string line_of(std::int64_t frame) {
  FrameRecord record;
  record.frame = frame;
  Metrics& m = record.metrics;
  m.time = 0.05 * double(frame), m.steps = 40 * frame, m.dt_min = 1e-5, m.dt_max = 2e-5;
  m.particles = 216, m.mass = 0.216, m.momentum = {1, -2, 3}, m.center_of_mass = {0, 0.1, 0};
  m.kinetic_energy = 7.5, m.elastic_energy = 0.75, m.bounds_min = {-1, -2, -3}, m.bounds_max = {4, 5, 6};
  m.max_speed = 9.81, m.min_J = 0.9, m.max_J = 1.1, m.weak = 4,
  m.survey = Survey{.volume = 1e-4, .pieces = 1};
  m.contact_forces = {{"ground", {1, -2, 3}, {0.1, 0.2, 0.3}}};
  m.gauges = {{.gauge = "below", .particles = 3, .mass = 0.003}};
  m.volume_changes = {{"clay", 0.01}};
  record.wall_s = 0.25, record.particle_steps_per_s = 3e7, record.peak_memory_bytes = 1 << 26;
  record.state_hash = 0x0123456789abcdef;
  return to_json(record) + "\n";
}

// what a resumed run keeps must be kept again as it is
void resume(const std::string& text) {
  static const TemporaryFolder folder;
  const std::filesystem::path file = folder / "metrics.jsonl";
  write_file(file, text);
  MetricsFile::resume(file, last_frame);
  const std::string kept = bytes_of(file);
  require(kept.size() <= text.size(), "lines were added");
  MetricsFile::resume(file, last_frame);
  require(bytes_of(file) == kept, "lines that were kept are not kept again");
}

}  // namespace

std::vector<std::string> seeds() { return {line_of(0), line_of(0) + line_of(1) + line_of(2) + line_of(3)}; }

bool accepts(const std::string& input) {
  resume(input);
  static const MemoryFile file;
  file.hold(input);
  const std::vector<std::map<std::string, double>> lines = read_metrics(file.path());
  const std::vector<RunPlot> plots = make_run_plots(lines, "fuzz");
  overview_svg(plots, "fuzz");
  ExpectationTracker tracker(scene().scene.expectations, 0.05);
  tracker.replay(lines, last_frame);
  tracker.results();
  SummaryTracker summary;
  summary.replay(lines, last_frame);
  summary.result(scene(), 1);
  return !lines.empty();
}

}  // namespace dollop::fuzz
