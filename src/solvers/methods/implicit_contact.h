// Contacts inside an implicit solve: an active set of node constraints, applied as projections. Theory:
// docs/theory/implicit.md.
#pragma once

#include <vector>

#include "boundary/moving_colliders.h"
#include "grid/block_grid.h"
#include "math/vec.h"
#include "solvers/phases/impacts.h"

namespace dollop {

// A possible contact of a node with one collider near it.
struct SurfaceHold {
  const NearCollider* near;
  ContactKind kind;
  double depth;           // least signed distance allowed: that at the start of the step, at most 0 [m]
  Vec3<double> side{};    // for a node inside: the normal at the start, towards its material
  Vec3<double> normal{};  // at the candidate position
  Vec3<double> velocity{};
  double friction = 0;
  bool active = false;
  int releases = 0;
};

// A node near a collider, and the directions in which its active contacts fix the velocity.
struct HeldNode {
  std::size_t node;  // block_nodes * slot + place in the block
  Double3 position;  // [m]
  std::vector<SurfaceHold> holds;
  int rank = 0;  // number of fixed directions; 3: the node cannot move
  Vec3<double> basis[2]{};
};

// All nodes of a step that may be in contact.
struct ImplicitContacts {
  std::vector<std::vector<NearCollider>> near;  // the colliders near each slot
  std::vector<HeldNode> nodes;
};

// What hold_to_surfaces changed: the velocity of a node by more than rounding, the active set.
struct HoldChange {
  bool velocity = false, active = false;
};

// Finds the nodes with mass that a collider may reach in a step of dt.
template <class S>
void find_contacts(const MovingColliders& colliders, const BlockGrid<S>& grid, ImplicitContacts& contacts);

// Activates the contacts that the position x_i + dt v_i violates, and projects v_i onto all active ones.  (IMP.7)
template <class S>
HoldChange hold_to_surfaces(const MovingColliders& colliders, double dt, ImplicitContacts& contacts,
                            S* velocity);

// Whether an active contact lets go and would have to pull: the residual is the contact impulse.
template <class S>
bool pulls(const SurfaceHold& hold, const HeldNode& node, const S* residual);

// Releases contacts that would have to pull: the residual is the contact impulse. True if any was released.
template <class S>
bool release(const S* residual, ImplicitContacts& contacts);

void set_projections(ImplicitContacts& contacts);

// the projection P: removes the components of a field along the fixed directions of each node
template <class S>
void project(const ImplicitContacts& contacts, S* field);

// Coulomb friction at the nodes in contact, from v^{n+1} in `velocity` and the contact impulses in `residual`. Writes
// the velocity that particles take to the grid, and the impulses on the first `collider_count` colliders.   (IMP.8)
template <class S>
void apply_friction(const ImplicitContacts& contacts, const S* velocity, const S* residual,
                    std::size_t collider_count, BlockGrid<S>& grid, SlotImpacts& impacts);

}  // namespace dollop
