// What a run needs, before it starts.
#include <dollop/run.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <thread>

#include "materials/registry.h"
#include "particles/emission.h"
#include "particles/seeding.h"
#include "solvers/scene_space.h"
#include "solvers/time_step.h"

namespace dollop {
namespace {

// what the kernel would give to a new program, or what the container allows if that is less [bytes]
double available_memory() {
  double available = double(sysconf(_SC_PAGE_SIZE)) * double(sysconf(_SC_AVPHYS_PAGES));
  std::ifstream meminfo("/proc/meminfo");
  for (std::string line; std::getline(meminfo, line);)
    if (line.rfind("MemAvailable:", 0) == 0) available = 1024 * std::stod(line.substr(13));
  double limit = 0, used = 0;
  if (std::ifstream("/sys/fs/cgroup/memory.max") >> limit &&
      std::ifstream("/sys/fs/cgroup/memory.current") >> used)
    available = std::min(available, std::max(0.0, limit - used));
  return available;
}

double real_bytes(const Settings& s) { return s.precision == Precision::double_precision ? 8 : 4; }

// columns, ids, and the buffers of sorting
double bytes_per_particle(const Scene& scene, const Material& material) {
  const bool affine = scene.settings.transfer == Transfer::apic || scene.settings.transfer == Transfer::rpic;
  double reals = 8 + (affine ? 9 : 0) + 1;
  const int model = find_model(material.model);
  if (model >= 0) {
    const ModelInfo& info = models()[std::size_t(model)];
    for (const Column& column : info.columns_for(resolve_parameters(info, material.parameters).data()))
      reals += column.components;
  }
  return real_bytes(scene.settings) * reals + 24;
}

// nodes and tiles: 41 bytes a particle at eight a cell in float, measured for solid blocks; FLIP keeps twice as much
double grid_bytes_per_particle(const Settings& s, double per_cell) {
  return 45 * (8 / per_cell) * (real_bytes(s) / 4) * (s.transfer == Transfer::flip ? 2 : 1);
}

// a copy for output and two that wait to be written
double output_bytes_per_particle(const Output& output) {
  return output.particles.empty() && !output.preview ? 0 : 3 * (24 + 12.0 * double(output.attributes.size()));
}

// the shapes that a shape is made of
int count_shapes(const Shape& shape) {
  if (const Placed* placed = std::get_if<Placed>(&shape.form)) return count_shapes(*placed->shape);
  const std::vector<Shape>* members = nullptr;
  if (const Union* set = std::get_if<Union>(&shape.form)) members = &set->shapes;
  if (const Intersect* set = std::get_if<Intersect>(&shape.form)) members = &set->shapes;
  if (const Minus* set = std::get_if<Minus>(&shape.form)) members = &set->shapes;
  if (!members) return 1;
  int sum = 0;
  for (const Shape& member : *members) sum += count_shapes(member);
  return sum;
}

// seconds of one core for a preview picture, good to a factor of two: docs/performance.md
double picture_seconds(const Scene& scene, double particles) {
  int shapes = 0;
  for (const Collider& collider : scene.colliders) shapes += count_shapes(collider.shape);
  return 0.3 + 7e-7 * particles + 0.016 * shapes;
}

const Material* material_of(const Scene& scene, const std::string& name) {
  for (const Material& m : scene.materials)
    if (m.name == name) return &m;
  throw SceneError(fmt::format("there is no material named '{}'", name));
}

std::string bytes_text(double bytes) { return fmt::format("{:.3g} GiB", bytes / (1024.0 * 1024 * 1024)); }

// What the materials mean for implicit steps.
struct Implicit {
  double explicit_dt = std::numeric_limits<double>::infinity();  // that their stiffness would allow [s]
  bool symmetric = true;                                         // MINRES will do

  explicit Implicit(const Scene& scene) {
    for (const Body& body : scene.bodies) {
      add(scene, body.material);
      for (const Layer& layer : body.layers) add(scene, layer.material);
    }
    for (const Emitter& emitter : scene.emitters) add(scene, emitter.material);
    for (const Material& material : scene.materials) choose_solver(material);
  }

