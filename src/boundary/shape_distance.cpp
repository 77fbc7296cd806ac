#include "boundary/shape_distance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "boundary/ellipsoid_distance.h"
#include "boundary/level_set.h"
#include "boundary/rigid.h"

namespace dollop {
namespace {

// not std::hypot, which takes several times as long to guard against overflow, at lengths that no shape has
double planar_length(double a, double b) { return std::sqrt(a * a + b * b); }

using V3 = Vec3<double>;
constexpr double infinity = std::numeric_limits<double>::infinity();

// The options of a distance query.
struct Query {
  double time = 0;        // [s]
  bool cautious = false;  // whether to return the clearance instead of the distance
};

struct Nearest {
  double distance;
  V3 normal;
  double speed = 0;
};

// v / |v|, or the fallback where v has no direction
V3 unit(const V3& v, const V3& fallback = {0, 1, 0}) {
  return has_direction(v) ? (1 / norm(v)) * v : fallback;
}

// some unit vector at right angles to the unit vector a
V3 perpendicular(const V3& a) {
  return unit(cross(a, std::abs(a.x) < 0.6 ? V3{1, 0, 0} : V3{0, 1, 0}));  // a.y <= 0.8 in the second case
}
// v / |v|, or a unit vector perpendicular to the axis where v has no direction
V3 direction_from(const V3& axis, const V3& v) {
  return has_direction(v) ? (1 / norm(v)) * v : perpendicular(axis);
}

// --- distance and normal of each shape -------------------------------------------------------------------

Nearest nearest_on(const Shape& shape, const V3& x, const Query& query);

Nearest nearest(const Plane& plane, const V3& x, const Query&) {
  const V3 n = unit(to_vec(plane.normal));
  return {dot(x - to_vec(plane.point), n), n};
}

Nearest nearest(const Sphere& sphere, const V3& x, const Query&) {
  const V3 p = x - to_vec(sphere.center);
  return {norm(p) - sphere.radius, unit(p)};
}

// A rounded box is an inner box grown by the rounding: the same normals, the distance minus the rounding.
Nearest nearest(const Box& box, const V3& x, const Query&) {
  const V3 p = x - to_vec(box.center);
  V3 q,
      beyond;  // signed distance to each pair of faces of the inner box, and the vector to x from the closest point
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

// A rectangle in the half-plane of the cylindrical coordinates: radius, and height above the middle.
Nearest nearest(const Cylinder& cylinder, const V3& x, const Query&) {
  const V3 axis = unit(to_vec(cylinder.axis)), p = x - to_vec(cylinder.center);
  const double along = dot(p, axis);
  const V3 radial = p - along * axis;
  const V3 to_end = std::copysign(1.0, along) * axis, to_side = direction_from(axis, radial);
  const double side = norm(radial) - cylinder.radius, end = std::abs(along) - 0.5 * cylinder.height;
  if (side <= 0 || end <= 0) return side > end ? Nearest{side, to_side} : Nearest{end, to_end};
  return {planar_length(side, end), unit(side * to_side + end * to_end, to_side)};
}

Nearest nearest(const Capsule& capsule, const V3& x, const Query&) {
  const V3 from = to_vec(capsule.from), segment = to_vec(capsule.to) - from, p = x - from;
  const double length2 = dot(segment, segment);
  const double s = length2 > 0 ? std::clamp(dot(p, segment) / length2, 0.0, 1.0) : 0.0;
  const V3 away = p - s * segment;
  return {norm(away) - capsule.radius, direction_from(unit(segment), away)};
}

// The distance to the closest point of the ellipsoid, and the normal there.
Nearest nearest(const Ellipsoid& ellipsoid, const V3& x, const Query&) {
  const EllipsoidDistance d = ellipsoid_distance(ellipsoid.radii, to_array(x - to_vec(ellipsoid.center)));
  return {d.distance, unit(to_vec(d.normal))};
}

// A trapezium in the half-plane of the cylindrical coordinates: radius, and height above the base.
Nearest nearest(const Cone& cone, const V3& x, const Query&) {
  const V3 axis = unit(to_vec(cone.axis)), p = x - to_vec(cone.center);
  const double along = dot(p, axis);
  const V3 radial = p - along * axis;
  const V3 to_side = direction_from(axis, radial);
  const double r = norm(radial), inward = cone.radius - cone.top_radius;
  const double slant = planar_length(cone.height, inward);
  const double nr = cone.height / slant, na = inward / slant;  // normal of the side: outward, along the axis

  // signed distances to the planes of base and top and to the cone of the side
  const double base = -along, top = along - cone.height, side = (r - cone.radius) * nr + along * na;
  const V3 side_normal = nr * to_side + na * axis;
  if (base <= 0 && top <= 0 && side <= 0) {
    if (side >= base && side >= top) return {side, side_normal};
    return base >= top ? Nearest{base, -axis} : Nearest{top, axis};
  }

  // outside: the closest of the closest points on side, base and top
  const double s = std::clamp(((cone.radius - r) * inward + along * cone.height) / (slant * slant), 0.0, 1.0);
  const double rs[] = {cone.radius - s * inward, std::min(r, cone.radius), std::min(r, cone.top_radius)};
  const double as[] = {s * cone.height, 0, cone.height};
  const V3 normals[] = {side_normal, -axis, axis};
  int k = 0;
  for (int i = 1; i < 3; ++i)
    if (planar_length(r - rs[i], along - as[i]) < planar_length(r - rs[k], along - as[k])) k = i;
  const V3 away = (r - rs[k]) * to_side + (along - as[k]) * axis;
  return {planar_length(r - rs[k], along - as[k]), unit(away, normals[k])};
}

// A circle in the half-plane of the cylindrical coordinates: radius, and height above the middle.   (BC.11)
Nearest nearest(const Torus& torus, const V3& x, const Query&) {
  const V3 axis = unit(to_vec(torus.axis)), p = x - to_vec(torus.center);
  const double along = dot(p, axis);
  const V3 radial = p - along * axis;
  const V3 to_side = direction_from(axis, radial);
  const double beyond = norm(radial) - torus.radius;
  return {planar_length(beyond, along) - torus.tube_radius, unit(beyond * to_side + along * axis, to_side)};
}

// A disc is a short cylinder; without thickness it is a sheet, whose distance is never negative.
Nearest nearest(const Disc& disc, const V3& x, const Query& query) {
  if (disc.thickness > 0)
    return nearest(Cylinder{disc.center, disc.normal, disc.radius, disc.thickness}, x, query);
  const V3 axis = unit(to_vec(disc.normal)), p = x - to_vec(disc.center);
  const double along = dot(p, axis);
  const V3 radial = p - along * axis;
  const double beyond = std::max(0.0, norm(radial) - disc.radius);
  const V3 to_side = direction_from(axis, radial), to_face = std::copysign(1.0, along) * axis;
  return {planar_length(beyond, along), unit(beyond * to_side + along * axis, to_face)};
}

// for a clearance, subtracts the error bound of the interpolation   (BC.14)
double cautious(double distance, double voxel_size, const Query& query) {
  if (!query.cautious || distance <= 0) return distance;
  const double root3 = std::sqrt(3.0);
  return std::max(distance / root3, distance - root3 * voxel_size);
}

Nearest nearest(const Mesh& mesh, const V3& x, const Query& query) {
  if (!mesh.level_set) return {infinity, {0, 1, 0}};
  const LevelSet::Sample s = mesh.level_set->sample(to_array(x));
  return {cautious(s.distance, mesh.level_set->voxel_size(), query), unit(to_vec(s.gradient))};
}

// The level set phi(x, t), linear in time between the frames, and the speed -phi_t / |grad phi| of its surface.
// (BC.18)
Nearest nearest(const MeshSequence& sequence, const V3& x, const Query& query) {
  const auto& frames = sequence.frames;
  if (frames.empty()) return {infinity, {0, 1, 0}};
  const double last = double(frames.size() - 1), frame = (query.time - sequence.start) * sequence.frame_rate;
  if (!(frame >= 0)) return nearest(frames.front(), x, query);
  if (frame >= last) return nearest(frames.back(), x, query);
  const std::size_t k = std::size_t(frame);
  const LevelSet *a = frames[k].level_set.get(), *b = frames[k + 1].level_set.get();
  if (!a || !b) return {infinity, {0, 1, 0}};
  const LevelSet::Sample s0 = a->sample(to_array(x)), s1 = b->sample(to_array(x));
  const double s = frame - double(k), phi = (1 - s) * s0.distance + s * s1.distance;
  const V3 gradient = (1 - s) * to_vec(s0.gradient) + s * to_vec(s1.gradient);
  const double rate = (s1.distance - s0.distance) * sequence.frame_rate;
  // the gradient is short where the frames disagree: dividing by it would make up a speed
  constexpr double least_gradient = 0.5;
  return {cautious(phi, std::max(a->voxel_size(), b->voxel_size()), query), unit(gradient),
          -rate / std::max(norm(gradient), least_gradient)};
}

Nearest nearest(const Union& set, const V3& x, const Query& query) {  // (BC.8)
  Nearest best{infinity, {0, 1, 0}};
  for (const Shape& shape : set.shapes) {
    const Nearest n = nearest_on(shape, x, query);
    if (n.distance < best.distance) best = n;
  }
  return best;
}

Nearest nearest(const Intersect& set, const V3& x, const Query& query) {  // (BC.8)
  Nearest best{-infinity, {0, 1, 0}};
  for (const Shape& shape : set.shapes) {
    const Nearest n = nearest_on(shape, x, query);
    if (n.distance > best.distance) best = n;
  }
  return best;
}

// cuts a shape out: the signed distance becomes the maximum of `best` and the negative distance of the shape   (BC.8)
void cut_out(const Shape& shape, const V3& x, const Query& query, Nearest& best) {
  const Nearest n = nearest_on(shape, x, query);
  if (-n.distance > best.distance) best = {-n.distance, -n.normal, -n.speed};
}

Nearest nearest(const Minus& set, const V3& x, const Query& query) {
  if (set.shapes.empty()) return {infinity, {0, 1, 0}};
  Nearest best = nearest_on(set.shapes.front(), x, query);
  for (std::size_t i = 1; i < set.shapes.size(); ++i) cut_out(set.shapes[i], x, query, best);
  return best;
}

Nearest nearest_cut(const Shape& shape, Cuts cuts, const V3& x, const Query& query) {
  Nearest best = nearest_on(shape, x, query);
  for (const Shape* cut : cuts) cut_out(*cut, x, query, best);
  return best;
}

// Lengths shrink by the smallest scale at most, so this scale times the distance at rest is a lower bound. The normal
// is a gradient: it transforms with the inverse transpose.   (BC.12)
Nearest nearest(const Placed& placed, const V3& x, const Query& query) {
  const Mat3<double> r = to_mat(placed.rotation);
  V3 local = transpose(r) * (x - to_vec(placed.translation));
  for (int i = 0; i < 3; ++i) local[i] /= placed.scale[i];
  const Nearest n = nearest_on(*placed.shape, local, query);
  const double smallest = *std::min_element(placed.scale.begin(), placed.scale.end());
  V3 gradient;
  for (int i = 0; i < 3; ++i) gradient[i] = n.normal[i] * (smallest / placed.scale[i]);
  return {smallest * n.distance, unit(r * gradient), n.speed * smallest / norm(gradient)};
}

// the name differs from the overloads above so that a shape without an overload is a compile error
Nearest nearest_on(const Shape& shape, const V3& x, const Query& query) {
  return std::visit([&](const auto& form) { return nearest(form, x, query); }, shape.form);
}

}  // namespace

double signed_distance(const Shape& shape, const Double3& x, double t) {
  return nearest_on(shape, to_vec(x), {.time = t}).distance;
}

Double3 normal(const Shape& shape, const Double3& x, double t) {
  return to_array(nearest_on(shape, to_vec(x), {.time = t}).normal);
}

SurfaceSample sample_surface(const Shape& shape, const Double3& x, double t, Cuts cuts) {
  const Nearest n = nearest_cut(shape, cuts, to_vec(x), {.time = t});
  return {n.distance, to_array(n.normal), n.speed};
}

double clearance(const Shape& shape, const Double3& x, double t, Cuts cuts) {
  return nearest_cut(shape, cuts, to_vec(x), {.time = t, .cautious = true}).distance;
}

bool is_lipschitz(const Shape& shape) {
  return std::visit(
      [](const auto& form) {
        using Form = std::decay_t<decltype(form)>;
        if constexpr (std::is_same_v<Form, Mesh> || std::is_same_v<Form, MeshSequence>)
          return false;
        else if constexpr (std::is_same_v<Form, Placed>)
          return is_lipschitz(*form.shape);
        else if constexpr (requires { form.shapes; })
          return std::all_of(form.shapes.begin(), form.shapes.end(), is_lipschitz);
        else
          return true;
      },
      shape.form);
}

}  // namespace dollop
