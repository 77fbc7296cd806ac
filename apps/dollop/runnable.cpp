#include "runnable.h"

#include <dollop/run.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "boundary/motion.h"
#include "boundary/shape_distance.h"
#include "core/amounts.h"
#include "materials/registry.h"
#include "terminal.h"

namespace dollop {
namespace {

// notes on bodies whose initial particles resampling will change at once
void note_resampling(const Scene& scene) {
  const Settings& s = scene.settings;
  if (s.resample_every == 0 && s.resample_strain == 0) return;
  constexpr double usual = 8;  // particles per cell that resampling expects of a body without gaps
  const auto judge = [&](const char* list, std::size_t k, const auto& source) {
    const double count = source.particles_per_cell;
    if (count < 0.99 * usual)
      fmt::print(
          stderr,
          "dollop: note: {}[{}] has {:g} particles a cell; resampling fills it to about {:g} at once\n", list,
          k, count, usual);
    else if (count > 2 * usual)
      fmt::print(stderr,
                 "dollop: note: {}[{}] has {:g} particles a cell; resampling fills it only where fewer than "
                 "about {:g} are left\n",
                 list, k, count, usual);
    else if (source.seeding != Seeding::lattice)
      fmt::print(stderr,
                 "dollop: note: {}[{}] is not seeded as a lattice; resampling fills its gaps at once\n", list,
                 k);
  };
  for (std::size_t k = 0; k < scene.bodies.size(); ++k) judge("bodies", k, scene.bodies[k]);
  for (std::size_t k = 0; k < scene.emitters.size(); ++k) judge("emitters", k, scene.emitters[k]);
}

// notes on parameters of tearing of a material that does not tear; presets with tearing switched off may have them
void note_tearing(const SceneFile& file) {
  for (const Material& material : file.scene.materials) {
    const ModelInfo& model = models()[std::size_t(find_model(material.model))];
    if (model.tears(resolve_parameters(model, material.parameters).data())) continue;
    const std::string table = "materials." + material.name + ".";
    const bool of_preset = file.positions.count(table + "preset") > 0;
    bool of_tearing = false;
    std::vector<std::string> idle;
    for (const ParameterInfo& p : model.parameters) {
      if (of_tearing && material.parameters.count(p.name) &&
          (!of_preset || file.positions.count(table + p.name)))
        idle.push_back(p.name);
      of_tearing = of_tearing || p.name == "tear_threshold";  // all later parameters are of tearing too
    }
    if (!idle.empty())
      fmt::print(stderr,
                 "dollop: note: [materials.{}] does not tear without tear_threshold: no effect of {}\n",
                 material.name, fmt::join(idle, ", "));
  }
}

void note_overlaps(const Scene& scene) {
  for (const Overlap& overlap : find_overlaps(scene))
    fmt::print(stderr, "dollop: note: {:.2g} % of bodies[{}] is inside {} at the start\n",
               100 * overlap.share, overlap.body, overlap.with);
}

void note_thin_bodies(const Scene& scene) {
  constexpr double good_cells = 8;
  const std::vector<ThinBody> all = find_thin_bodies(scene);
  if (all.empty()) return;
  const double cell = scene.settings.cell_size;
  const auto thinner = [](const ThinBody& a, const ThinBody& b) { return a.thickness < b.thickness; };
  const ThinBody thin = *std::min_element(all.begin(), all.end(), thinner);
  fmt::print(
      stderr,
      "dollop: note: bodies[{}] is about {:.2g} cells thick, {:.3g} m{}: too few to show how it deforms; "
      "cell_size = {:.2g} makes that {:g} cells, and takes about {:.2g} times as long\n",
      thin.body, thin.thickness / cell, thin.thickness,
      all.size() > 1 ? fmt::format(", the thinnest of {} such bodies", all.size()) : "",
      thin.thickness / good_cells, good_cells, std::pow(good_cells * cell / thin.thickness, 4));
}

// materials that bodies and emitters are made of
std::set<std::string> used_materials(const Scene& scene) {
  std::set<std::string> used;
  for (const Body& body : scene.bodies) {
    used.insert(body.material);
    for (const Layer& layer : body.layers) used.insert(layer.material);
  }
  for (const Emitter& emitter : scene.emitters) used.insert(emitter.material);
  return used;
}

Stiffness stiffness_of(const Material& material) {
  const ModelInfo& model = models()[std::size_t(find_model(material.model))];
  return model.stiffness(resolve_parameters(model, material.parameters).data());
}

void note_densities(const Scene& scene) {
  constexpr double air = 1.2, osmium = 22600;  // [kg/m^3]
  const std::set<std::string> used = used_materials(scene);
  for (const Material& material : scene.materials) {
    const double density = stiffness_of(material).density;
    if (!used.contains(material.name) || (density >= air && density <= osmium)) continue;
    if (density < air)
      fmt::print(
          stderr,
          "dollop: note: [materials.{0}] has density {1:.4g} kg/m^3, less than air; if it is {1:.4g} g/cm^3, "
          "write density = \"{1:.4g} g/cm^3\"\n",
          material.name, density);
    else
      fmt::print(
          stderr,
          "dollop: note: [materials.{}] has density {:.4g} kg/m^3, more than any metal; water has 1000\n",
          material.name, density);
  }
}

void note_thin_colliders(const Scene& scene) {
  for (const ThinCollider& thin : find_thin_colliders(scene))
    fmt::print(stderr,
               "dollop: note: {} is about {:.3g} m thick where it is thinnest, less than a cell of {:.3g} m: "
               "it may not stop what runs into it; make it thicker or cell_size smaller\n",
               thin.collider, thin.thickness, scene.settings.cell_size);
}

}  // namespace

SceneFile read_runnable(const std::string& path, const std::vector<std::string>& overrides) {
  SceneFile file = read_scene(path, overrides);
  if (file.scene.bodies.empty() && file.scene.emitters.empty()) {
    const SceneError nothing("there is nothing to simulate: a scene needs [[bodies]] or [[emitters]]",
                             "simulation");
    throw SceneError(explain(file, nothing));
  }
  return file;
}

void print_notes(const SceneFile& file) {
  note_resampling(file.scene);
  note_tearing(file);
  note_densities(file.scene);
  try {
    note_overlaps(file.scene);
    note_thin_bodies(file.scene);
    note_thin_colliders(file.scene);
  } catch (const SceneError& e) {
    throw SceneError(explain(file, e));
  }
}

namespace {

// The pressure that loads bodies: by their weight, and by their speed when they have fallen all their height.
double load_on(const Scene& scene, double density) {
  double low = HUGE_VAL, high = -HUGE_VAL, speed = 0;
  for (const Body& body : scene.bodies) {
    const Bounds box = bounds(body.shape);
    low = std::min(low, box.min[1]), high = std::max(high, box.max[1]);
    speed = std::max(speed, std::hypot(body.velocity[0], body.velocity[1], body.velocity[2]));
  }
  for (const Emitter& emitter : scene.emitters)
    speed = std::max(speed, value_at(emitter.speed, emitter.from));
  const double height = high > low && std::isfinite(high - low) ? high - low : 1;
  const Double3 g = value_at(scene.settings.gravity, 0);
  const double gravity = std::hypot(g[0], g[1], g[2]);
  return density * (gravity * height + std::pow(speed, 2) + 2 * gravity * height);
}

}  // namespace

void note_steps(const Scene& scene, double dt, double steps) {
  constexpr double many = 1e6, strain = 0.01;
  if (!(steps > many)) return;
  const std::set<std::string> used = used_materials(scene);
  const Material* stiffest = nullptr;
  double fastest = 0;  // speed of waves [m/s]
  for (const Material& material : scene.materials) {
    const Stiffness s = stiffness_of(material);
    if (const double speed = std::sqrt(s.modulus / s.density);
        used.contains(material.name) && speed > fastest)
      fastest = speed, stiffest = &material;
  }
  if (!stiffest) return;
  const Stiffness s = stiffness_of(*stiffest);
  const double enough = rounded_up(load_on(scene, s.density) / strain, 1);
  std::string advice = "larger cells, or solver = \"newton\", would take fewer";
  if (enough < s.modulus / 4)
    advice = fmt::format(
        "a material {} times softer still deforms by about {:g} % only, and takes {:.0f} times fewer steps; "
        "what hardly "
        "deforms may be a collider",
        with_separators(std::uint64_t(s.modulus / enough)), 100 * strain, std::sqrt(s.modulus / enough));
  fmt::print(
      stderr,
      "dollop: note: {} steps of {:.2g} s: the time step is that of [materials.{}], in which waves travel at "
      "{:.2g} m/s; {}\n",
      with_separators(std::uint64_t(steps)), dt, stiffest->name, fastest, advice);
}

double free_disk(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::path place = std::filesystem::absolute(folder, error);
  while (!std::filesystem::exists(place, error) && place.has_relative_path()) place = place.parent_path();
  const std::filesystem::space_info space = std::filesystem::space(place, error);
  return error ? -1 : double(space.available);
}

std::string disk_text(const RunEstimate& need, const std::filesystem::path& folder) {
  const double available = free_disk(folder);
  const std::string text = "about " + bytes_text(need.disk_bytes);
  if (available < 0) return text;
  if (need.disk_bytes <= available)
    return fmt::format("{} of {} free in {}", text, bytes_text(available), folder.string());
  return fmt::format(
      "{}, more than the {} that are free in {}; fewer frames, formats or attributes under [output] take "
      "less",
      text, bytes_text(available), folder.string());
}

void note_disk(const RunEstimate& need, const std::filesystem::path& folder) {
  const double available = free_disk(folder);
  if (available >= 0 && need.disk_bytes > available)
    fmt::print(stderr, "dollop: note: disk space: {}\n", disk_text(need, folder));
}

std::filesystem::path default_folder(const std::string& scene) {
  return std::filesystem::path("runs") / std::filesystem::path(scene).stem();
}

}  // namespace dollop
