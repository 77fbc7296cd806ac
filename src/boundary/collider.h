// Where a collider is and how it moves, and what a point of space sees of it. Theory: docs/theory/contact.md.
#pragma once

#include <dollop/colliders.h>
#include <dollop/shapes.h>

#include "boundary/contact.h"
#include "boundary/motion.h"
#include "boundary/shape_distance.h"

namespace dollop {

// What a point sees of a collider.
struct ContactSample {
  double phi;        // signed distance [m]: a lower bound of the distance where positive, negative inside
  Double3 normal;    // unit, outward
  Double3 velocity;  // of the body's material at this point [m/s]; that of its surface if it changes its form
  double friction;   // Coulomb coefficient [-]
};

// with pose_at(), velocity_at(pose, x) of motion.h
Double3 velocity_at(const Collider& collider, const Double3& x, double t);

// The fastest that any point of it moves; if it has no end, that of its pivot. Changes of form do not count.
double largest_speed(const Collider& collider, double t);
// The farthest that any such point gets between two times.
double largest_travel(const Collider& collider, double from, double to);

// A loop over points asks for the pose once, then samples with it. All of a ball about x with a radius
// below the signed distance is outside (BC.9), so one look at its centre can rule out a whole block of nodes. For this
// the signed distance of a mesh is less than the phi of the sample by what interpolation may be wrong (BC.14).
// That of a shape is without friction.
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
