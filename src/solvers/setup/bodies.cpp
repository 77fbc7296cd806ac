#include "solvers/setup/bodies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "boundary/rigid.h"
#include "boundary/shape_depth.h"
#include "boundary/shape_distance.h"
#include "core/parallel.h"
#include "particles/seeding.h"
#include "solvers/setup/body_surfaces.h"
#include "solvers/setup/new_particles.h"

namespace dollop {
namespace {

// The union of a shape and its periodic images within `depth` of the places. Images that cannot affect any place are
// left out, however large the depth is.                                                             (SEED.19)
Shape with_images(const Shape& shape, const BlockSpace& space, const std::vector<Double3>& places,
                  double depth) {
  const Bounds box = bounds(shape);
  Double3 periods;
  for (std::size_t d = 0; d < 3; ++d) periods[d] = 4 * space.cell_size * space.period[d];
  // the depth of a place is at most half the extent on an open axis, or half the diagonal of a fully periodic domain
  double reach = depth;
  if (space.period[0] && space.period[1] && space.period[2])
    reach = std::min(depth, 0.5 * norm(to_vec(periods)));
  for (std::size_t d = 0; d < 3; ++d)
    if (!space.period[d]) reach = std::min(reach, 0.5 * (box.max[d] - box.min[d]));
  std::vector<Double3> moves{{0, 0, 0}};
  for (std::size_t d = 0; d < 3; ++d) {
    if (!space.period[d]) continue;
    const auto [low, high] = std::minmax_element(
        places.begin(), places.end(), [d](const Double3& a, const Double3& b) { return a[d] < b[d]; });
    std::vector<Double3> moved;
    for (double m = std::ceil(((*low)[d] - reach - box.max[d]) / periods[d]);
         m * periods[d] <= (*high)[d] + reach - box.min[d]; ++m)
      for (Double3 move : moves) {
        move[d] = m * periods[d];
        moved.push_back(move);
      }
    moves = std::move(moved);
  }
  if (moves == std::vector<Double3>{{0, 0, 0}}) return shape;
  Union all;
  const auto one = std::make_shared<const Shape>(shape);
  for (const Double3& move : moves) all.shapes.push_back(Placed{.shape = one, .translation = move});
  return all;
}

// the places in each layer of a body; the last list holds the places below all layers
std::vector<std::vector<Double3>> places_by_layer(const Body& body, const BlockSpace& space,
                                                  const std::vector<Double3>& places) {
  std::vector<std::vector<Double3>> result(body.layers.size() + 1);
  const ShapeDepth below(with_images(body.shape, space, places, body.layers.back().depth));
  std::vector<std::size_t> layer(places.size(), 0);
  constexpr std::size_t grain = 256;  // a few thousand signed distances, at most some milliseconds
  parallel_for(places.size(), grain, [&](std::size_t n) {
    while (layer[n] < body.layers.size() && below.deeper_than(places[n], body.layers[layer[n]].depth))
      ++layer[n];
  });
  for (std::size_t n = 0; n < places.size(); ++n) result[layer[n]].push_back(places[n]);
  return result;
}

}  // namespace

template <class S>
void add_body(const Setup<S>& setup, std::size_t index, State<S>& state) {
  const Scene& scene = setup.scene;
  const Body& body = scene.bodies[index];
  const int group = group_of(scene, body.material);
  const std::string where = fmt::format("bodies[{}]", index);
  const Seeds seeds = seed(body.shape, state.particles.space(), body.particles_per_cell, body.seeding,
                           scene.settings.seed, index);
  if (seeds.places.empty())
    throw SceneError(
        fmt::format("this body of '{}' holds no particle: it is thinner than the spacing of particles, "
                    "{:.3g} m; make cell_size smaller or particles_per_cell larger",
                    body.material, scene.settings.cell_size / std::cbrt(body.particles_per_cell)),
        where + ".shape");
  Double3 center{};
  for (const Double3& x : seeds.places)
    for (std::size_t d = 0; d < 3; ++d) center[d] += x[d] / double(seeds.places.size());
  start_surface(setup, index, center, state);
  const Double3& w = body.angular_velocity;
  const auto add = [&](int to, const std::vector<Double3>& places) {
    std::vector<Double3> velocities;
    velocities.reserve(places.size());
    for (const Double3& x : places) {
      const Double3 turn = to_array(cross(to_vec(w), to_vec(x) - to_vec(center)));
      velocities.push_back(
          {body.velocity[0] + turn[0], body.velocity[1] + turn[1], body.velocity[2] + turn[2]});
    }
    add_particles<S>({to,
                      setup.materials[std::size_t(to)].stiffness.density,
                      seeds.volume,
                      places,
                      velocities,
                      {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0}},
                     state);
  };
  if (body.layers.empty()) return add(group, seeds.places);
  const auto sorted = places_by_layer(body, state.particles.space(), seeds.places);
  for (std::size_t k = 0; k < sorted.size(); ++k)
    add(k < body.layers.size() ? group_of(scene, body.layers[k].material) : group, sorted[k]);
}

template void add_body(const Setup<float>&, std::size_t, State<float>&);
template void add_body(const Setup<double>&, std::size_t, State<double>&);

}  // namespace dollop
