// Colliders: rigid bodies that move as told and that the material runs into.
#pragma once

#include <dollop/shapes.h>

#include <string>

namespace dollop {

// What a collider does to the velocity of the material inside or at its surface.
enum class ContactKind {
  sticky,    // the material moves with the body
  slip,      // it slides along the body and never leaves it
  separate,  // it slides along the body and may leave it
};

// A rigid motion: the pivot moves at constant velocity, the body turns about it at constant angular velocity.
// At time 0 the body is where its shape says.
struct Motion {
  Double3 velocity{0, 0, 0};          // of the pivot [m/s]
  Double3 angular_velocity{0, 0, 0};  // [rad/s]
  Double3 pivot{0, 0, 0};             // at time 0 [m]
};

struct Collider {
  std::string name = {};
  Shape shape = {};
  ContactKind contact = ContactKind::separate;
  double friction = 0;  // Coulomb coefficient [-]; sticky contacts do not use it
  Motion motion = {};
};

}  // namespace dollop
