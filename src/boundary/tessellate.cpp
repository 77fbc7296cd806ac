#include "boundary/tessellate.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <variant>

#include "boundary/creases.h"
#include "boundary/level_set.h"
#include "boundary/rigid.h"
#include "core/assert.h"

namespace dollop {
namespace {

using Vec = Vec3<double>;

constexpr int around = 96;   // vertices of a full circle: smooth in a picture some hundred pixels wide
constexpr int quarter = 24;  // segments of a quarter circle

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

// the quads between `rows` times `columns` vertices, which are stored row by row from `first` on
void add_quads(TriangleShape& out, std::uint32_t first, int rows, int columns) {
  for (int i = 0; i + 1 < rows; ++i)
    for (int j = 0; j + 1 < columns; ++j) {
      const std::uint32_t a = first + std::uint32_t(i * columns + j), b = a + std::uint32_t(columns);
      out.triangles.push_back({a, b, b + 1});
      out.triangles.push_back({a, b + 1, a + 1});
    }
}

// The surface at distance `radius` from a box with these half sizes: also a sphere, a capsule, and a box with sharp
// edges. The normals cover a sphere; those in an octant belong to the corner of the box in that octant.
void add_rounded_box(TriangleShape& out, const Vec& half, double radius) {
  const auto first = std::uint32_t(out.positions.size());
  const int rows = 2 * (quarter + 1), columns = 4 * (quarter + 1) + 1;
  for (int i = 0; i < rows; ++i) {
    const int upper = i <= quarter ? 1 : -1;
    const double theta = (i - (i > quarter)) * std::numbers::pi / (2 * quarter);
    for (int j = 0; j < columns; ++j) {
      const int side = j / (quarter + 1) % 4, step = j % (quarter + 1);
      const double phi = (side + double(step) / quarter) * std::numbers::pi / 2;
      const Vec n{std::sin(theta) * std::cos(phi), std::cos(theta), -std::sin(theta) * std::sin(phi)};
      const Vec corner{side == 0 || side == 3 ? half.x : -half.x, upper * half.y,
                       side < 2 ? -half.z : half.z};
      out.positions.push_back(corner + radius * n);
      out.normals.push_back(n);
    }
  }
  add_quads(out, first, rows, columns);
  // the flat ends
  const std::uint32_t stride = quarter + 1, last = first + std::uint32_t((rows - 1) * columns);
  out.triangles.push_back({first, first + stride, first + 2 * stride});
  out.triangles.push_back({first, first + 2 * stride, first + 3 * stride});
  out.triangles.push_back({last, last + 2 * stride, last + stride});
  out.triangles.push_back({last, last + 3 * stride, last + 2 * stride});
}

// A point of the profile of a surface of revolution about the y axis, with its normal.
struct ProfilePoint {
  double r, y, normal_r, normal_y;
};

// A surface of revolution. The profile runs from top to bottom, outside to its right.
void add_revolved(TriangleShape& out, const std::vector<ProfilePoint>& profile) {
  const auto first = std::uint32_t(out.positions.size());
  for (const ProfilePoint& p : profile)
    for (int j = 0; j <= around; ++j) {
      const double phi = j * 2 * std::numbers::pi / around, c = std::cos(phi), s = -std::sin(phi);
      out.positions.push_back({p.r * c, p.y, p.r * s});
      out.normals.push_back(unit_or_zero({p.normal_r * c, p.normal_y, p.normal_r * s}));
    }
  add_quads(out, first, int(profile.size()), around + 1);
}

void add_frustum(TriangleShape& out, double bottom_radius, double top_radius, double low, double high) {
  const double nr = high - low, ny = bottom_radius - top_radius;
  add_revolved(out, {{0, high, 0, 1}, {top_radius, high, 0, 1}});
  add_revolved(out, {{top_radius, high, nr, ny}, {bottom_radius, low, nr, ny}});
  add_revolved(out, {{bottom_radius, low, 0, -1}, {0, low, 0, -1}});
}

// turns the y axis to `axis` and moves the origin to `center`
void stand(TriangleShape& out, const Double3& axis, const Double3& center) {
  const Vec y = unit_or_zero(to_vec(axis));
  const Vec x =
      unit_or_zero(cross(y, std::abs(y.z) < 0.9 ? Vec{0, 0, 1} : Vec{1, 0, 0}));  // the x axis if `axis` is y
  const Vec z = cross(x, y);
  const auto turn = [&](const Vec& v) { return v.x * x + v.y * y + v.z * z; };
  for (Vec& p : out.positions) p = turn(p) + to_vec(center);
  for (Vec& n : out.normals) n = turn(n);
}

void append(TriangleShape& out, const TriangleShape& part) {
  const auto first = std::uint32_t(out.positions.size());
  out.positions.insert(out.positions.end(), part.positions.begin(), part.positions.end());
  out.normals.insert(out.normals.end(), part.normals.begin(), part.normals.end());
  for (const auto& t : part.triangles) out.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
}

// scales a part along its axes, then rotates and translates it
void place_part(TriangleShape& out, const Placed& placed) {
  const Mat3<double> rotation = to_mat(placed.rotation);
  const Double3& s = placed.scale;
  for (Vec& p : out.positions)
    p = rotation * Vec{s[0] * p.x, s[1] * p.y, s[2] * p.z} + to_vec(placed.translation);
  for (Vec& n : out.normals) n = rotation * unit_or_zero({n.x / s[0], n.y / s[1], n.z / s[2]});
}

TriangleShape tessellate_torus(const Torus& torus) {
  TriangleShape out;
  std::vector<ProfilePoint> profile;
  for (int k = 0; k <= around / 2; ++k) {
    const double angle = std::numbers::pi / 2 - k * 4 * std::numbers::pi / around;
    const double c = std::cos(angle), s = std::sin(angle);
    profile.push_back({torus.radius + torus.tube_radius * c, torus.tube_radius * s, c, s});
  }
  add_revolved(out, profile);
  stand(out, torus.axis, torus.center);
  return out;
}

TriangleShape tessellate_capsule(const Capsule& capsule) {
  TriangleShape out;
  const Vec from = to_vec(capsule.from), to = to_vec(capsule.to), along = to - from;
  add_rounded_box(out, {0, 0.5 * norm(along), 0}, capsule.radius);
  stand(out, norm(along) > 0 ? to_array(along) : Double3{0, 1, 0}, to_array(0.5 * (from + to)));
  return out;
}

TriangleShape tessellate_standing(double bottom, double top, double low, double high, const Double3& axis,
                                  const Double3& center) {
  TriangleShape out;
  add_frustum(out, bottom, top, low, high);
  stand(out, axis, center);
  return out;
}

TriangleShape tessellate(const Mesh& mesh) { return with_creases(mesh.level_set->surface()); }

TriangleShape tessellate(const MeshSequence& sequence, double t) {
  const auto surface = [&](std::size_t k) -> const TriangleMesh& {
    return sequence.frames[k].level_set->surface();
  };
  const double last = double(sequence.frames.size() - 1);
  const double frame = std::clamp((t - sequence.start) * sequence.frame_rate, 0.0, last);
  const std::size_t k = std::size_t(frame), next = std::min(k + 1, sequence.frames.size() - 1);
  const double s = frame - double(k);
  const TriangleMesh &before = surface(k), &after = surface(next);
  if (s == 0 || before.triangles != after.triangles || before.points.size() != after.points.size())
    return with_creases(s < 0.5 ? before : after);
  TriangleMesh between = before;
  for (std::size_t i = 0; i < between.points.size(); ++i)
    for (std::size_t a = 0; a < 3; ++a)
      between.points[i][a] = (1 - s) * before.points[i][a] + s * after.points[i][a];
  return with_creases(between);
}

// whether any part of a shape, down through places and sets of shapes, is one of these forms
template <class... Forms>
bool has_form(const Shape& shape) {
  const auto among = [](const std::vector<Shape>& shapes) {
    return std::any_of(shapes.begin(), shapes.end(),
                       [](const Shape& part) { return has_form<Forms...>(part); });
  };
  return (std::holds_alternative<Forms>(shape.form) || ...) ||
         std::visit(
             Overloaded{[](const Placed& s) { return s.shape && has_form<Forms...>(*s.shape); },
                        [&](const Union& s) { return among(s.shapes); },
                        [&](const Intersect& s) { return among(s.shapes); },
                        [&](const Minus& s) { return among(s.shapes); }, [](const auto&) { return false; }},
             shape.form);
}

}  // namespace

bool has_mesh(const Shape& shape) { return has_form<Mesh, MeshSequence>(shape); }
bool has_mesh_sequence(const Shape& shape) { return has_form<MeshSequence>(shape); }

bool can_tessellate(const Shape& shape) {
  const auto is_loaded = [](const Mesh& mesh) { return mesh.level_set != nullptr; };
  return std::visit(
      Overloaded{[](const Plane&) { return false; }, [](const Intersect&) { return false; },
                 [](const Minus&) { return false; }, [&](const Mesh& s) { return is_loaded(s); },
                 [&](const MeshSequence& s) {
                   return !s.frames.empty() && std::all_of(s.frames.begin(), s.frames.end(), is_loaded);
                 },
                 [](const Placed& s) { return s.shape && can_tessellate(*s.shape); },
                 [](const Union& s) {
                   return std::all_of(s.shapes.begin(), s.shapes.end(),
                                      [](const Shape& part) { return can_tessellate(part); });
                 },
                 [](const auto&) { return true; }},
      shape.form);
}

TriangleShape tessellate(const Shape& shape, double t) {
  return std::visit(
      Overloaded{
          [](const Box& s) {
            TriangleShape out;
            const double r = s.rounding;
            add_rounded_box(out, {0.5 * s.size[0] - r, 0.5 * s.size[1] - r, 0.5 * s.size[2] - r}, r);
            stand(out, {0, 1, 0}, s.center);
            return out;
          },
          [](const Sphere& s) {
            TriangleShape out;
            add_rounded_box(out, {0, 0, 0}, s.radius);
            stand(out, {0, 1, 0}, s.center);
            return out;
          },
          [](const Ellipsoid& s) {
            TriangleShape out;
            add_rounded_box(out, {0, 0, 0}, 1);
            place_part(out, {nullptr, identity_rotation, s.center, s.radii});
            return out;
          },
          [](const Cylinder& s) {
            return tessellate_standing(s.radius, s.radius, -0.5 * s.height, 0.5 * s.height, s.axis, s.center);
          },
          [](const Disc& s) {
            return tessellate_standing(s.radius, s.radius, -0.5 * s.thickness, 0.5 * s.thickness, s.normal,
                                       s.center);
          },
          [](const Cone& s) {
            return tessellate_standing(s.radius, s.top_radius, 0, s.height, s.axis, s.center);
          },
          [](const Capsule& s) { return tessellate_capsule(s); },
          [](const Torus& s) { return tessellate_torus(s); }, [](const Mesh& s) { return tessellate(s); },
          [t](const MeshSequence& s) { return tessellate(s, t); },
          [t](const Placed& s) {
            TriangleShape out = tessellate(*s.shape, t);
            place_part(out, s);
            return out;
          },
          [t](const Union& s) {
            TriangleShape out;
            for (const Shape& part : s.shapes) append(out, tessellate(part, t));
            return out;
          },
          [](const auto&) {
            DOLLOP_ASSERT(!"a shape without a closed form");
            return TriangleShape{};
          }},
      shape.form);
}

}  // namespace dollop
