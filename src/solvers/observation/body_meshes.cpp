#include "solvers/observation/body_meshes.h"

#include <algorithm>
#include <cmath>

#include "boundary/moving_colliders.h"
#include "boundary/rigid.h"
#include "core/parallel.h"

namespace dollop {
namespace {

using V3 = Vec3<double>;

// An edge spans a gap if it is longer than this, in cells and relative to its length at rest, and no particle is as near
// to its middle as that [cells].                                                                        (EMB.7)
constexpr double long_edge = 2, stretched = 2, near_particle = 1.5;
constexpr std::size_t most_tested = 2000;  // of the long edges of a mesh

void append(const V3& v, std::vector<float>& to) {
  for (int d = 0; d < 3; ++d) to.push_back(float(v[d]));
}

// The points as they are shown: those that have come into a collider, no deeper than a cell, lie on its surface. That the
// grid lets the outside of a body into a collider by a part of a cell is not seen then, and leaves no mark.  (EMB.5)
std::vector<Double3> shown_points(const BodySurface& surface, const MeshPoints& points,
                                  const MovingColliders& colliders, double cell_size) {
  std::vector<Double3> shown = points.x;
  if (colliders.size() == 0) return shown;
  parallel_for(shown.size(), 64, [&](std::size_t p) {
    if (surface.held[p]) return;
    for (const NearCollider& near : colliders.near(shown[p], 0)) {
      const ContactSample s = colliders.sample(near, shown[p]);
      if (s.phi < 0 && s.phi > -cell_size) shown[p] = to_array(to_vec(shown[p]) - s.phi * to_vec(s.normal));
    }
  });
  return shown;
}

BodyMesh copy_of(const BodySurface& surface, const MeshPoints& points, const std::vector<Double3>& shown) {
  const EmbeddedMesh& mesh = surface.mesh;
  const std::vector<V3> normals = normals_of(mesh, shown);
  BodyMesh copy{.body = int(surface.body)};
  for (std::size_t v = 0; v < mesh.point_of.size(); ++v) {
    append(to_vec(shown[mesh.point_of[v]]), copy.position);
    append(to_vec(points.v[mesh.point_of[v]]), copy.velocity);
    append(normals[mesh.normal_of[v]], copy.normal);
    if (!mesh.uv.empty()) copy.uv.insert(copy.uv.end(), mesh.uv[v].begin(), mesh.uv[v].end());
  }
  copy.triangles = mesh.triangles;
  return copy;
}

// whether a particle is near x
template <class S>
bool has_particle_near(const ParticleStore<S>& store, const Double3& x) {
  const BlockSpace& space = store.space();
  BlockCoord block;
  double at[3];  // relative to the first node of the block [cells]
  for (std::size_t d = 0; d < 3; ++d) {
    const double cells = space.to_cells(x[d], d);
    block[d] = std::int32_t(std::floor((cells - store.stencil_offset()) / block_edge));
    at[d] = cells - double(block_edge) * block[d];
  }
  if (!BlockSpace::in_range(block)) return false;
  for (int n = 0; n < neighbour_count; ++n) {
    const BlockKey key = key_of(space.wrap(neighbour_of(block, n)));
    const auto found = std::lower_bound(store.blocks().begin(), store.blocks().end(), key);
    if (found == store.blocks().end() || *found != key) continue;
    const auto b = std::size_t(found - store.blocks().begin());
    const auto offset = neighbour_offset(n);
    for (std::size_t g = 0; g < store.groups().size(); ++g) {
      const ParticleGroup<S>& group = store.groups()[g];
      const auto& begin = store.begin(int(g));
      for (std::size_t i = begin[b]; i < begin[b + 1]; ++i) {
        double square = 0;
        for (std::size_t d = 0; d < 3; ++d) {
          const double away = double(group.reals(int(d))[i]) + block_edge * offset[d] - at[d];
          square += away * away;
        }
        if (square < near_particle * near_particle) return true;
      }
    }
  }
  return false;
}

}  // namespace

template <class S>
std::vector<BodyMesh> copy_meshes(const Setup<S>& setup, const State<S>& state) {
  std::vector<BodyMesh> copies;
  if (setup.meshes.empty()) return copies;
  const MovingColliders colliders(setup.colliders, state.time, 0);
  const double h = setup.settings().cell_size;
  for (std::size_t k = 0; k < setup.meshes.size(); ++k)
    copies.push_back(copy_of(setup.meshes[k], state.meshes[k],
                             shown_points(setup.meshes[k], state.meshes[k], colliders, h)));
  return copies;
}

template <class S>
std::vector<MeshGaps> measure_gaps(const Setup<S>& setup, const State<S>& state) {
  std::vector<MeshGaps> all;
  const double h = state.particles.space().cell_size;
  for (std::size_t k = 0; k < setup.meshes.size(); ++k) {
    const EmbeddedMesh& mesh = setup.meshes[k].mesh;
    const std::vector<Double3>& x = state.meshes[k].x;
    std::vector<Double3> middles;  // of long edges
    for (std::uint32_t p = 0; p < x.size(); ++p)
      for (std::uint32_t n = mesh.first_neighbour[p]; n < mesh.first_neighbour[p + 1]; ++n) {
        const std::uint32_t q = mesh.neighbours[n];
        const V3 a = to_vec(x[p]), b = to_vec(x[q]);
        const double at_rest = norm(to_vec(mesh.points[p]) - to_vec(mesh.points[q]));
        if (p < q && norm(a - b) > std::max(long_edge * h, stretched * at_rest))
          middles.push_back(to_array(0.5 * (a + b)));
      }
    const std::size_t tested = std::min(middles.size(), most_tested);
    std::vector<char> spans(tested, 0);
    parallel_for(tested, 16, [&](std::size_t i) {
      spans[i] = !has_particle_near(state.particles, middles[i * middles.size() / tested]);
    });
    const auto count = double(std::count(spans.begin(), spans.end(), 1));
    const double part = tested > 0 ? count / double(tested) : 0;
    all.push_back({int(setup.meshes[k].body), 2 * part * double(middles.size()) /
                                                  double(std::max<std::size_t>(1, mesh.neighbours.size()))});
  }
  return all;
}

#define DOLLOP_INSTANTIATE(S)                                                   \
  template std::vector<BodyMesh> copy_meshes(const Setup<S>&, const State<S>&); \
  template std::vector<MeshGaps> measure_gaps(const Setup<S>&, const State<S>&);
DOLLOP_INSTANTIATE(float)
DOLLOP_INSTANTIATE(double)

}  // namespace dollop
