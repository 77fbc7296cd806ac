// Where a collider is and how it moves, and what a point of space sees of it. Theory: docs/theory/contact.md.
#pragma once

#include <dollop/colliders.h>
#include <dollop/shapes.h>

#include "boundary/contact.h"

namespace dollop {

// The place of a body and how that changes: a point X of the body at rest is at x = rotation X + translation.
struct Pose {
  Rotation rotation = identity_rotation;
  Double3 translation{0, 0, 0};       // [m]
  Double3 velocity{0, 0, 0};          // rate of `translation` [m/s]
  Double3 angular_velocity{0, 0, 0};  // [rad/s]
};

// What a point sees of a collider.
struct ContactSample {
  double phi;        // signed distance [m]: a lower bound of the distance where positive, negative inside
  Double3 normal;    // unit, outward
  Double3 velocity;  // of the body's material at this point [m/s]
  double friction;   // Coulomb coefficient [-]
};

Pose pose_at(const Motion& motion, double t);             // (BC.7)
Double3 velocity_at(const Pose& pose, const Double3& x);  // (BC.6)
Double3 velocity_at(const Collider& collider, const Double3& x, double t);

// A loop over points asks for the pose once, then samples with it. All of a ball about x with a radius
// below the signed distance is outside (BC.9), so one look at its centre can rule out a whole block of nodes.
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
