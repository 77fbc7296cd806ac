// Values that change in time, rigid motions, and colliders: rigid bodies with a prescribed motion that the material
// collides with.
#pragma once

#include <dollop/shapes.h>

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dollop {

// A number that may change in time.
struct Animated {
  enum class Kind {
    constant,
    linear,      // linear between keys, constant before the first and after the last
    smooth,      // 3 s^2 - 2 s^3 between keys, so that the value is at rest at every key
    expression,  // of the time `t` [s], such as "0.02*sin(2*pi*3*t)"
  };
  struct Key {
    double time, value;  // [s]
  };
  Kind kind = Kind::constant;
  double value = 0;             // if constant
  std::vector<Key> keys = {};   // if linear or smooth: times strictly increase
  std::string expression = {};  // if an expression

  Animated(double constant = 0) : value(constant) {}
  Animated(Kind between_keys, std::vector<Key> values) : kind(between_keys), keys(std::move(values)) {}
  explicit Animated(std::string expression_of_t)
      : kind(Kind::expression), expression(std::move(expression_of_t)) {}
};

struct Animated3 {
  Animated x, y, z;
  Animated3(Animated x_ = {}, Animated y_ = {}, Animated z_ = {})
      : x(std::move(x_)), y(std::move(y_)), z(std::move(z_)) {}
  Animated3(const Double3& a) : x(a[0]), y(a[1]), z(a[2]) {}
};

// A rigid motion. A point X of the body at rest is at  pivot + position + velocity t + S R (X - pivot):  R turns by
// the angles `rotation` about the axes x, then y, then z of space, and S spins at constant angular velocity.
struct Motion {
  Double3 velocity{0, 0, 0};          // of the pivot [m/s]
  Double3 angular_velocity{0, 0, 0};  // [rad/s]
  Double3 pivot{0, 0, 0};             // the point that rotations leave in place [m]
  Animated3 position = {};            // displacement of the pivot [m]
  Animated3 rotation = {};            // [rad]
};

// What a collider does to the velocity of the material inside or at its surface.
enum class ContactKind {
  sticky,    // the material moves with the body
  slip,      // it slides along the body and never leaves it
  separate,  // it slides along the body and may leave it
  no_slip,  // sticky, and the velocity inside is the mirror image of that outside: exact for flows along walls
};

struct Collider {
  std::string name = {};
  Shape shape = {};
  ContactKind contact = ContactKind::separate;
  double friction = 0;  // Coulomb coefficient [-]; sticky contacts do not use it
  Motion motion = {};
  // velocity of the surface relative to the body, as of a conveyor belt; it turns with the body, and only its tangential
  // part counts [m/s]
  Animated3 surface_velocity = {};
  double from = 0;                                         // the collider appears [s]
  double until = std::numeric_limits<double>::infinity();  // the collider vanishes [s]
  std::string look = {};                                   // appearance in pictures; empty: plain
  std::optional<Double3> color = {};                       // sRGB, 0 to 1; none: that of the look
};

}  // namespace dollop
