// A column between smooth walls under its own weight, and the stresses in its layers.
#pragma once

#include <dollop/scene.h>
#include <dollop/simulation.h>

#include <algorithm>
#include <vector>

namespace dollop::tests {

// `cells` cells high, 4 x 4 wide, periodic along z; `gravity` is along y and should grow slowly, or the column bounces
inline Scene walled_column(const Settings& settings, const Material& material, int cells,
                           const Animated& gravity) {
  const double h = settings.cell_size, top = cells * h;
  Scene scene;
  scene.settings = settings;
  scene.settings.gravity = Animated3{0.0, gravity, 0.0};
  scene.materials = {material};
  scene.domain = Domain{{0, -8 * h, 0}, {4 * h, top + 8 * h, 4 * h}, {false, false, true}};
  scene.bodies = {{.material = material.name,
                   .shape = Box{.center = {2 * h, top / 2, 2 * h}, .size = {4 * h, top, 4 * h}}}};
  const auto wall = [&](const char* name, Double3 point, Double3 normal) {
    scene.colliders.push_back({.name = name, .shape = Plane{point, normal}, .contact = ContactKind::slip});
  };
  wall("floor", {0, 0, 0}, {0, 1, 0}), wall("left", {0, 0, 0}, {1, 0, 0});
  wall("right", {4 * h, 0, 0}, {-1, 0, 0});
  return scene;
}

// Mean stresses over a layer of cells and the weight above its middle, both expressed as heights of material.
struct ColumnLayer {
  double above = 0, vertical = 0, across = 0, along = 0;  // [m]
};

// pressed(i) is the compressive stress of particle i along x, y and z, likewise as heights of material
template <class Pressed>
std::vector<ColumnLayer> layers_of(const ParticleData& particles, double h, int cells, Pressed pressed) {
  std::vector<ColumnLayer> layers(std::size_t(cells), ColumnLayer{});
  std::vector<double> count(layers.size());
  for (std::size_t i = 0; i < particles.position.size(); ++i) {
    const auto k = std::size_t(std::clamp(int(particles.position[i][1] / h), 0, cells - 1));
    const Double3 stress = pressed(i);
    layers[k].across += stress[0], layers[k].vertical += stress[1], layers[k].along += stress[2];
    count[k] += 1;
  }
  double higher = 0;  // particles, eight a cell and sixteen cells a layer
  for (std::size_t k = layers.size(); k-- > 0;) {
    ColumnLayer& l = layers[k];
    l.above = (higher + count[k] / 2) / (8 * 16) * h, higher += count[k];
    l.vertical /= count[k], l.across /= count[k], l.along /= count[k];
  }
  return layers;
}

}  // namespace dollop::tests
