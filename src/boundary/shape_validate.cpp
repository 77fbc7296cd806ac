#include "boundary/shape_validate.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "boundary/rigid.h"

namespace dollop {
namespace {

constexpr double rotation_tolerance = 1e-6;  // of R R^T = 1; typed matrices have six digits or more

bool is_finite(double a) { return std::isfinite(a); }
bool is_finite(const Double3& a) { return is_finite(a[0]) && is_finite(a[1]) && is_finite(a[2]); }

// Collects the first thing that is wrong.
struct Check {
  std::string shape, error = {};

  void require(bool holds, const std::string& what) {
    if (!holds && error.empty()) error = shape + ": " + what;
  }
  void positive(const char* name, double value) {
    std::ostringstream text;
    text << name << " must be positive" << (value > 0 ? " and finite" : "") << ", it is " << value;
    require(value > 0 && is_finite(value), text.str());
  }
  template <class T>
  void finite(const char* name, const T& value) {
    require(is_finite(value), std::string(name) + " must be finite");
  }
  void direction(const char* name, const Double3& value) {
    finite(name, value);
    require(has_direction(to_vec(value)), std::string(name) + " must not be zero");
  }
  void each(const std::vector<Shape>& shapes, std::size_t at_least) {
    require(shapes.size() >= at_least, "needs " + std::to_string(at_least) + " or more shapes");
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      const std::string inner = validate(shapes[i]);
      require(inner.empty(), "shape " + std::to_string(i + 1) + ": " + inner);
    }
  }
};

std::string check(const Plane& plane) {
  Check c{"plane"};
  c.finite("point", plane.point);
  c.direction("normal", plane.normal);
  return c.error;
}

std::string check(const Box& box) {
  Check c{"box"};
  c.finite("center", box.center);
  for (const double edge : box.size) c.positive("size", edge);
  const double smallest = *std::min_element(box.size.begin(), box.size.end());
  c.require(box.rounding >= 0 && box.rounding <= 0.5 * smallest,
            "rounding must be from 0 to half the smallest size");
  return c.error;
}

std::string check(const Sphere& sphere) {
  Check c{"sphere"};
  c.finite("center", sphere.center);
  c.positive("radius", sphere.radius);
  return c.error;
}

std::string check(const Cylinder& cylinder) {
  Check c{"cylinder"};
  c.finite("center", cylinder.center);
  c.direction("axis", cylinder.axis);
  c.positive("radius", cylinder.radius);
  c.positive("height", cylinder.height);
  return c.error;
}

std::string check(const Capsule& capsule) {
  Check c{"capsule"};
  c.finite("from", capsule.from);
  c.finite("to", capsule.to);
  c.positive("radius", capsule.radius);
  return c.error;
}

std::string check(const Union& set) {
  Check c{"union"};
  c.each(set.shapes, 1);
  return c.error;
}

std::string check(const Intersect& set) {
  Check c{"intersect"};
  c.each(set.shapes, 1);
  return c.error;
}

std::string check(const Minus& set) {
  Check c{"minus"};
  c.each(set.shapes, 2);
  return c.error;
}

std::string check(const Placed& placed) {
  Check c{"placed"};
  if (!placed.shape) return "placed: it has no shape";
  const std::string inner = validate(*placed.shape);
  c.require(inner.empty(), inner);
  c.finite("translation", placed.translation);
  c.positive("scale", placed.scale);
  const Mat3<double> r = to_mat(placed.rotation);
  const double skew = std::sqrt(norm_squared(r * transpose(r) - Mat3<double>::identity()));
  c.require(skew < rotation_tolerance && det(r) > 0, "rotation must be orthonormal with determinant +1");
  return c.error;
}

}  // namespace

std::string validate(const Shape& shape) {
  return std::visit([](const auto& form) { return check(form); }, shape.form);
}

std::string validate(const Collider& collider) {
  Check c{"collider '" + collider.name + "'"};
  const std::string inner = validate(collider.shape);
  c.require(inner.empty(), inner);
  c.require(collider.friction >= 0 && is_finite(collider.friction), "friction must be 0 or more, and finite");
  c.finite("velocity", collider.motion.velocity);
  c.finite("angular velocity", collider.motion.angular_velocity);
  c.finite("pivot", collider.motion.pivot);
  return c.error;
}

}  // namespace dollop
