#include "run/run_start.h"

#include <dollop/simulation.h>

#include <algorithm>

#include "particles/seeding.h"
#include "solvers/setup/scene_space.h"

namespace dollop {
namespace {

constexpr double full_size = 1e6;    // particles of all bodies that take little memory and time
constexpr double sample_size = 1e5;  // the same where they lie far apart, each in blocks of its own

// A scene with at most about `most` particles in each body. A body with layers becomes a body of each of their materials:
// layers thinner than the wider spacing would get no particle.
Scene thinned(const Scene& scene, const std::vector<double>& counts, double most) {
  Scene result = scene;
  result.bodies.clear();
  for (std::size_t b = 0; b < counts.size(); ++b) {
    Body body = scene.bodies[b];
    if (counts[b] > most) {
      body.particles_per_cell *= most / counts[b];
      std::vector<std::string> materials{body.material};
      for (const Layer& layer : body.layers) materials.push_back(layer.material);
      body.layers.clear();
      for (const std::string& material : materials)
        result.bodies.push_back(body), result.bodies.back().material = material;
    } else {
      result.bodies.push_back(std::move(body));
    }
  }
  return result;
}

}  // namespace

RunStart examine_start(const Scene& scene) {
  const BlockSpace space = space_of(scene);
  std::vector<double> counts;
  double all = 0;
  for (const Body& body : scene.bodies) {
    counts.push_back(estimate_count(body.shape, space, body.particles_per_cell));
    all += counts.back();
  }
  // volumes that are estimated on the grid change with the number of particles, and the densities with them; a body that
  // is too large is an error that the whole simulation words
  const bool whole =
      all <= full_size || scene.settings.volume_init == VolumeInit::estimated ||
      std::any_of(counts.begin(), counts.end(), [](double count) { return count > max_seeds; });
  for (double most = sample_size / double(std::max<std::size_t>(1, counts.size())); !whole; most *= 8) {
    if (std::all_of(counts.begin(), counts.end(), [&](double count) { return count <= most; })) break;
    try {
      return {all, false, Simulation(thinned(scene, counts, most)).stable_dt()};
    } catch (const SceneError&) {
      // a thin body may hold no particle only because of the wider spacing
    }
  }
  const Simulation simulation(scene);
  return {double(simulation.particle_count()), true, simulation.stable_dt()};
}

}  // namespace dollop
