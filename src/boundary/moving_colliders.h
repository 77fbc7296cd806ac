// The colliders of a scene during one step, and those parts of them that are near a point. Theory:
// docs/theory/contact.md.
#pragma once

#include <vector>

#include "boundary/collider.h"
#include "boundary/shape_distance.h"

namespace dollop {

// A part of a collider, and the shapes that are cut out of it.
struct NearPart {
  const Shape* shape;
  std::vector<const Shape*> cuts;
};

// A collider reduced to a small region of space: only the parts of a union that are near it.
struct NearCollider {
  std::size_t collider;
  std::vector<NearPart> parts;
};

bool has_cuts(const NearCollider& near);

// The colliders of a scene over one step. Those that it does not have keep their number and are near nothing, so that
// nothing else needs to ask.                                                                              (BC.26)
class MovingColliders {
 public:
  // The last `pistons` colliders act with their whole surface velocity; of that of the others only the tangential part
  // counts. (BC.25, SEED.14)
  MovingColliders(const std::vector<Collider>& colliders, double time, double dt, std::size_t pistons = 0);

  std::size_t size() const { return colliders_.size(); }
  const Collider& operator[](std::size_t c) const { return colliders_[c]; }
  // the colliders that come within `reach` of x: all of them, those that move, appear or vanish, or the others
  enum class Which { all, moving, still };
  std::vector<NearCollider> near(const Double3& x, double reach, Which which = Which::all) const;
  bool any_moving() const;
  // the same collider without the cuts that do not determine its distance anywhere in a ball about x   (BC.24)
  NearCollider narrowed(const NearCollider& near, const Double3& x, double radius) const;
  // the velocity of the surface relative to the body, as of a conveyor belt, where its normal is n, at the step's end
  Double3 surface_velocity(std::size_t c, const Double3& n) const;
  // the contact between a collider and the point x at the end of the step
  ContactSample sample(const NearCollider& near, const Double3& x) const;
  double signed_distance(const NearCollider& near, const Double3& x) const;
  // the position, at the end of the step, of a point that moves with the collider and is at x at its beginning
  Double3 carried(std::size_t c, const Double3& x) const;
  // whether any collider contains the point x at the end of the step
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
  std::vector<Double3> surface_velocity_;  // with its normal part
  std::vector<bool> acts_;                 // the step has it
  std::vector<bool> still_;                // pose and shape never change, and the collider is always there
};

}  // namespace dollop
