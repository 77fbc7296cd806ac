#include "runnable.h"

#include <dollop/run.h>
#include <fmt/format.h>

#include "materials/registry.h"

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
  try {
    note_overlaps(file.scene);
    note_thin_colliders(file.scene);
  } catch (const SceneError& e) {
    throw SceneError(explain(file, e));
  }
}

}  // namespace dollop
