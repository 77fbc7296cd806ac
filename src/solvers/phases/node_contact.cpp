#include "solvers/phases/node_contact.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "boundary/rigid.h"
#include "core/parallel.h"
#include "core/profile.h"
#include "solvers/phases/no_slip.h"
#include "solvers/phases/node_access.h"

namespace dollop {

using V3 = Vec3<double>;

namespace {

// The part of a step that begins now: its length, the time since the step began, and how far the node has moved since.
struct StepPart {
  double dt, part, elapsed;
  V3 moved;
};

// The velocity of a node after contact with one collider; empty without contact. A node inside must not go deeper; a
// node outside must not go beyond the surface within this part of the step.                (BC.3, BC.5, SUB.4)
std::optional<V3> touched_velocity(const Collider& collider, ContactSample s, const StepPart& now,
                                   double skin, const V3& v) {
  if (collider.contact != ContactKind::separate) {
    if (s.phi > skin) return std::nullopt;
    s.phi = std::min(s.phi, 0.0);
    return resolve(collider.contact, to_contact<double>(s), v);
  }
  s.phi += now.dt * dot(to_vec(s.normal), to_vec(s.velocity));  // signed distance at the start of the step
  if (s.phi <= skin) s.phi = 0;
  s.phi += dot(to_vec(s.normal), now.moved - now.elapsed * to_vec(s.velocity));
  const Contact<double> contact = to_contact<double>(s);
  if (normal_speed(contact, v) * now.part >= -s.phi) return std::nullopt;
  return resolve_ahead(contact, v, now.part);
}

// A collider near a block, with cached samples or to be sampled at each node.
struct Touch {
  std::size_t collider;
  const NearCollider* near;
  SeenCollider* seen;  // null: not cached
};

// Whether a node is certainly too far from a collider for contact. The cached clearance is at most the signed distance; a
// static collider moves at most along its surface.
bool is_clear(const Collider& collider, const Touch& touch, int node, const StepPart& now, double skin,
              const V3& v) {
  if (!touch.seen) return false;
  const double clearance = touch.seen->clearance[std::size_t(node)];
  const double farthest =
      collider.contact == ContactKind::separate ? (now.part * norm(v) + norm(now.moved)) * (1 + 1e-9) : 0;
  return clearance > 2 * skin + farthest;
}

ContactSample sample_at(const MovingColliders& colliders, const Touch& touch, const Double3& x, int node) {
  if (!touch.seen) return colliders.sample(*touch.near, x);
  ContactSample s = touch.seen->sample(colliders, x, node);
  s.velocity = colliders.surface_velocity(touch.collider, s.normal);
  return s;
}

// the colliders that nodes of a block may touch, in the order of the scene; sticking ones come last, so that they decide
std::vector<Touch> touches_of(const MovingColliders& colliders, const std::vector<NearCollider>& moving,
                              std::vector<SeenCollider>* still) {
  std::vector<Touch> touches;
  for (const NearCollider& near : moving) touches.push_back({near.collider, &near, nullptr});
  if (still)
    for (SeenCollider& seen : *still)
      if (seen.in_reach) touches.push_back({seen.near.collider, &seen.near, &seen});
  std::sort(touches.begin(), touches.end(), [&](const Touch& a, const Touch& b) {
    return std::pair(holds_nodes(colliders[a.collider].contact), a.collider) <
           std::pair(holds_nodes(colliders[b.collider].contact), b.collider);
  });
  return touches;
}

// Contact at the nodes of a slot or an island: the colliders one after the other, in two sweeps where several may touch,
// for corners. `still` holds what is cached of static colliders; without it every collider is sampled.
template <class S, class Nodes>
void contact_at(const Nodes& nodes, const MovingColliders& colliders, std::vector<SeenCollider>* still,
                const StepGrid<S>& grid, const NodeMotion<S>& motion, std::vector<ColliderImpact>& impacts) {
  using Which = MovingColliders::Which;
  const double h = grid.blocks.space.cell_size, skin = contact_skin * h, dt = double(grid.args.dt);
  StepPart now{dt, motion.displacement ? motion.part : dt, motion.elapsed, {}};
  const double reach = (nodes.radius() + farthest_touch) * h;
  const Double3 middle = nodes.middle();
  auto moving = colliders.near(middle, reach + skin, still ? Which::moving : Which::all);
  for (NearCollider& near : moving)
    if (has_cuts(near)) near = colliders.narrowed(near, middle, reach);
  const auto touches = touches_of(colliders, moving, still);
  if (touches.empty()) return;
  for (int n = 0; n < nodes.size(); ++n) {
    if (!nodes.may_have_mass(n)) continue;
    S* node = nodes.node(n);
    const double mass = double(node[3]);
    if (!(mass > 0)) continue;
    const Double3 x = nodes.place(n);
    V3 v{double(node[0]), double(node[1]), double(node[2])};
    if (motion.displacement) {
      const S* u = motion.displacement + (node - grid.blocks.velocity.data());
      now.moved = dt * V3{double(u[0]), double(u[1]), double(u[2])};
    }
    bool touched = false;
    for (int sweep = 0; sweep < (touches.size() > 1 ? 2 : 1); ++sweep)
      for (const Touch& touch : touches) {
        const Collider& collider = colliders[touch.collider];
        if (is_clear(collider, touch, n, now, skin, v)) continue;
        ContactSample s = sample_at(colliders, touch, x, n);
        if (s.phi < -skin && faces_away(nodes, n, s.normal)) s.normal = to_array(-to_vec(s.normal));
        const auto left = touched_velocity(collider, s, now, skin, v);
        if (!left) continue;
        touched = true;
        add_impact(impacts, touch.collider, mass * (v - *left), to_vec(x));
        v = *left;
      }
    if (touched) node[0] = S(v.x), node[1] = S(v.y), node[2] = S(v.z);
  }
}

}  // namespace

template <class S>
void apply_contacts(const MovingColliders& colliders, StepGrid<S>& grid, const NodeMotion<S>& motion) {
  const ScopedPhase phase(Phase::contact);
  if (colliders.size() == 0) return;
  BlockGrid<S>& blocks = grid.blocks;
  grid.cache.update(colliders, blocks);
  const std::size_t slots = blocks.slots.size();
  const std::vector<std::int32_t>& islands = blocks.stored_islands;
  grid.impacts.resize(slots + islands.size());
  parallel_for(slots, 4, grid.affinity, [&](std::size_t i) {
    grid.impacts[i].clear();
    if (blocks.has_mass(i))
      contact_at(SlotNodes(blocks, i), colliders, &grid.cache.of_slot(i), grid, motion, grid.impacts[i]);
  });
  parallel_for(islands.size(), 4, grid.affinity, [&](std::size_t i) {
    grid.impacts[slots + i].clear();
    contact_at(IslandNodes(blocks, std::size_t(islands[i])), colliders, nullptr, grid, motion,
               grid.impacts[slots + i]);
  });
  mirror_velocity(colliders, blocks, grid.impacts);
}

template <class S>
void apply_pistons(const MovingColliders& pistons, StepGrid<S>& grid, const NodeMotion<S>& motion) {
  BlockGrid<S>& blocks = grid.blocks;
  const std::size_t slots = blocks.slots.size();
  parallel_for(slots + blocks.stored_islands.size(), 4, grid.affinity, [&](std::size_t i) {
    std::vector<ColliderImpact> not_counted;
    if (i >= slots)
      contact_at(IslandNodes(blocks, std::size_t(blocks.stored_islands[i - slots])), pistons, nullptr, grid,
                 motion, not_counted);
    else if (blocks.has_mass(i))
      contact_at(SlotNodes(blocks, i), pistons, nullptr, grid, motion, not_counted);
  });
}

#define DOLLOP_INSTANTIATE(S)                                                               \
  template void apply_contacts(const MovingColliders&, StepGrid<S>&, const NodeMotion<S>&); \
  template void apply_pistons(const MovingColliders&, StepGrid<S>&, const NodeMotion<S>&);
DOLLOP_INSTANTIATE(float)
DOLLOP_INSTANTIATE(double)

}  // namespace dollop
