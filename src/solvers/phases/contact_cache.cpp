#include "solvers/phases/contact_cache.h"

#include <cmath>
#include <limits>

#include "core/parallel.h"
#include "solvers/phases/node_access.h"

namespace dollop {
namespace {

std::vector<SeenCollider> look_around(const MovingColliders& colliders, const BlockSpace& space,
                                      BlockKey key) {
  std::vector<SeenCollider> seen;
  const double h = space.cell_size;
  const Double3 middle = node_place(space, key, 1.5, 1.5, 1.5);
  for (NearCollider& near : colliders.near(middle, particle_reach * h, MovingColliders::Which::still)) {
    SeenCollider one{std::move(near), {}, {}};
    const bool touches = colliders.signed_distance(one.near, middle) <= node_reach * h;
    for (int n = 0; n < 64; ++n) {
      const Double3 x = node_place(space, key, n / 16, n / 4 % 4, n % 4);
      one.clearance.push_back(colliders.signed_distance(one.near, x));
      if (touches) one.samples.push_back(colliders.sample(one.near, x));
    }
    seen.push_back(std::move(one));
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
    slots_.push_back(&it->second);  // stays where it is when others are added
  }
  parallel_for(fresh.size(), 1,
               [&](std::size_t i) { *fresh[i].second = look_around(colliders, grid.space, fresh[i].first); });
  layout_ = grid.layout;
}

template <class S>
double ContactCache::clearance(const BlockGrid<S>& grid, std::size_t slot, std::size_t collider,
                               const Double3& cells) const {
  constexpr double unknown = -std::numeric_limits<double>::infinity();
  double square = 0;
  std::size_t around = 0, node = 0;
  for (const double c : cells) {
    const int nearest = int(std::floor(c + 0.5));
    if (nearest < -4 || nearest > 7) return unknown;
    around = 3 * around + std::size_t((nearest >> 2) + 1), node = 4 * node + std::size_t(nearest & 3);
    square += (c - nearest) * (c - nearest);
  }
  const auto other = std::size_t(grid.neighbours[27 * slot + around]);
  if (other >= slots_.size()) return unknown;
  for (const SeenCollider& seen : *slots_[other])
    if (seen.near.collider == collider)
      return seen.clearance[node] - std::sqrt(square) * grid.space.cell_size;
  // not among those that come near that block
  return (particle_reach - 1.5 * std::sqrt(3.0) - 1) * grid.space.cell_size;
}

template double ContactCache::clearance(const BlockGrid<float>&, std::size_t, std::size_t,
                                        const Double3&) const;
template double ContactCache::clearance(const BlockGrid<double>&, std::size_t, std::size_t,
                                        const Double3&) const;
template void ContactCache::update(const MovingColliders&, const BlockGrid<float>&);
template void ContactCache::update(const MovingColliders&, const BlockGrid<double>&);

}  // namespace dollop
