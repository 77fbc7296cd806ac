#include "solvers/methods/implicit_contact.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "boundary/rigid.h"
#include "core/parallel.h"
#include "solvers/phases/node_access.h"

namespace dollop {

using V3 = Vec3<double>;

namespace {

constexpr int max_releases = 4;  // releases of a contact per step: a limit keeps the active set from cycling
constexpr double reach = 1.5;    // distance within which a node may come into contact [cells]

template <class S>
V3 read(const S* field, std::size_t node) {
  const S* at = field + node_reals * node;
  return {double(at[0]), double(at[1]), double(at[2])};
}
template <class S>
void write(const V3& v, std::size_t node, S* field) {
  S* at = field + node_reals * node;
  at[0] = S(v.x), at[1] = S(v.y), at[2] = S(v.z);
}

// of numbers of this size that are stored as S, by two operations
template <class S>
double rounding(const V3& size, S) {
  return 4 * double(std::numeric_limits<S>::epsilon()) * norm(size);
}

bool sticks(const SurfaceHold& hold) { return holds_nodes(hold.kind); }

template <class S>
void find_in_block(const MovingColliders& colliders, const BlockGrid<S>& grid, std::size_t slot,
                   std::vector<NearCollider>& near, std::vector<HeldNode>& nodes) {
  const BlockSpace& space = grid.space;
  const double h = space.cell_size, skin = contact_skin * h;
  near = colliders.near(node_place(space, grid.slots[slot], 1.5, 1.5, 1.5),
                        (1.5 * std::sqrt(3.0) + 2 * reach) * h);
  for (int n = 0; n < block_nodes && !near.empty(); ++n) {
    if (!(grid.velocity[slot_reals * slot + node_reals * std::size_t(n) + 3] > S(0))) continue;
    HeldNode held{block_nodes * slot + std::size_t(n), node_place(space, coord_of(grid.slots[slot]), n), {}};
    for (const NearCollider& one : near) {
      const ContactKind kind = colliders[one.collider].contact;
      // the collider moves during the step: a point carried with it keeps its signed distance
      double phi = colliders.signed_distance(one, colliders.carried(one.collider, held.position));
      if (std::fabs(phi) <= skin) phi = 0;
      if (phi > reach * h || (phi > 0 && kind != ContactKind::separate)) continue;
      held.holds.push_back({.near = &one, .kind = kind, .depth = std::min(phi, 0.0)});
      if (phi < 0) {
        const ContactSample s = colliders.sample(one, colliders.carried(one.collider, held.position));
        const V3 normal = to_vec(s.normal);
        held.holds.back().side = faces_away(SlotNodes(grid, slot), n, s.normal) ? -normal : normal;
      }
    }
    const auto holder = std::find_if(held.holds.rbegin(), held.holds.rend(), sticks);
    if (holder != held.holds.rend()) held.holds = {*holder};  // a sticking contact overrides the others
    if (!held.holds.empty()) nodes.push_back(std::move(held));
  }
}

// activates the contacts that a node violates, and projects its velocity onto all active ones
V3 held_velocity(const MovingColliders& colliders, double dt, HeldNode& node, V3 v, HoldChange& change) {
  const int sweeps = node.holds.size() > 1 ? 2 : 1;
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (SurfaceHold& hold : node.holds) {
      const V3 candidate = to_vec(node.position) + dt * v;
      const bool stuck = sticks(hold);
      const ContactSample s = colliders.sample(*hold.near, stuck ? node.position : to_array(candidate));
      hold.normal = to_vec(s.normal), hold.velocity = to_vec(s.velocity), hold.friction = s.friction;
      if (stuck) {
        change.active = change.active || !hold.active;
        hold.active = true;
        return hold.velocity;
      }
      double missing = hold.depth - s.phi;
      // in a thin wall the far face is nearer: keep the normal from the start of the step             (BC.23)
      if (dot(hold.normal, hold.side) < 0) {
        hold.normal = hold.side;
        missing = -dt * dot(hold.side, v - hold.velocity);
      }
      if (!hold.active && (hold.kind == ContactKind::slip || missing > 0)) {
        hold.active = true;
        change.active = true;
      }
      if (hold.active) v = v + (missing / dt) * hold.normal;
    }
  return v;
}

}  // namespace

template <class S>
void find_contacts(const MovingColliders& colliders, const BlockGrid<S>& grid, ImplicitContacts& contacts) {
  contacts.nodes.clear();
  contacts.near.resize(grid.slots.size());
  if (colliders.size() == 0) return;
  std::vector<std::vector<HeldNode>> found(grid.slots.size());
  parallel_for(grid.slots.size(), 8,
               [&](std::size_t i) { find_in_block(colliders, grid, i, contacts.near[i], found[i]); });
  for (auto& block : found) std::move(block.begin(), block.end(), std::back_inserter(contacts.nodes));
}

template <class S>
HoldChange hold_to_surfaces(const MovingColliders& colliders, double dt, ImplicitContacts& contacts,
                            S* velocity) {
  std::vector<HoldChange> changes(contacts.nodes.size());
  parallel_for(contacts.nodes.size(), 64, [&](std::size_t i) {
    HeldNode& node = contacts.nodes[i];
    const V3 before = read(velocity, node.node);
    write(held_velocity(colliders, dt, node, before, changes[i]), node.node, velocity);
    const double moved = norm(read(velocity, node.node) - before);
    changes[i].velocity = moved > rounding(before, S(0)) + rounding(to_vec(node.position), 0.0) / dt;
  });
  HoldChange all;
  for (const HoldChange& one : changes)
    all.velocity = all.velocity || one.velocity, all.active = all.active || one.active;
  return all;
}

template <class S>
bool pulls(const SurfaceHold& hold, const HeldNode& node, const S* residual) {
  return hold.kind == ContactKind::separate && dot(hold.normal, read(residual, node.node)) < 0;
}

template <class S>
bool release(const S* residual, ImplicitContacts& contacts) {
  bool any = false;
  for (HeldNode& node : contacts.nodes)
    for (SurfaceHold& hold : node.holds) {
      if (!hold.active || hold.releases >= max_releases || !pulls(hold, node, residual)) continue;
      hold.active = false;
      ++hold.releases;
      any = true;
    }
  return any;
}

void set_projections(ImplicitContacts& contacts) {
  parallel_for(contacts.nodes.size(), 64, [&](std::size_t i) {
    HeldNode& node = contacts.nodes[i];
    node.rank = 0;
    for (const SurfaceHold& hold : node.holds) {
      if (!hold.active || node.rank == 3) continue;
      if (sticks(hold)) {
        node.rank = 3;
        continue;
      }
      V3 n = hold.normal;
      for (int k = 0; k < node.rank; ++k) n = n - dot(n, node.basis[k]) * node.basis[k];
      const double length = norm(n);
      if (length < 1e-3) continue;  // linearly dependent on the basis
      if (node.rank < 2) node.basis[node.rank] = (1 / length) * n;
      ++node.rank;
    }
  });
}

template <class S>
void project(const ImplicitContacts& contacts, S* field) {
  parallel_for(contacts.nodes.size(), 256, [&](std::size_t i) {
    const HeldNode& node = contacts.nodes[i];
    if (node.rank == 0) return;
    V3 v = read(field, node.node);
    for (int k = 0; k < std::min(node.rank, 2); ++k) v = v - dot(v, node.basis[k]) * node.basis[k];
    write(node.rank == 3 ? V3{0, 0, 0} : v, node.node, field);
  });
}

template <class S>
void apply_friction(const ImplicitContacts& contacts, const S* velocity, const S* residual,
                    std::size_t collider_count, BlockGrid<S>& grid, SlotImpacts& impacts) {
  impacts.resize(grid.slots.size());
  for (auto& slot : impacts) slot.clear();
  for (const HeldNode& node : contacts.nodes) {
    if (node.rank == 0) continue;
    const double mass = double(grid.velocity[node_reals * node.node + 3]);
    V3 v = read(velocity, node.node);
    const V3 push = (1 / mass) * read(residual, node.node);  // velocity change by the contact impulses
    V3 counted{0, 0, 0};
    for (const SurfaceHold& hold : node.holds) {
      if (!hold.active) continue;
      const double along = dot(push - counted, hold.normal);
      V3 change = sticks(hold) ? push - counted : along * hold.normal;
      if (!sticks(hold)) {
        const V3 relative = v - hold.velocity, slip = relative - dot(relative, hold.normal) * hold.normal;
        const double speed = norm(slip), grip = hold.friction * std::max(0.0, along);
        const V3 braked = -(speed > grip ? grip / speed : 1.0) * slip;  // (BC.3)
        v = v + braked;
        change = change + braked;
        counted = counted + along * hold.normal;
      }
      if (hold.near->collider < collider_count)
        add_impact(impacts[node.node / block_nodes], hold.near->collider, -mass * change,
                   to_vec(node.position));
      if (sticks(hold)) break;
    }
    write(v, node.node, grid.velocity.data());
  }
}

#define DOLLOP_INSTANTIATE(S)                                                                           \
  template void find_contacts(const MovingColliders&, const BlockGrid<S>&, ImplicitContacts&);          \
  template HoldChange hold_to_surfaces(const MovingColliders&, double, ImplicitContacts&, S*);          \
  template bool release(const S*, ImplicitContacts&);                                                   \
  template bool pulls(const SurfaceHold&, const HeldNode&, const S*);                                   \
  template void project(const ImplicitContacts&, S*);                                                   \
  template void apply_friction(const ImplicitContacts&, const S*, const S*, std::size_t, BlockGrid<S>&, \
                               SlotImpacts&);
DOLLOP_INSTANTIATE(float)
DOLLOP_INSTANTIATE(double)

}  // namespace dollop
