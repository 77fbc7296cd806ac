#include "solvers/phases/mesh_motion.h"

#include <algorithm>

#include "boundary/moving_colliders.h"
#include "boundary/rigid.h"
#include "core/parallel.h"
#include "core/profile.h"
#include "solvers/phases/node_velocity.h"

namespace dollop {
namespace {

using V3 = Vec3<double>;

constexpr std::size_t piece = 256;  // points of a parallel task

// Points far from all material take the mean velocity of the points that they are joined to by an edge: first those
// next to a point with a velocity, then those next to these, and so on. Points joined to none rest.       (EMB.4)
void spread_velocities(const EmbeddedMesh& mesh, std::vector<char>& found, std::vector<Double3>& v) {
  std::vector<std::uint32_t> lost, reached;
  for (std::uint32_t p = 0; p < found.size(); ++p)
    if (!found[p]) lost.push_back(p), v[p] = {0, 0, 0};
  do {
    reached.clear();
    for (const std::uint32_t p : lost) {
      V3 sum{0, 0, 0};
      int count = 0;
      for (std::uint32_t n = mesh.first_neighbour[p]; n < mesh.first_neighbour[p + 1]; ++n)
        if (found[mesh.neighbours[n]]) sum = sum + to_vec(v[mesh.neighbours[n]]), ++count;
      if (count > 0) v[p] = to_array((1.0 / count) * sum), reached.push_back(p);
    }
    for (const std::uint32_t p : reached) found[p] = 1;
    std::erase_if(lost, [&](std::uint32_t p) { return found[p] != 0; });
  } while (!reached.empty() && !lost.empty());
}

// Points that have come into a collider stay within a quarter of a cell of its surface: deeper ones would lose the material
// they belong to. Those that were inside at the start, and those deeper than a cell, are left alone.      (EMB.8)
Double3 held_back(const MovingColliders& colliders, double cell_size, Double3 x) {
  const double deepest = 0.25 * cell_size;
  for (const NearCollider& near : colliders.near(x, 0)) {
    const ContactSample s = colliders.sample(near, x);
    if (s.phi < -deepest && s.phi > -cell_size)
      x = to_array(to_vec(x) - (s.phi + deepest) * to_vec(s.normal));
  }
  return x;
}

}  // namespace

template <class S>
void carry_meshes(const Setup<S>& setup, const AlignedArray<S>& moving, const StepGrid<S>& grid, double dt,
                  State<S>& state) {
  if (setup.meshes.empty()) return;
  const ScopedPhase phase(Phase::grid_to_particles);
  const NodeVelocity<S> nodes(moving, state, grid);
  const MovingColliders colliders(setup.colliders, state.time + dt, 0);
  const double cell_size = setup.settings().cell_size;
  for (std::size_t k = 0; k < setup.meshes.size(); ++k) {
    const BodySurface& surface = setup.meshes[k];
    MeshPoints& points = state.meshes[k];
    const std::size_t count = points.x.size();
    std::vector<char> found(count, 0);
    parallel_ranges(count, piece, [&](std::size_t begin, std::size_t end) {
      NodeCursor cursor;
      for (std::size_t p = begin; p < end; ++p)
        if (const auto v = nodes.at(points.x[p], surface.enough_mass, cursor))
          points.v[p] = to_array(*v), found[p] = 1;
    });
    if (std::find(found.begin(), found.end(), 0) != found.end())
      spread_velocities(surface.mesh, found, points.v);
    parallel_for(count, 4096, [&](std::size_t p) {
      const Double3 moved = to_array(to_vec(points.x[p]) + dt * to_vec(points.v[p]));
      points.x[p] = surface.held[p] ? moved : held_back(colliders, cell_size, moved);
    });
  }
}

#define DOLLOP_INSTANTIATE(S) \
  template void carry_meshes(const Setup<S>&, const AlignedArray<S>&, const StepGrid<S>&, double, State<S>&);
DOLLOP_INSTANTIATE(float)
DOLLOP_INSTANTIATE(double)

}  // namespace dollop
