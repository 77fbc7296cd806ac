// The colliders of a scene during one step, and the parts of them that matter near a place. Theory:
// docs/theory/contact.md.
#pragma once

#include <vector>

#include "boundary/collider.h"
#include "boundary/shape_distance.h"

namespace dollop {

// A part of a collider, and what is cut out of it.
struct NearPart {
  const Shape* shape;
  std::vector<const Shape*> cuts;
};

// A collider as a small region of space sees it: only those parts of a union that come near.
struct NearCollider {
  std::size_t collider;
  std::vector<NearPart> parts;
};

bool has_cuts(const NearCollider& near);

// The colliders of a scene over one step.
class MovingColliders {
 public:
  // The last `pistons` of them push with all of their surface velocity; that of others counts along the surface only.
  // (BC.25, SEED.14)
  MovingColliders(const std::vector<Collider>& colliders, double time, double dt, std::size_t pistons = 0);

  std::size_t size() const { return colliders_.size(); }
  const Collider& operator[](std::size_t c) const { return colliders_[c]; }
  // the colliders that come within `reach` of x: all of them, those that move, or those that do not
  enum class Which { all, moving, still };
  std::vector<NearCollider> near(const Double3& x, double reach, Which which = Which::all) const;
  // the same collider without those cuts that decide nowhere in a ball about x                      (BC.24)
  NearCollider narrowed(const NearCollider& near, const Double3& x, double radius) const;
  // of the surface relative to the body, as of a belt, at the end of the step where the normal is n
  Double3 surface_velocity(std::size_t c, const Double3& n) const;
  // what a point sees of a collider at the end of the step
  ContactSample sample(const NearCollider& near, const Double3& x) const;
  double signed_distance(const NearCollider& near, const Double3& x) const;
  // where a point that moves with the collider is at the end of the step
  Double3 carried(std::size_t c, const Double3& x) const;
  // whether any collider holds a point at the end of the step
  bool hold(const Double3& x) const;

 private:
  struct Part {
    NearPart part;
    Bounds bounds;  // of the part at rest
  };
  const std::vector<Collider>& colliders_;
  std::vector<std::vector<Part>> parts_;
  std::vector<Pose> before_, after_;
  std::size_t pistons_;
  std::vector<Double3> surface_velocity_;  // also across the surface
  std::vector<bool> still_;                // place and form never change
};

}  // namespace dollop
