// Animated values, and rigid motions built from them. Theory: docs/theory/contact.md.
#pragma once

#include <dollop/colliders.h>
#include <dollop/shapes.h>

#include <string>

namespace dollop {

double value_at(const Animated& a, double t);
Double3 value_at(const Animated3& a, double t);

// The rate of change. Exact for constants and keys; that of an expression has a relative error of 1e-9 or less in
// units of amplitude times frequency, up to 10 kHz (BC.16). At a kink it is the rate just after it.
double rate_at(const Animated& a, double t);
Double3 rate_at(const Animated3& a, double t);

// The fault in a definition, such as "key 3: time and value must be finite"; empty if the definition is valid.
std::string validate(const Animated& a);
std::string validate(const Animated3& a);  // names the component
std::string validate(const Motion& motion);

bool is_constant(const Motion& motion);  // the body never moves

// The pose of a body and its rate of change: a point X of the body at rest is at x = rotation X + translation.
struct Pose {
  Rotation rotation = identity_rotation;
  Double3 translation{0, 0, 0};       // [m]
  Double3 velocity{0, 0, 0};          // rate of `translation` [m/s]
  Double3 angular_velocity{0, 0, 0};  // [rad/s]
  double time = 0;                    // selects the frame of mesh sequences [s]
};

Pose pose_at(const Motion& motion, double t);             // (BC.7, BC.17)
Double3 velocity_at(const Pose& pose, const Double3& x);  // (BC.6)
Double3 to_body(const Pose& pose, const Double3& x);      // the point X of the body that is at x

}  // namespace dollop
