#include "solvers/phases/contact_cache.h"

#include <cmath>
#include <limits>

#include "core/parallel.h"
#include "solvers/phases/node_access.h"

namespace dollop {
namespace {

std::vector<SeenCollider> sample_still(const MovingColliders& colliders, const BlockSpace& space,
                                       BlockKey key) {
  std::vector<SeenCollider> seen;
  const double h = space.cell_size;
  const Double3 middle = node_place(space, key, 1.5, 1.5, 1.5);
  for (NearCollider& near : colliders.near(middle, particle_reach * h, MovingColliders::Which::still)) {
    SeenCollider& one = seen.emplace_back();
    one.near = std::move(near);
    one.in_reach = colliders.signed_distance(one.near, middle) <= node_reach * h;
    for (int n = 0; n < block_nodes; ++n)
      one.clearance[std::size_t(n)] =
          colliders.signed_distance(one.near, node_place(space, coord_of(key), n));
  }
  return seen;
}

}  // namespace

template <class S>
void ContactCache::update(const MovingColliders& colliders, const BlockGrid<S>& grid) {
  if (layout_ == grid.layout && slots_.size() == grid.slots.size()) return;
  if (blocks_.size() > 4 * grid.slots.size() + 1000) blocks_.clear();
  std::vector<std::pair<BlockKey, std::vector<SeenCollider>*>> fresh;
  slots_.clear();
  for (const BlockKey key : grid.slots) {
    const auto [it, is_new] = blocks_.try_emplace(key);
    if (is_new) fresh.push_back({key, &it->second});
    slots_.push_back(&it->second);  // the address stays valid when other blocks are added
  }
  parallel_for(fresh.size(), 1, [&](std::size_t i) {
    *fresh[i].second = sample_still(colliders, grid.space, fresh[i].first);
  });
  layout_ = grid.layout;
}

template <class S>
double ContactCache::clearance(const BlockGrid<S>& grid, std::size_t slot, std::size_t collider,
                               const Double3& cells) const {
  constexpr double unknown = -std::numeric_limits<double>::infinity();
  double square = 0;
  int nearest[3];
  for (std::size_t d = 0; d < 3; ++d) {
    nearest[d] = int(std::floor(cells[d] + 0.5));
    if (nearest[d] < -4 || nearest[d] > 7) return unknown;
    square += (cells[d] - nearest[d]) * (cells[d] - nearest[d]);
  }
  const auto [neighbour, node] = node_around(nearest);
  const auto other = std::size_t(grid.neighbours[neighbour_count * slot + neighbour]);
  if (other >= slots_.size()) return unknown;
  for (const SeenCollider& seen : *slots_[other])
    if (seen.near.collider == collider)
      return seen.clearance[node] - std::sqrt(square) * grid.space.cell_size;
  // the collider is not near that block
  return (particle_reach - 1.5 * std::sqrt(3.0) - 1) * grid.space.cell_size;
}

template double ContactCache::clearance(const BlockGrid<float>&, std::size_t, std::size_t,
                                        const Double3&) const;
template double ContactCache::clearance(const BlockGrid<double>&, std::size_t, std::size_t,
                                        const Double3&) const;
template void ContactCache::update(const MovingColliders&, const BlockGrid<float>&);
template void ContactCache::update(const MovingColliders&, const BlockGrid<double>&);

}  // namespace dollop
