#include "boundary/shape_distance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "boundary/rigid.h"

namespace dollop {
namespace {

using V3 = Vec3<double>;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double pi = std::numbers::pi;

struct Nearest {
  double distance;
  V3 normal;
};

// v / |v|, or the fallback where v has no direction
V3 unit(const V3& v, const V3& fallback = {0, 1, 0}) {
  return has_direction(v) ? (1 / norm(v)) * v : fallback;
}

// some unit vector at right angles to the unit vector a
V3 perpendicular(const V3& a) {
  return unit(cross(a, std::abs(a.x) < 0.6 ? V3{1, 0, 0} : V3{0, 1, 0}));  // a.y <= 0.8 in the second case
}

// --- distance and normal of each shape -------------------------------------------------------------------

Nearest nearest_on(const Shape& shape, const V3& x);

Nearest nearest(const Plane& plane, const V3& x) {
  const V3 n = unit(to_vec(plane.normal));
  return {dot(x - to_vec(plane.point), n), n};
}

Nearest nearest(const Sphere& sphere, const V3& x) {
  const V3 p = x - to_vec(sphere.center);
  return {norm(p) - sphere.radius, unit(p)};
}

// A rounded box is a smaller box grown by the rounding: the same normals, the distance less the rounding.
Nearest nearest(const Box& box, const V3& x) {
  const V3 p = x - to_vec(box.center);
  V3 q, beyond;  // how far beyond each pair of faces of the smaller box, and only where it is beyond
  int closest = 0;
  for (int i = 0; i < 3; ++i) {
    q[i] = std::abs(p[i]) - (0.5 * box.size[i] - box.rounding);
    beyond[i] = std::copysign(std::max(q[i], 0.0), p[i]);
    if (q[i] > q[closest]) closest = i;
  }
  V3 face{0, 0, 0};
  face[closest] = std::copysign(1.0, p[closest]);
  const double outside = norm(beyond);
  return {(outside > 0 ? outside : q[closest]) - box.rounding, unit(beyond, face)};
}

// A rectangle in the half-plane of the distance to the axis and the distance to the middle.
Nearest nearest(const Cylinder& cylinder, const V3& x) {
  const V3 axis = unit(to_vec(cylinder.axis)), p = x - to_vec(cylinder.center);
  const double along = dot(p, axis);
  const V3 radial = p - along * axis;
  const V3 to_end = std::copysign(1.0, along) * axis, to_side = unit(radial, perpendicular(axis));
  const double side = norm(radial) - cylinder.radius, end = std::abs(along) - 0.5 * cylinder.height;
  if (side <= 0 || end <= 0) return side > end ? Nearest{side, to_side} : Nearest{end, to_end};
  return {std::hypot(side, end), unit(side * to_side + end * to_end, to_side)};
}

Nearest nearest(const Capsule& capsule, const V3& x) {
  const V3 from = to_vec(capsule.from), segment = to_vec(capsule.to) - from, p = x - from;
  const double length2 = dot(segment, segment);
  const double s = length2 > 0 ? std::clamp(dot(p, segment) / length2, 0.0, 1.0) : 0.0;
  const V3 away = p - s * segment;
  return {norm(away) - capsule.radius, unit(away, perpendicular(unit(segment)))};
}

Nearest nearest(const Union& set, const V3& x) {  // (BC.8)
  Nearest best{infinity, {0, 1, 0}};
  for (const Shape& shape : set.shapes) {
    const Nearest n = nearest_on(shape, x);
    if (n.distance < best.distance) best = n;
  }
  return best;
}

Nearest nearest(const Intersect& set, const V3& x) {  // (BC.8)
  Nearest best{-infinity, {0, 1, 0}};
  for (const Shape& shape : set.shapes) {
    const Nearest n = nearest_on(shape, x);
    if (n.distance > best.distance) best = n;
  }
  return best;
}

Nearest nearest(const Minus& set, const V3& x) {  // (BC.8)
  if (set.shapes.empty()) return {infinity, {0, 1, 0}};
  Nearest best = nearest_on(set.shapes.front(), x);
  for (std::size_t i = 1; i < set.shapes.size(); ++i) {
    const Nearest n = nearest_on(set.shapes[i], x);
    if (-n.distance > best.distance) best = {-n.distance, -n.normal};
  }
  return best;
}

Nearest nearest(const Placed& placed, const V3& x) {
  const Mat3<double> r = to_mat(placed.rotation);
  const V3 local = (1 / placed.scale) * (transpose(r) * (x - to_vec(placed.translation)));
  const Nearest n = nearest_on(*placed.shape, local);
  return {placed.scale * n.distance, unit(r * n.normal)};
}

// the name differs from the overloads above so that a forgotten one is a compile error
Nearest nearest_on(const Shape& shape, const V3& x) {
  return std::visit([&](const auto& form) { return nearest(form, x); }, shape.form);
}

// --- bounds of each shape ---------------------------------------------------------------------------------

Bounds around(const V3& center, const V3& half) { return {to_array(center - half), to_array(center + half)}; }

Bounds bounds_of(const Plane&) { return around({0, 0, 0}, {infinity, infinity, infinity}); }
Bounds bounds_of(const Box& box) { return around(to_vec(box.center), 0.5 * to_vec(box.size)); }
Bounds bounds_of(const Sphere& s) { return around(to_vec(s.center), {s.radius, s.radius, s.radius}); }

Bounds bounds_of(const Cylinder& cylinder) {
  const V3 axis = unit(to_vec(cylinder.axis));
  V3 half;
  for (int i = 0; i < 3; ++i) {
    const double across = std::sqrt(std::max(0.0, 1 - axis[i] * axis[i]));
    half[i] = 0.5 * cylinder.height * std::abs(axis[i]) + cylinder.radius * across;
  }
  return around(to_vec(cylinder.center), half);
}

Bounds bounds_of(const Capsule& capsule) {
  Bounds b;
  for (int i = 0; i < 3; ++i) {
    b.min[i] = std::min(capsule.from[i], capsule.to[i]) - capsule.radius;
    b.max[i] = std::max(capsule.from[i], capsule.to[i]) + capsule.radius;
  }
  return b;
}

Bounds bounds_of(const Union& set) {
  Bounds all = around({0, 0, 0}, {-infinity, -infinity, -infinity});
  for (const Shape& shape : set.shapes) {
    const Bounds b = bounds(shape);
    for (int i = 0; i < 3; ++i) {
      all.min[i] = std::min(all.min[i], b.min[i]);
      all.max[i] = std::max(all.max[i], b.max[i]);
    }
  }
  return all;
}

Bounds bounds_of(const Intersect& set) {
  Bounds all = around({0, 0, 0}, {infinity, infinity, infinity});
  for (const Shape& shape : set.shapes) {
    const Bounds b = bounds(shape);
    for (int i = 0; i < 3; ++i) {
      all.min[i] = std::max(all.min[i], b.min[i]);
      all.max[i] = std::min(all.max[i], b.max[i]);
    }
  }
  return all;
}

Bounds bounds_of(const Minus& set) {
  return set.shapes.empty() ? bounds_of(Union{}) : bounds(set.shapes.front());
}

// the box about the turned box of the shape
Bounds bounds_of(const Placed& placed) {
  const Bounds local = bounds(*placed.shape);
  Bounds b{placed.translation, placed.translation};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const double a = placed.scale * placed.rotation[i][j];
      if (a == 0) continue;  // 0 times infinity
      b.min[i] += a > 0 ? a * local.min[j] : a * local.max[j];
      b.max[i] += a > 0 ? a * local.max[j] : a * local.min[j];
    }
  return b;
}

// --- volume of each shape ---------------------------------------------------------------------------------

using Volume = std::optional<double>;

Volume volume_of(const Plane&) { return {}; }
Volume volume_of(const Union&) { return {}; }
Volume volume_of(const Intersect&) { return {}; }
Volume volume_of(const Minus&) { return {}; }
Volume volume_of(const Sphere& s) { return 4 * pi / 3 * std::pow(s.radius, 3); }
Volume volume_of(const Cylinder& c) { return pi * c.radius * c.radius * c.height; }

// the smaller box, its slabs, quarter cylinders and eighths of a sphere
Volume volume_of(const Box& box) {
  const double r = box.rounding;
  const double a = box.size[0] - 2 * r, b = box.size[1] - 2 * r, c = box.size[2] - 2 * r;
  return a * b * c + 2 * r * (a * b + b * c + c * a) + pi * r * r * (a + b + c) + 4 * pi / 3 * r * r * r;
}

Volume volume_of(const Capsule& capsule) {
  const double r = capsule.radius, length = norm(to_vec(capsule.to) - to_vec(capsule.from));
  return pi * r * r * (length + 4 * r / 3);
}

Volume volume_of(const Placed& placed) {
  const Volume v = volume(*placed.shape);
  return v ? Volume{*v * std::pow(placed.scale, 3)} : v;
}

}  // namespace

SurfaceSample sample_surface(const Shape& shape, const Double3& x) {
  const Nearest n = nearest_on(shape, to_vec(x));
  return {n.distance, to_array(n.normal)};
}

double signed_distance(const Shape& shape, const Double3& x) { return nearest_on(shape, to_vec(x)).distance; }
Double3 normal(const Shape& shape, const Double3& x) { return to_array(nearest_on(shape, to_vec(x)).normal); }

Bounds bounds(const Shape& shape) {
  return std::visit([](const auto& form) { return bounds_of(form); }, shape.form);
}

std::optional<double> volume(const Shape& shape) {
  return std::visit([](const auto& form) { return volume_of(form); }, shape.form);
}

}  // namespace dollop
