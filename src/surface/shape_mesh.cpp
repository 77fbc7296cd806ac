#include "surface/shape_mesh.h"

#include <algorithm>
#include <cmath>

#include "boundary/polygonise.h"
#include "boundary/rigid.h"
#include "boundary/tessellate.h"

namespace dollop {
namespace {

using V3 = Vec3<double>;

struct Query {
  Bounds around;
  double t;
};

void add(const Shape& shape, const Query& query, SurfaceMesh& mesh);

void add(const Plane& plane, const Query& query, SurfaceMesh& mesh) {
  const V3 n = unit_or_zero(to_vec(plane.normal));
  const V3 side = unit_or_zero(cross(n, std::abs(n.x) < 0.6 ? V3{1, 0, 0} : V3{0, 1, 0})),
           other = cross(n, side);
  const V3 low = to_vec(query.around.min), high = to_vec(query.around.max), middle = 0.5 * (low + high);
  const V3 centre = middle - dot(middle - to_vec(plane.point), n) * n;
  const double half_size = norm(high - low);
  const auto first = std::uint32_t(mesh.positions.size());
  for (int k = 0; k < 4; ++k) {
    const V3 corner = centre + (k == 1 || k == 2 ? half_size : -half_size) * side +
                      (k > 1 ? half_size : -half_size) * other;
    mesh.positions.push_back(to_float(corner));
    mesh.normals.push_back(to_float(n));
  }
  // side, other and n are right-handed if n is their cross product
  const bool right_handed = dot(cross(side, other), n) > 0;
  const std::uint32_t b = first + (right_handed ? 1 : 3), d = first + (right_handed ? 3 : 1);
  mesh.triangles.push_back({first, b, first + 2});
  mesh.triangles.push_back({first, first + 2, d});
}

void add(const Union& all, const Query& query, SurfaceMesh& mesh) {
  for (const Shape& shape : all.shapes) add(shape, query, mesh);
}

void add(const Placed& placed, const Query& query, SurfaceMesh& mesh) {
  const Mat3<double> rotation = to_mat(placed.rotation);
  // the queried box, in the coordinates of the shape before it was placed
  Bounds around{{1e300, 1e300, 1e300}, {-1e300, -1e300, -1e300}};
  for (int corner = 0; corner < 8; ++corner) {
    V3 x;
    for (int a = 0; a < 3; ++a)
      x[a] = corner >> a & 1 ? query.around.max[std::size_t(a)] : query.around.min[std::size_t(a)];
    x = transpose(rotation) * (x - to_vec(placed.translation));
    for (std::size_t a = 0; a < 3; ++a) {
      const double value = x[int(a)] / placed.scale[a];
      around.min[a] = std::min(around.min[a], value);
      around.max[a] = std::max(around.max[a], value);
    }
  }
  const std::size_t before = mesh.positions.size();
  add(*placed.shape, {around, query.t}, mesh);
  for (std::size_t i = before; i < mesh.positions.size(); ++i) {
    V3 x = to_double(mesh.positions[i]), n = to_double(mesh.normals[i]);
    for (int a = 0; a < 3; ++a) {
      x[a] *= placed.scale[std::size_t(a)];
      n[a] /= placed.scale[std::size_t(a)];
    }
    mesh.positions[i] = to_float(rotation * x + to_vec(placed.translation));
    mesh.normals[i] = to_float(unit_or_zero(rotation * n));
  }
}

void append(const TriangleShape& part, SurfaceMesh& mesh) {
  const auto first = std::uint32_t(mesh.positions.size());
  for (const auto& x : part.positions) mesh.positions.push_back(to_float(x));
  for (const auto& n : part.normals) mesh.normals.push_back(to_float(n));
  for (const auto& t : part.triangles) mesh.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
}

// the remaining shapes: differences and intersections
template <class Cut>
void add(const Cut& cut, const Query& query, SurfaceMesh& mesh) {
  Bounds box = bounds(Shape{cut});
  for (std::size_t a = 0; a < 3; ++a) {
    if (!std::isfinite(box.min[a])) box.min[a] = query.around.min[a];
    if (!std::isfinite(box.max[a])) box.max[a] = query.around.max[a];
  }
  append(polygonise(Shape{cut}, box, query.t), mesh);
}

void add(const Shape& shape, const Query& query, SurfaceMesh& mesh) {
  if (can_tessellate(shape)) return append(tessellate(shape, query.t), mesh);
  std::visit([&](const auto& form) { add(form, query, mesh); }, shape.form);
}

}  // namespace

SurfaceMesh shape_mesh(const Shape& shape, const Bounds& around, double t) {
  SurfaceMesh mesh;
  mesh.time = t;
  add(shape, {around, t}, mesh);
  mesh.material.assign(mesh.positions.size(), 0);
  return mesh;
}

std::optional<Plane> as_plane(const Shape& shape) {
  if (const auto* plane = std::get_if<Plane>(&shape.form)) return *plane;
  const auto* placed = std::get_if<Placed>(&shape.form);
  if (!placed || !placed->shape) return {};
  const auto inner = as_plane(*placed->shape);
  if (!inner) return {};
  V3 x = to_vec(inner->point), n = to_vec(inner->normal);
  for (int a = 0; a < 3; ++a) {
    x[a] *= placed->scale[std::size_t(a)];
    n[a] /= placed->scale[std::size_t(a)];
  }
  const Mat3<double> rotation = to_mat(placed->rotation);
  return Plane{to_array(rotation * x + to_vec(placed->translation)), to_array(unit_or_zero(rotation * n))};
}

}  // namespace dollop
