// What a run needs, before it starts.
#include <dollop/run.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <thread>

#include "core/amounts.h"
#include "materials/registry.h"
#include "particles/emission.h"
#include "particles/seeding.h"
#include "run/disk_estimate.h"
#include "run/preview_plan.h"
#include "solvers/frame/method_calls.h"
#include "solvers/phases/round_trips.h"
#include "solvers/setup/body_surfaces.h"
#include "solvers/setup/scene_space.h"

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
  double reals = ParticleGroup<float>::common_arrays + 1;
  for (const Column& column : columns(method_of<float>(scene.settings), scene.settings))
    reals += column.components;
  const int model = find_model(material.model);
  if (model >= 0) {
    const ModelInfo& info = models()[std::size_t(model)];
    for (const Column& column : info.columns_for(resolve_parameters(info, material.parameters).data()))
      reals += column.components;
  }
  return real_bytes(scene.settings) * reals + 24;
}

// a copy for output and two that wait to be written
double output_bytes_per_particle(const Output& output) {
  return output.particles.empty() && !output.preview ? 0 : 3 * (24 + 12.0 * double(output.attributes.size()));
}

constexpr double point_seconds = 2.5e-7;  // of a point of a surface mesh in a step on one core

// A mesh, its points in the state, and its vertices in a frame for output and in two that wait to be written.
double bytes_of(const EmbeddedMesh& mesh) {
  const double vertex = sizeof(float) * (mesh.uv.empty() ? 9 : 11), triangle = sizeof(mesh.triangles[0]);
  return double(mesh.bytes() + mesh.points.size() * 2 * sizeof(Double3)) +
         3 * (vertex * double(mesh.point_of.size()) + triangle * double(mesh.triangles.size()));
}

const Material* material_of(const Scene& scene, const std::string& name) {
  for (const Material& m : scene.materials)
    if (m.name == name) return &m;
  throw SceneError(fmt::format("there is no material named '{}'", name));
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
  const Method<float> method = method_of<float>(settings);
  const auto method_bytes = [&](double per_cell) {
    return settings.precision == Precision::double_precision
               ? expected_bytes(method_of<double>(settings), scene, per_cell)
               : expected_bytes(method, scene, per_cell);
  };
  const auto add = [&](const std::string& material, double per_cell, double particles) {
    estimate.particles += particles;
    estimate.bytes += particles * (bytes_per_particle(scene, *material_of(scene, material)) +
                                   method_bytes(per_cell) + output_bytes_per_particle(scene.output));
  };
  for (const Body& body : scene.bodies)
    add(body.material, body.particles_per_cell, estimate_count(body.shape, space, body.particles_per_cell));
  for (const Emitter& emitter : scene.emitters)
    add(emitter.material, emitter.particles_per_cell,
        expected_volume(emitter, settings.duration) * emitter.particles_per_cell /
            std::pow(space.cell_size, 3));
  const std::vector<BodySurface> meshes = body_surfaces(scene);
  for (const BodySurface& surface : meshes) estimate.bytes += bytes_of(surface.mesh);
  const ParticleForecast forecast(scene);
  const double mean = estimate.particles - forecast.emitted(settings.duration) +
                      forecast.emission(settings.duration) / settings.duration;
  double state_bytes = 0;  // of a particle
  for (const Material& material : scene.materials)
    state_bytes = std::max(state_bytes, bytes_per_particle(scene, material));
  const PreviewPlan pictures =
      scene.output.preview && stable_dt > 0 ? plan_preview(scene, stable_dt) : PreviewPlan{};
  estimate.disk_bytes = estimate_disk(scene, mean, estimate.particles, state_bytes, pictures, meshes);
  if (stable_dt > 0) {
    estimate.steps = std::ceil(settings.duration / stable_dt);
    const double cost = step_cost(method, scene, stable_dt) + damping_cost(settings, stable_dt);
    estimate.seconds = estimate.steps * mean / particle_steps_per_second(settings) * cost;
    for (const BodySurface& surface : meshes)
      estimate.seconds +=
          estimate.steps * double(surface.mesh.points.size()) * point_seconds / thread_count(settings);
    if (scene.output.preview)
      estimate.seconds += preview_seconds(scene, pictures, mean) / thread_count(settings);
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
