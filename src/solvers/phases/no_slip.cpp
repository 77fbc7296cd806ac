#include "solvers/phases/no_slip.h"

#include <cmath>
#include <optional>

#include "boundary/rigid.h"
#include "core/parallel.h"
#include "solvers/phases/node_access.h"

namespace dollop {

using V3 = Vec3<double>;

namespace {

// Velocity and mass of the grid at a point near a block, by trilinear interpolation from the nodes that have mass and
// are not inside the collider. Empty if the weights of these nodes are too small.
struct Outside {
  V3 velocity;
  double mass;
};
template <class S>
std::optional<Outside> seen_outside(const BlockGrid<S>& grid, std::size_t slot,
                                    const MovingColliders& colliders, const NearCollider& near,
                                    const Double3& point) {
  const BlockCoord block = coord_of(grid.slots[slot]);
  int base[3];
  double part[3];
  for (std::size_t d = 0; d < 3; ++d) {
    double x = grid.space.to_cells(point[d], d) - 4.0 * block[d];
    if (std::fabs(x - std::round(x)) < 1e-6) x = std::round(x);  // the point is a node, up to rounding
    base[d] = int(std::floor(x)), part[d] = x - base[d];
  }
  double total = 0, mass = 0;
  V3 sum{0, 0, 0};
  for (int n = 0; n < 8; ++n) {
    const int up[3] = {n >> 2, n >> 1 & 1, n & 1};
    std::array<int, 3> at;
    double w = 1;
    for (std::size_t d = 0; d < 3; ++d) {
      at[d] = base[d] + up[d];
      w *= up[d] ? part[d] : 1 - part[d];
    }
    const S* node = w == 0 ? nullptr : node_far(grid, slot, at);
    if (!node) continue;
    const Double3 x = node_place(grid.space, block, at[0], at[1], at[2]);
    if (!(node[3] > S(0)) || colliders.signed_distance(near, x) < -contact_skin * grid.space.cell_size)
      continue;
    total += w;
    mass += w * double(node[3]);
    sum = sum + w * V3{double(node[0]), double(node[1]), double(node[2])};
  }
  if (total < 0.5) return std::nullopt;
  return Outside{(1 / total) * sum, mass / total};
}

// A node inside a no-slip collider and its mirrored velocity.
template <class S>
struct MirrorNode {
  S* node;
  V3 velocity;
};

// the mirrored velocities of the nodes of a block that are inside no-slip colliders                   (BC.21)
template <class S>
std::vector<MirrorNode<S>> mirrored(const MovingColliders& colliders, BlockGrid<S>& grid, std::size_t slot,
                                    std::vector<ColliderImpact>& impacts) {
  // The particles that lie two cells deep use nodes down to here. If some of these were held instead, the stress there
  // would not be the mirror image of that outside. [cells]
  constexpr double depth = 3.75;
  const double h = grid.space.cell_size;
  const BlockCoord block = coord_of(grid.slots[slot]);
  std::vector<MirrorNode<S>> found;
  // the radius covers the mirror image of a node and the nodes around the image
  auto near = colliders.near(node_place(grid.space, block, 1.5, 1.5, 1.5),
                             (1.5 * std::sqrt(3.0) + 2 * depth + 2) * h);
  std::erase_if(near,
                [&](const NearCollider& c) { return colliders[c.collider].contact != ContactKind::no_slip; });
  for (int n = 0; n < block_nodes && !near.empty(); ++n) {
    S* node = grid.velocity.data() + slot_reals * slot + node_reals * std::size_t(n);
    if (!(node[3] > S(0))) continue;
    const Double3 x = node_place(grid.space, block, n);
    for (const NearCollider& c : near) {
      const ContactSample s = colliders.sample(c, x);
      if (s.phi > -contact_skin * h || s.phi < -depth * h) continue;
      const V3 image = to_vec(x) - (2 * s.phi) * to_vec(s.normal), body = to_vec(s.velocity);
      const auto seen = seen_outside(grid, slot, colliders, c, to_array(image));
      // near edges of the collider the two sides are no mirror images of each other
      if (!seen || seen->mass < 0.5 * double(node[3])) continue;
      const V3 normal = to_vec(s.normal);
      V3 mirror = -(seen->velocity - body);
      // material that only touches the surface would bounce off its mirror image
      if (double(node[3]) < 0.5 * seen->mass) mirror = mirror - dot(mirror, normal) * normal;
      found.push_back({node, body + mirror});
      const V3 before{double(node[0]), double(node[1]), double(node[2])};
      add_impact(impacts, c.collider, double(node[3]) * (before - found.back().velocity), to_vec(x));
      break;
    }
  }
  return found;
}

}  // namespace

template <class S>
void mirror_velocity(const MovingColliders& colliders, BlockGrid<S>& grid, SlotImpacts& impacts) {
  bool any = false;
  for (std::size_t c = 0; c < colliders.size(); ++c)
    any = any || colliders[c].contact == ContactKind::no_slip;
  if (!any) return;
  // all mirrored velocities are computed before any is written, so that the order of the nodes does not matter
  std::vector<std::vector<MirrorNode<S>>> images(grid.slots.size());
  parallel_for(grid.slots.size(), 16, [&](std::size_t i) {
    if (grid.has_mass(i)) images[i] = mirrored(colliders, grid, i, impacts[i]);
  });
  for (const auto& block : images)
    for (const auto& [node, v] : block) node[0] = S(v.x), node[1] = S(v.y), node[2] = S(v.z);
}

template void mirror_velocity(const MovingColliders&, BlockGrid<float>&, SlotImpacts&);
template void mirror_velocity(const MovingColliders&, BlockGrid<double>&, SlotImpacts&);

}  // namespace dollop
