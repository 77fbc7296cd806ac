#include "runnable.h"

#include <dollop/run.h>
#include <fmt/core.h>

namespace dollop {
namespace {

// what resampling will do at once to bodies that are not seeded as it leaves them
void note_resampling(const Scene& scene) {
  const Settings& s = scene.settings;
  if (s.resample_every == 0 && s.resample_strain == 0) return;
  constexpr double usual = 8;  // particles a cell that resampling knows for a body without gaps
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

void note_overlaps(const Scene& scene) {
  for (const Overlap& overlap : find_overlaps(scene))
    fmt::print(stderr, "dollop: note: {:.2g} % of bodies[{}] is inside {} at the start\n",
               100 * overlap.share, overlap.body, overlap.with);
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
  try {
    note_overlaps(file.scene);
  } catch (const SceneError& e) {
    throw SceneError(explain(file, e));
  }
}

}  // namespace dollop