 private:
  void add(const Scene& scene, const std::string& name) {
    const Material& material = *material_of(scene, name);
    const int model = find_model(material.model);
    if (model < 0) return;
    const ModelInfo& info = models()[std::size_t(model)];
    const auto values = resolve_parameters(info, material.parameters);
    const double bound = stability_bound(info.stiffness(values.data()), scene.settings);
    explicit_dt = std::min(explicit_dt, scene.settings.dt_safety * bound);
  }
  // used or not, as the solver is chosen before anything is there
  void choose_solver(const Material& material) {
    const int model = find_model(material.model);
    if (model < 0) return;
    const ModelInfo& info = models()[std::size_t(model)];
    const bool tears = info.tears(resolve_parameters(info, material.parameters).data());
    symmetric = symmetric && info.symmetric_tangent && !tears;
  }
};

// Tangents, the fields of Newton's method and the vectors of MINRES or GMRES. 0.3 nodes a particle at eight a cell: large
// blocks have 0.2, and what is flat or scattered has more.
double newton_bytes_per_particle(const Settings& s, const Implicit& implicit, double per_cell) {
  const int fields = 7 + (implicit.symmetric ? 5 : s.linear_iterations + 1);
  return real_bytes(s) * (1.05 * 51 + 4 * 0.3 * (8 / per_cell) * fields);
}

// An implicit step, in explicit ones. The products that it takes grow with its length, and convergence may take several
// times as many: docs/performance.md.
double newton_cost(const Settings& s, const Implicit& implicit, double dt) {
  return 2 + std::min(6.5 * dt / implicit.explicit_dt, double(s.newton_iterations) * s.linear_iterations);
}

int thread_count(const Settings& s) {
  return s.threads > 0 ? s.threads : int(std::max(1u, std::thread::hardware_concurrency()));
}

// on one core, quadratic and cubic: docs/performance.md
double particle_steps_per_second(const Settings& s) {
  const double speed = s.kernel == Kernel::cubic ? 11e6 : 13e6;
  return speed * thread_count(s) * (s.precision == Precision::double_precision ? 0.45 : 1);
}

}  // namespace

RunEstimate estimate_run(const Scene& scene, double stable_dt) {
  RunEstimate estimate;
  estimate.bytes_available = available_memory();
  const BlockSpace space = space_of(scene);
  const Settings& settings = scene.settings;
  const Implicit implicit(scene);
  const bool newton = settings.solver == Solver::newton;
  const auto add = [&](const std::string& material, double per_cell, double particles) {
    estimate.particles += particles;
    estimate.bytes += particles * (bytes_per_particle(scene, *material_of(scene, material)) +
                                   grid_bytes_per_particle(settings, per_cell) +
                                   (newton ? newton_bytes_per_particle(settings, implicit, per_cell) : 0) +
                                   output_bytes_per_particle(scene.output));
  };
  for (const Body& body : scene.bodies)
    add(body.material, body.particles_per_cell, estimate_count(body.shape, space, body.particles_per_cell));
  for (const Emitter& emitter : scene.emitters)
    add(emitter.material, emitter.particles_per_cell,
        expected_volume(emitter, settings.duration) * emitter.particles_per_cell /
            std::pow(space.cell_size, 3));
  if (stable_dt > 0) {
    estimate.steps = std::ceil(settings.duration / stable_dt);
    estimate.seconds = estimate.steps * estimate.particles / particle_steps_per_second(settings);
    if (newton) estimate.seconds *= newton_cost(settings, implicit, stable_dt);
    if (scene.output.preview)
      estimate.seconds +=
          (frame_count(settings) + 1) * picture_seconds(scene, estimate.particles) / thread_count(settings);
  }
  return estimate;
}

void check_memory(const Scene& scene, double max_memory) {
  const RunEstimate need = estimate_run(scene);
  const double limit = max_memory > 0 ? max_memory : 0.95 * need.bytes_available;
  if (need.bytes <= limit) return;
  throw SceneError(fmt::format("about {:.3g} particles need {} of memory, and {} {}; make cell_size larger "
                               "(twice as large takes an "
                               "eighth), particles_per_cell smaller or the bodies smaller",
                               need.particles, bytes_text(need.bytes), bytes_text(limit),
                               max_memory > 0 ? "is what --max-memory allows" : "is free here"),
                   "simulation.cell_size");
}

int frame_count(const Settings& s) {
  return int(std::clamp(std::ceil(s.duration * s.frame_rate * (1 - 1e-9)), 1.0, 1e9));
}

double frame_time(const Settings& s, int frame) {
  return frame >= frame_count(s) ? s.duration : double(frame) / s.frame_rate;
}

}  // namespace dollop
