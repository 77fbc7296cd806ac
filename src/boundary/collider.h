// A collider at a point in space: signed distance, normal, velocity and friction. Theory: docs/theory/contact.md.
#pragma once

#include <dollop/colliders.h>
#include <dollop/shapes.h>

#include "boundary/contact.h"
#include "boundary/motion.h"
#include "boundary/shape_distance.h"

namespace dollop {

// The state of a contact between a collider and a point.
struct ContactSample {
  double phi;        // signed distance [m]: a lower bound of the distance where positive, negative inside
  Double3 normal;    // unit, outward
  Double3 velocity;  // of the rigid body at this point, plus the normal velocity of a deforming surface [m/s]
  double friction;   // Coulomb coefficient [-]
};

// Colliders appear at `from` and vanish at `until`: the end of a step decides whether it has the collider.   (BC.26)
bool acts_until(const Collider& collider, double end);  // in a step that ends then
bool is_there(const Collider& collider, double t);      // in pictures and files
bool is_always_there(const Collider& collider);

// the velocity of the collider at x and time t [m/s]
Double3 velocity_at(const Collider& collider, const Double3& x, double t);

// The largest speed of any point of the collider's bounding box [m/s]; that of the pivot for an unbounded shape. The
// deformation of a mesh sequence does not count.
double largest_speed(const Collider& collider, double t);
// The largest displacement of any such point between two times [m].
double largest_travel(const Collider& collider, double from, double to);

// Loops over points compute the pose once and sample with it. A ball about x with a radius below the signed distance
// lies outside the collider (BC.9), so one query at the centre can rule out a whole block of nodes. To keep this true
// for meshes, their signed distance is the phi of the sample minus the error bound of the interpolation (BC.14).
// The sample of a bare shape has no friction.
ContactSample sample(const Shape& shape, const Pose& pose, const Double3& x, Cuts cuts = {});
ContactSample sample(const Collider& collider, const Pose& pose, const Double3& x);
ContactSample sample(const Collider& collider, const Double3& x, double t);
double signed_distance(const Collider& collider, const Pose& pose, const Double3& x);

inline namespace DOLLOP_ISA {

// the same contact in the arithmetic of the caller, in every lane
template <class R>
DOLLOP_INLINE Contact<R> to_contact(const ContactSample& s) {
  const auto real = [](double a) { return R(ScalarOf<R>(a)); };
  const auto vec = [&](const Double3& a) { return Vec3<R>{real(a[0]), real(a[1]), real(a[2])}; };
  return {real(s.phi), vec(s.normal), vec(s.velocity), real(s.friction)};
}

}  // namespace DOLLOP_ISA
}  // namespace dollop
