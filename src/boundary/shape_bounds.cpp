#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "boundary/level_set.h"
#include "boundary/rigid.h"
#include "boundary/shape_distance.h"

namespace dollop {
namespace {

using V3 = Vec3<double>;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double pi = std::numbers::pi;

V3 unit(const V3& v) { return has_direction(v) ? (1 / norm(v)) * v : V3{0, 1, 0}; }

// --- bounds of each shape ---------------------------------------------------------------------------------

Bounds around(const V3& center, const V3& half) { return {to_array(center - half), to_array(center + half)}; }

Bounds bounds_of(const Plane&) { return around({0, 0, 0}, {infinity, infinity, infinity}); }
Bounds bounds_of(const Box& box) { return around(to_vec(box.center), 0.5 * to_vec(box.size)); }
Bounds bounds_of(const Sphere& s) { return around(to_vec(s.center), {s.radius, s.radius, s.radius}); }

Bounds bounds_of(const Ellipsoid& e) { return around(to_vec(e.center), to_vec(e.radii)); }

// the smallest box around both
Bounds join(const Bounds& a, const Bounds& b) {
  Bounds both;
  for (int i = 0; i < 3; ++i) {
    both.min[i] = std::min(a.min[i], b.min[i]);
    both.max[i] = std::max(a.max[i], b.max[i]);
  }
  return both;
}

// half the size of the bounding box of a circle, for each axis
V3 half_of_circle(const V3& unit_axis, double radius) {
  V3 half;
  for (int i = 0; i < 3; ++i) half[i] = radius * std::sqrt(std::max(0.0, 1 - unit_axis[i] * unit_axis[i]));
  return half;
}

Bounds bounds_of(const Cylinder& cylinder) {
  const V3 axis = unit(to_vec(cylinder.axis));
  V3 half = half_of_circle(axis, cylinder.radius);
  for (int i = 0; i < 3; ++i) half[i] += 0.5 * cylinder.height * std::abs(axis[i]);
  return around(to_vec(cylinder.center), half);
}

Bounds bounds_of(const Disc& disc) {
  return bounds_of(Cylinder{disc.center, disc.normal, disc.radius, disc.thickness});
}

Bounds bounds_of(const Cone& cone) {
  const V3 axis = unit(to_vec(cone.axis)), base = to_vec(cone.center);
  return join(around(base, half_of_circle(axis, cone.radius)),
              around(base + cone.height * axis, half_of_circle(axis, cone.top_radius)));
}

Bounds bounds_of(const Torus& torus) {
  const double r = torus.tube_radius;
  return around(to_vec(torus.center), half_of_circle(unit(to_vec(torus.axis)), torus.radius) + V3{r, r, r});
}

Bounds nothing() { return around({0, 0, 0}, {-infinity, -infinity, -infinity}); }

Bounds bounds_of(const Mesh& mesh) {
  return mesh.level_set ? Bounds{mesh.level_set->min(), mesh.level_set->max()} : nothing();
}

Bounds bounds_of(const MeshSequence& sequence) {
  Bounds all = nothing();
  for (const Mesh& mesh : sequence.frames) all = join(all, bounds_of(mesh));
  return all;
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
  Bounds all = nothing();
  for (const Shape& shape : set.shapes) all = join(all, bounds(shape));
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

Bounds bounds_of(const Minus& set) { return set.shapes.empty() ? nothing() : bounds(set.shapes.front()); }

// the bounding box of the transformed bounding box of the shape
Bounds bounds_of(const Placed& placed) {
  const Bounds local = bounds(*placed.shape);
  Bounds b{placed.translation, placed.translation};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const double a = placed.rotation[i][j] * placed.scale[j];
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
Volume volume_of(const MeshSequence&) { return {}; }
Volume volume_of(const Mesh& mesh) { return mesh.level_set ? Volume{mesh.level_set->volume()} : Volume{}; }
Volume volume_of(const Ellipsoid& e) { return 4 * pi / 3 * e.radii[0] * e.radii[1] * e.radii[2]; }
Volume volume_of(const Torus& t) { return 2 * pi * pi * t.radius * t.tube_radius * t.tube_radius; }
Volume volume_of(const Disc& d) { return pi * d.radius * d.radius * d.thickness; }
Volume volume_of(const Cone& c) {
  return pi / 3 * c.height * (c.radius * c.radius + c.radius * c.top_radius + c.top_radius * c.top_radius);
}
Volume volume_of(const Sphere& s) { return 4 * pi / 3 * std::pow(s.radius, 3); }
Volume volume_of(const Cylinder& c) { return pi * c.radius * c.radius * c.height; }

// the inner box, slabs on its faces, quarter cylinders along its edges, eighths of a sphere at its corners
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
  return v ? Volume{*v * placed.scale[0] * placed.scale[1] * placed.scale[2]} : v;
}

}  // namespace

Bounds bounds(const Shape& shape) {
  return std::visit([](const auto& form) { return bounds_of(form); }, shape.form);
}

std::optional<double> volume(const Shape& shape) {
  return std::visit([](const auto& form) { return volume_of(form); }, shape.form);
}

}  // namespace dollop
