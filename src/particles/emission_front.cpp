#include "particles/emission_front.h"

#include <dollop/scene.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "boundary/rigid.h"
#include "boundary/shape_distance.h"

namespace dollop {
namespace {

using V3 = Vec3<double>;
using Interval = FlowFrame::Interval;
constexpr double pi = std::numbers::pi;
constexpr double max_columns = 1e7;
constexpr double same_direction = 1e-12;  // 1 - cosine: closed forms hold along an axis
// Sizes of nozzles are often whole numbers of spacings: rounding must not add a row.
constexpr double whole = 1e-6;

// a point, or a direction, in the frame of the shape that was placed
V3 to_local(const Placed& placed, const V3& x) {
  const V3 turned = transpose(to_mat(placed.rotation)) * x;
  return {turned.x / placed.scale[0], turned.y / placed.scale[1], turned.z / placed.scale[2]};
}

// the part of a line  x + a direction  in a box; empty if high < low
Interval inside_box(const Bounds& box, const V3& x, const V3& direction) {
  Interval part{-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  for (int d = 0; d < 3; ++d) {
    if (direction[d] == 0) {
      if (x[d] < box.min[d] || x[d] > box.max[d]) return {0, -1};
      continue;
    }
    const double a = (box.min[d] - x[d]) / direction[d], b = (box.max[d] - x[d]) / direction[d];
    part.low = std::max(part.low, std::min(a, b));
    part.high = std::min(part.high, std::max(a, b));
  }
  return part;
}

// --- where a line leaves a shape ------------------------------------------------------------------------

std::optional<double> leaves_at(const Shape& shape, const V3& x, const V3& direction, double resolution);

// A solid: marches back along the line from beyond the shape in steps of the signed distance, then bisects.
std::optional<double> leaves_solid(const Shape& shape, const V3& x, const V3& direction, double resolution) {
  const double per_metre = 1 / norm(direction);
  const Interval part = inside_box(bounds(shape), x, direction);
  const auto phi = [&](double a) { return signed_distance(shape, to_array(x + a * direction)); };
  // not more than 1e5 steps, also along a surface
  const double least_step = std::max(resolution * per_metre, 1e-5 * (part.high - part.low));
  double outside = part.high + least_step;
  for (double a = outside; a > part.low;) {
    const double distance = phi(a);
    if (distance < 0) {
      for (int i = 0; i < 60; ++i) {  // to the last digit
        const double middle = 0.5 * (a + outside);
        (phi(middle) < 0 ? a : outside) = middle;
      }
      return a;
    }
    outside = a;
    a -= std::max(distance * per_metre, least_step);
  }
  return {};
}

bool contains(const Shape& shape, const V3& x);

bool contains(const Disc& disc, const V3& x) {
  const V3 n = (1 / norm(to_vec(disc.normal))) * to_vec(disc.normal), p = x - to_vec(disc.center);
  const double height = dot(p, n);
  return std::fabs(height) <= 1e-9 * disc.radius && norm(p - height * n) < disc.radius;
}

// also for flat shapes, which have no inside
bool contains(const Shape& shape, const V3& x) {
  const auto in = [&](const Shape& part) { return contains(part, x); };
  if (!is_flat(shape)) return signed_distance(shape, to_array(x)) < 0;
  if (const auto* disc = std::get_if<Disc>(&shape.form)) return contains(*disc, x);
  if (const auto* placed = std::get_if<Placed>(&shape.form))
    return contains(*placed->shape, to_local(*placed, x - to_vec(placed->translation)));
  if (const auto* set = std::get_if<Union>(&shape.form))
    return std::any_of(set->shapes.begin(), set->shapes.end(), in);
  if (const auto* set = std::get_if<Intersect>(&shape.form))
    return std::all_of(set->shapes.begin(), set->shapes.end(), in);
  const auto& shapes = std::get<Minus>(shape.form).shapes;
  return in(shapes.front()) && std::none_of(shapes.begin() + 1, shapes.end(), in);
}

std::optional<double> leaves_disc(const Disc& disc, const V3& x, const V3& direction) {
  const V3 n = to_vec(disc.normal), center = to_vec(disc.center);
  const double rate = dot(direction, n);
  if (rate == 0) return {};
  const double a = dot(center - x, n) / rate;
  return norm(x + a * direction - center) < disc.radius ? std::optional{a} : std::nullopt;
}

// the first flat part determines where the line leaves, the others whether it does
std::optional<double> leaves_cut(const std::vector<Shape>& shapes, bool minus, const V3& x,
                                 const V3& direction, double resolution) {
  const auto flat = minus ? shapes.begin() : std::find_if(shapes.begin(), shapes.end(), is_flat);
  const auto a = leaves_at(*flat, x, direction, resolution);
  for (auto other = shapes.begin(); a && other != shapes.end(); ++other)
    if (other != flat && contains(*other, x + *a * direction) == minus) return {};
  return a;
}

std::optional<double> leaves_at(const Shape& shape, const V3& x, const V3& direction, double resolution) {
  if (!is_flat(shape)) return leaves_solid(shape, x, direction, resolution);
  if (const auto* disc = std::get_if<Disc>(&shape.form)) return leaves_disc(*disc, x, direction);
  if (const auto* placed = std::get_if<Placed>(&shape.form)) {
    const double scale = *std::max_element(placed->scale.begin(), placed->scale.end());
    return leaves_at(*placed->shape, to_local(*placed, x - to_vec(placed->translation)),
                     to_local(*placed, direction), resolution / scale);
  }
  if (const auto* set = std::get_if<Union>(&shape.form)) {
    std::optional<double> last;
    for (const Shape& part : set->shapes) last = std::max(last, leaves_at(part, x, direction, resolution));
    return last;
  }
  if (const auto* set = std::get_if<Intersect>(&shape.form))
    return leaves_cut(set->shapes, false, x, direction, resolution);
  return leaves_cut(std::get<Minus>(shape.form).shapes, true, x, direction, resolution);
}

// --- the extent of a shape --------------------------------------------------------------------------------

// the range of dot(axis, x) over the shape; exact along the edges of boxes, also placed ones
Interval reach(const Shape& shape, const V3& axis) {
  if (const auto* placed = std::get_if<Placed>(&shape.form)) {
    const V3 local = transpose(to_mat(placed->rotation)) * axis;
    const Interval r = reach(
        *placed->shape, {local.x * placed->scale[0], local.y * placed->scale[1], local.z * placed->scale[2]});
    const double moved = dot(axis, to_vec(placed->translation));
    return {r.low + moved, r.high + moved};
  }
  if (const auto* set = std::get_if<Union>(&shape.form)) {
    Interval all{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    for (const Shape& part : set->shapes) {
      const Interval r = reach(part, axis);
      all = {std::min(all.low, r.low), std::max(all.high, r.high)};
    }
    return all;
  }
  const Bounds box = bounds(shape);
  Interval r{0, 0};
  for (std::size_t d = 0; d < 3; ++d) {
    const double a = axis[int(d)];
    if (std::fabs(a) < 1e-15) continue;  // rounding of a right angle, also zero times infinity
    r.low += a * (a > 0 ? box.min[d] : box.max[d]);
    r.high += a * (a > 0 ? box.max[d] : box.min[d]);
  }
  return r;
}

Mat3<double> axes_of(const Shape& shape) {
  const auto* placed = std::get_if<Placed>(&shape.form);
  return placed ? to_mat(placed->rotation) * axes_of(*placed->shape) : Mat3<double>::identity();
}

// --- closed forms of the projected area, the shadow (SEED.12) -----------------------------------------

bool is_along(const V3& direction, const Double3& axis) {
  const V3 a = to_vec(axis);
  return std::fabs(dot(direction, a)) >= (1 - same_direction) * norm(a);
}

struct Shadow {
  using Area = std::optional<double>;
  V3 d;  // unit

  Area operator()(const Sphere& s) const { return pi * s.radius * s.radius; }
  Area operator()(const Box& box) const {
    for (int i = 0; i < 3; ++i)
      if (std::fabs(d[i]) >= 1 - same_direction)
        return box.size[std::size_t(i + 1) % 3] * box.size[std::size_t(i + 2) % 3] -
               (4 - pi) * box.rounding * box.rounding;
    return {};
  }
  Area operator()(const Cylinder& c) const {
    return is_along(d, c.axis) ? Area{pi * c.radius * c.radius} : Area{};
  }
  Area operator()(const Capsule& c) const {
    const V3 axis = to_vec(c.to) - to_vec(c.from), sideways = cross(axis, d);
    return 2 * c.radius * norm(sideways) + pi * c.radius * c.radius;
  }
  Area operator()(const Ellipsoid& e) const {
    const double a = e.radii[0], b = e.radii[1], c = e.radii[2];
    return pi * std::hypot(b * c * d.x, a * c * d.y, a * b * d.z);
  }
  Area operator()(const Cone& c) const {
    const double r = std::max(c.radius, c.top_radius);
    return is_along(d, c.axis) ? Area{pi * r * r} : Area{};
  }
  Area operator()(const Torus& t) const {
    return is_along(d, t.axis) ? Area{4 * pi * t.radius * t.tube_radius} : Area{};
  }
  Area operator()(const Disc& disc) const {
    if (disc.thickness != 0 && !is_along(d, disc.normal)) return {};
    const V3 n = to_vec(disc.normal);
    return pi * disc.radius * disc.radius * std::fabs(dot(d, n)) / norm(n);
  }
  Area operator()(const Placed& placed) const {
    const double scale = placed.scale[0];
    if (placed.scale[1] != scale || placed.scale[2] != scale) return {};
    const Area area = shadow_area(*placed.shape, to_array(transpose(to_mat(placed.rotation)) * d));
    return area ? Area{scale * scale * *area} : area;
  }
  template <class Other>
  Area operator()(const Other&) const {
    return {};
  }
};

// `count` by `rows` columns about the middle of the frame; those that miss the shape are left out
std::vector<FrontPoint> columns_of(const Shape& shape, const FlowFrame& frame, double spacing,
                                   std::int64_t count, std::int64_t rows) {
  const auto middle = [](const Interval& i) { return 0.5 * (i.low + i.high); };
  const V3 across = to_vec(frame.across), along = to_vec(frame.along);
  std::vector<std::optional<Double3>> feet;
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int64_t j = 0; j < rows; ++j) {
      const double a = middle(frame.on_across) + spacing * (double(i) - 0.5 * double(count - 1));
      const double b = middle(frame.on_along) + spacing * (double(j) - 0.5 * double(rows - 1));
      feet.push_back(front_point(shape, to_array(a * across + b * along), frame.direction, 1e-3 * spacing));
    }
  const auto is_open = [&](std::int64_t i, std::int64_t j) {
    return i >= 0 && j >= 0 && i < count && j < rows && feet[std::size_t(i * rows + j)].has_value();
  };
  std::vector<FrontPoint> columns;
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int64_t j = 0; j < rows; ++j) {
      if (!is_open(i, j)) continue;
      bool at_edge = false;
      for (std::int64_t n = 0; n < 9; ++n) at_edge = at_edge || !is_open(i + n / 3 - 1, j + n % 3 - 1);
      columns.push_back({*feet[std::size_t(i * rows + j)], 0, at_edge});
    }
  return columns;
}

}  // namespace

bool is_flat(const Shape& shape) {
  if (const auto* disc = std::get_if<Disc>(&shape.form)) return disc->thickness == 0;
  if (const auto* placed = std::get_if<Placed>(&shape.form)) return is_flat(*placed->shape);
  if (const auto* set = std::get_if<Minus>(&shape.form))
    return !set->shapes.empty() && is_flat(set->shapes.front());
  const std::vector<Shape>* parts = nullptr;
  if (const auto* set = std::get_if<Union>(&shape.form)) parts = &set->shapes;
  if (const auto* set = std::get_if<Intersect>(&shape.form)) parts = &set->shapes;
  return parts && std::any_of(parts->begin(), parts->end(), is_flat);
}

std::optional<Double3> disc_normal(const Shape& shape) {
  V3 n;
  if (const auto* disc = std::get_if<Disc>(&shape.form)) {
    n = to_vec(disc->normal);
  } else if (const auto* placed = std::get_if<Placed>(&shape.form)) {
    const auto local = disc_normal(*placed->shape);
    if (!local) return {};
    const Double3& s = placed->scale;  // a normal transforms with the inverse transpose
    n = to_mat(placed->rotation) * V3{(*local)[0] / s[0], (*local)[1] / s[1], (*local)[2] / s[2]};
  } else {
    return {};
  }
  return has_direction(n) ? std::optional{to_array((1 / norm(n)) * n)} : std::nullopt;
}

FlowFrame flow_frame(const Shape& shape, const Double3& direction) {
  const Mat3<double> axes = axes_of(shape);
  const V3 local = transpose(axes) * to_vec(direction);
  int least = 0;  // the axis that is closest to perpendicular
  for (int i = 1; i < 3; ++i)
    if (std::fabs(local[i]) < std::fabs(local[least])) least = i;
  V3 axis{0, 0, 0};
  axis[least] = 1;
  const V3 sideways = cross(axis, local);
  const V3 across = axes * ((1 / norm(sideways)) * sideways), along = cross(to_vec(direction), across);
  return {direction, to_array(across), to_array(along), reach(shape, across), reach(shape, along)};
}

std::optional<Double3> front_point(const Shape& shape, const Double3& through, const Double3& direction,
                                   double resolution) {
  const auto a = leaves_at(shape, to_vec(through), to_vec(direction), resolution);
  if (!a) return {};
  return to_array(to_vec(through) + *a * to_vec(direction));
}

std::optional<double> shadow_area(const Shape& shape, const Double3& direction) {
  return std::visit(Shadow{to_vec(direction)}, shape.form);
}

std::vector<FrontPoint> flow_columns(const Shape& shape, const FlowFrame& frame, double spacing) {
  const auto number = [&](const Interval& i) {
    return std::max(1.0, std::ceil((i.high - i.low) / spacing - whole));
  };
  const double count = number(frame.on_across), rows = number(frame.on_along);
  if (!(count * rows <= max_columns))
    throw SceneError(
        fmt::format("{:.2g} particles would leave this nozzle side by side; make it smaller, cell_size "
                    "larger or particles_per_cell smaller",
                    count * rows));
  auto columns = columns_of(shape, frame, spacing, std::int64_t(count), std::int64_t(rows));
  // with an even number of columns a small round nozzle may lie between them: one more puts a column in its middle
  if (columns.empty())
    columns = columns_of(shape, frame, spacing, std::int64_t(count) + 1, std::int64_t(rows) + 1);
  return columns;
}

}  // namespace dollop
