// Contacts inside an implicit solve: which nodes are held to which surfaces, as projections. Theory:
// docs/theory/implicit.md.
#pragma once

#include <vector>

#include "boundary/moving_colliders.h"
#include "grid/block_grid.h"
#include "math/vec.h"
#include "solvers/phases/impacts.h"

namespace dollop {

// A node and one collider near it.
struct SurfaceHold {
  const NearCollider* near;
  ContactKind kind;
  double depth;           // that the node must not go below: its own at the start, 0 if that was outside [m]
  Vec3<double> side{};    // of a node inside: the normal at the start, towards its material
  Vec3<double> normal{};  // at the candidate position
  Vec3<double> velocity{};
  double friction = 0;
  bool active = false;
  int releases = 0;
};

// A node that some collider is near to, and the directions it cannot move in.
struct HeldNode {
  std::size_t node;  // block_nodes * slot + place in the block
  Double3 position;  // [m]
  std::vector<SurfaceHold> holds;
  int rank = 0;  // 3: it cannot move at all
  Vec3<double> basis[2]{};
};

// All such nodes of a step.
struct ImplicitContacts {
  std::vector<std::vector<NearCollider>> near;  // of each slot
  std::vector<HeldNode> nodes;
};

// What of a move to the candidate positions changed.
struct HoldChange {
  bool velocity = false, active = false;
};

// The nodes with mass that a collider may reach in a step of dt.
template <class S>
void find_contacts(const MovingColliders& colliders, const BlockGrid<S>& grid, ImplicitContacts& contacts);

// Puts nodes that violate a surface, and those that are held to one, on their constraint at x_i + dt v_i.  (IMP.7)
template <class S>
HoldChange hold_to_surfaces(const MovingColliders& colliders, double dt, ImplicitContacts& contacts,
                            S* velocity);

// Lets go of nodes that a surface would have to pull: the residual is the impulse of the contact. True if any was.
template <class S>
bool release(const S* residual, ImplicitContacts& contacts);

void set_projections(ImplicitContacts& contacts);

// takes out of a field what held nodes cannot have
template <class S>
void project(const ImplicitContacts& contacts, S* field);

// Coulomb friction of the held nodes: from v^{n+1} in `velocity` and the contact impulses in `residual` to the velocity
// that particles take, into the grid's; and the impulses on the first `collider_count` colliders.           (IMP.8)
template <class S>
void apply_friction(const ImplicitContacts& contacts, const S* velocity, const S* residual,
                    std::size_t collider_count, BlockGrid<S>& grid, SlotImpacts& impacts);

}  // namespace dollop
