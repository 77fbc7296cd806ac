#include "boundary/shape_validate.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <type_traits>

#include "boundary/level_set.h"
#include "boundary/motion.h"
#include "boundary/rigid.h"
#include "boundary/shape_distance.h"

namespace dollop {
namespace {

constexpr double rotation_tolerance = 1e-6;  // of R R^T = 1; matrices typed by hand have six digits or more

// Records the first fault that is found.
struct Check {
  std::string shape, error = {};

  void require(bool holds, const std::string& what) {
    if (!holds && error.empty()) error = shape + ": " + what;
  }
  void positive(const char* name, double value) {
    std::ostringstream text;
    text << name << " must be positive" << (value > 0 ? " and finite" : "") << ", it is " << value;
    require(value > 0 && std::isfinite(value), text.str());
  }
  void not_negative(const char* name, double value) {
    std::ostringstream text;
    text << name << " must be 0 or more" << (value > 0 ? ", and finite" : "") << ", it is " << value;
    require(value >= 0 && std::isfinite(value), text.str());
  }
  void finite(const char* name, double value) {
    require(std::isfinite(value), std::string(name) + " must be finite");
  }
  void finite(const char* name, const Double3& value) {
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

std::string check(const Ellipsoid& ellipsoid) {
  Check c{"ellipsoid"};
  c.finite("center", ellipsoid.center);
  for (const double radius : ellipsoid.radii) c.positive("radii", radius);
  return c.error;
}

std::string check(const Cone& cone) {
  Check c{"cone"};
  c.finite("center", cone.center);
  c.direction("axis", cone.axis);
  c.not_negative("radius", cone.radius);
  c.not_negative("top_radius", cone.top_radius);
  c.require(cone.radius > 0 || cone.top_radius > 0, "radius or top_radius must be positive, both are 0");
  c.positive("height", cone.height);
  return c.error;
}

std::string check(const Torus& torus) {
  Check c{"torus"};
  c.finite("center", torus.center);
  c.direction("axis", torus.axis);
  c.positive("radius", torus.radius);
  c.positive("tube_radius", torus.tube_radius);
  c.require(torus.tube_radius < torus.radius, "tube_radius must be less than radius, or the hole closes");
  return c.error;
}

std::string check(const Disc& disc) {
  Check c{"disc"};
  c.finite("center", disc.center);
  c.direction("normal", disc.normal);
  c.positive("radius", disc.radius);
  c.not_negative("thickness", disc.thickness);
  return c.error;
}

std::string check(const Mesh& mesh) {
  Check c{"mesh"};
  c.require(mesh.level_set != nullptr, "'" + mesh.file + "' is not loaded; make it with load_mesh()");
  return c.error;
}

// Distances are known in a narrow band about the surface, so the surface must not move further than that in one frame.
std::string check_step(const LevelSet& before, const LevelSet& now) {
  double moved = 0;
  for (int i = 0; i < 3; ++i)
    moved =
        std::max({moved, std::abs(now.min()[i] - before.min()[i]), std::abs(now.max()[i] - before.max()[i])});
  const double reach = std::min(before.reach(), now.reach());
  if (moved <= reach) return {};
  std::ostringstream text;
  text << "moves by " << moved << " m, but its level set reaches " << reach
       << " m; give more frames, or a larger voxel_size, or move it by the motion of the collider";
  return text.str();
}

std::string check(const MeshSequence& sequence) {
  Check c{"mesh sequence"};
  c.require(!sequence.frames.empty(), "needs one frame or more");
  c.positive("frame_rate", sequence.frame_rate);
  c.finite("start", sequence.start);
  for (std::size_t i = 0; i < sequence.frames.size() && c.error.empty(); ++i) {
    const std::string frame = "frame " + std::to_string(i + 1) + ": ", inner = check(sequence.frames[i]);
    c.require(inner.empty(), frame + inner);
    if (i == 0 || !inner.empty()) continue;
    const std::string step = check_step(*sequence.frames[i - 1].level_set, *sequence.frames[i].level_set);
    c.require(step.empty(), frame + step);
  }
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
  for (const double factor : placed.scale) c.positive("scale", factor);
  const Mat3<double> r = to_mat(placed.rotation);
  const double skew = std::sqrt(norm_squared(r * transpose(r) - Mat3<double>::identity()));
  c.require(skew < rotation_tolerance && det(r) > 0, "rotation must be orthonormal with determinant +1");
  return c.error;
}

// --- what a body, an emitter or a collider requires --------------------------------------------------------

// Whether the predicate holds for any part of the shape.
template <class Predicate>
bool any_part(const Shape& shape, const Predicate& predicate) {
  const auto any_of = [&](const std::vector<Shape>& shapes) {
    return std::any_of(shapes.begin(), shapes.end(), [&](const Shape& s) { return any_part(s, predicate); });
  };
  return std::visit(
      [&](const auto& form) {
        using T = std::decay_t<decltype(form)>;
        if constexpr (std::is_same_v<T, Placed>)
          return any_part(*form.shape, predicate);
        else if constexpr (requires { form.shapes; })
          return any_of(form.shapes);
        else
          return predicate(form);
      },
      shape.form);
}

template <class T>
bool is_flat(const T& form) {
  if constexpr (std::is_same_v<T, Disc>)
    return form.thickness == 0;
  else
    return false;
}

}  // namespace

std::string validate_solid(const Shape& shape) {
  const std::string fault = validate(shape);
  if (!fault.empty()) return fault;
  if (any_part(shape, [](const auto& form) { return is_flat(form); }))
    return "disc: needs thickness: without it there is no solid";
  return {};
}

bool changes_form(const Shape& shape) {
  return any_part(shape, []<class T>(const T&) { return std::is_same_v<T, MeshSequence>; });
}

std::string validate(const Shape& shape) {
  return std::visit([](const auto& form) { return check(form); }, shape.form);
}

std::string validate_body_shape(const Shape& shape) {
  const std::string fault = validate_solid(shape);
  if (!fault.empty()) return fault;
  if (changes_form(shape)) return "mesh sequence: serves colliders only; use one mesh";
  const Bounds b = bounds(shape);
  if (!is_finite(b.min) || !is_finite(b.max)) return "it has no end; intersect it with a box";
  for (int i = 0; i < 3; ++i)
    if (!(b.min[i] < b.max[i])) return "nothing is left of it; check where its parts are";
  return {};
}

std::string validate_emitter_shape(const Shape& shape) {
  const std::string fault = validate(shape);
  if (!fault.empty()) return fault;
  const Shape* innermost = &shape;
  while (const Placed* placed = std::get_if<Placed>(&innermost->form)) innermost = placed->shape.get();
  const Disc* disc = std::get_if<Disc>(&innermost->form);
  return disc && is_flat(*disc) ? "" : validate_body_shape(shape);
}

std::string validate(const Collider& collider) {
  Check c{"collider '" + collider.name + "'"};
  const std::string inner = validate_solid(collider.shape);
  c.require(inner.empty(), inner);
  c.require(collider.friction >= 0 && std::isfinite(collider.friction),
            "friction must be 0 or more, and finite");
  const std::string motion = validate(collider.motion);
  c.require(motion.empty(), motion);
  c.require(collider.from >= 0 && std::isfinite(collider.from),
            "'from' must be zero or more; a run starts at time 0");
  c.require(collider.until > collider.from, "'until' must be later than 'from'");
  return c.error;
}

}  // namespace dollop
