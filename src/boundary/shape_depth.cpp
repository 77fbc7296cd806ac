#include "boundary/shape_depth.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "boundary/level_set.h"
#include "boundary/rigid.h"
#include "boundary/shape_distance.h"

namespace dollop {
namespace {

using V3 = Vec3<double>;
using Region = ShapeDepth::Region;
constexpr double infinity = std::numeric_limits<double>::infinity();

// --- the sides of a shape ----------------------------------------------------------------------------------

std::vector<Shape>* members_of(Shape& shape) {
  if (auto* set = std::get_if<Union>(&shape.form)) return &set->shapes;
  if (auto* set = std::get_if<Intersect>(&shape.form)) return &set->shapes;
  if (auto* set = std::get_if<Minus>(&shape.form)) return &set->shapes;
  return nullptr;
}

double exact_to(const Shape& shape) {
  if (const auto* mesh = std::get_if<Mesh>(&shape.form))
    return mesh->level_set ? mesh->level_set->reach() : 0;
  const auto* placed = std::get_if<Placed>(&shape.form);
  if (!placed) return infinity;
  const Double3& k = placed->scale;
  return k[0] == k[1] && k[1] == k[2] ? k[0] * exact_to(*placed->shape) : 0;
}

// one side, inside or outside, of a shape whose sets are not placed                                      (SEED.15)
Region side_of(Shape& shape, bool inside) {
  auto* members = members_of(shape);
  if (!members) return {.shape = shape, .inside = inside, .exact_to = exact_to(shape)};
  Region side{.all = std::holds_alternative<Union>(shape.form) != inside};
  const bool minus = std::holds_alternative<Minus>(shape.form);
  for (Shape& member : *members) {
    Region part = side_of(member, minus && &member != members->data() ? !inside : inside);
    if (part.parts.empty() || part.all != side.all)
      side.parts.push_back(std::move(part));
    else
      std::move(part.parts.begin(), part.parts.end(), std::back_inserter(side.parts));
  }
  return side;
}

// --- the planes that bound a region near a point -----------------------------------------------------------

// The surface of a region near a point x, as a plane. Distances are those of x, positive inside the region.
struct TangentPlane {
  const Region* region;
  double bound;     // lower bound of the distance to the surface
  double distance;  // to a plane that is tangent to the surface nearby
  V3 normal;        // of this plane, into the region
};

TangentPlane tangent_plane(const Shape& shape, const V3& x) {
  const auto* placed = std::get_if<Placed>(&shape.form);
  if (!placed) {
    const SurfaceSample s = sample_surface(shape, to_array(x));
    return {nullptr, s.distance, s.distance, to_vec(s.normal)};
  }
  // a plane stays a plane, and its normal transforms with the inverse transpose                            (BC.12)
  const Mat3<double> r = to_mat(placed->rotation);
  const V3 k = to_vec(placed->scale);
  V3 local = transpose(r) * (x - to_vec(placed->translation));
  for (int i = 0; i < 3; ++i) local[i] /= k[i];
  TangentPlane s = tangent_plane(*placed->shape, local);
  for (int i = 0; i < 3; ++i) s.normal[i] /= k[i];
  const double stretch = 1 / norm(s.normal);
  return {nullptr, s.bound * std::min({k.x, k.y, k.z}), s.distance * stretch, stretch * (r * s.normal)};
}

struct Distances {
  double bound = infinity, distance = infinity;  // as those of a tangent plane
};

// Appends the tangent planes that bound the region near x: those of all parts of an intersection; of a union, those of
// the part that contains x or is closest to it.
Distances append_planes(const Region& region, const V3& x, std::vector<TangentPlane>& planes) {
  if (region.parts.empty()) {
    TangentPlane s = tangent_plane(region.shape, x);
    if (region.inside) s = {nullptr, -s.bound, -s.distance, -s.normal};
    s.region = &region;
    planes.push_back(s);
    return {s.bound, s.distance};
  }
  Distances result;
  if (region.all) {
    for (const Region& part : region.parts) {
      const Distances distances = append_planes(part, x, planes);
      result = {std::min(result.bound, distances.bound), std::min(result.distance, distances.distance)};
    }
    return result;
  }
  result = {-infinity, -infinity};
  std::vector<TangentPlane> closest, others;
  for (const Region& part : region.parts) {
    others.clear();
    const Distances distances = append_planes(part, x, others);
    if (distances.distance > result.distance) closest.swap(others);
    result = {std::max(result.bound, distances.bound), std::max(result.distance, distances.distance)};
  }
  planes.insert(planes.end(), closest.begin(), closest.end());
  return result;
}

// --- the closest point of a region -------------------------------------------------------------------------

// The points z with dot(normal, z) >= offset; the second struct holds up to three such half-spaces.
struct HalfSpace {
  const Region* region;
  V3 normal;
  double offset;
};
struct HalfSpaces {
  std::array<HalfSpace, 3> at;
  std::size_t count = 0;

  const HalfSpace* begin() const { return at.data(); }
  const HalfSpace* end() const { return at.data() + count; }
  bool full() const { return count == at.size(); }
  bool has(const Region* region) const {
    return std::any_of(begin(), end(), [&](const HalfSpace& a) { return a.region == region; });
  }
};

// The point closest to the origin within all half-spaces, if there is one.                                (SEED.16)
std::optional<V3> closest_point(const HalfSpaces& half_spaces, double slack) {
  std::optional<V3> best;
  const auto offer = [&](const V3& z) {
    for (const HalfSpace& a : half_spaces)
      if (!(dot(a.normal, z) >= a.offset - slack)) return;
    if (!best || norm(z) < norm(*best)) best = z;
  };
  offer({0, 0, 0});
  for (const HalfSpace& a : half_spaces)
    if (a.offset > 0) offer(a.offset * a.normal);
  if (best) return best;  // no point of a half-space is closer than the foot of the perpendicular

  constexpr double parallel = 1e-6;  // planes closer to parallel than this meet far away
  for (const HalfSpace& a : half_spaces)
    for (const HalfSpace& b : half_spaces) {
      const double c = dot(a.normal, b.normal), det = 1 - c * c;
      if (&a < &b && det > parallel)
        offer((1 / det) * ((a.offset - c * b.offset) * a.normal + (b.offset - c * a.offset) * b.normal));
    }
  if (best || !half_spaces.full()) return best;

  const auto& [a, b, c] = half_spaces.at;
  const V3 bc = cross(b.normal, c.normal), ca = cross(c.normal, a.normal), ab = cross(a.normal, b.normal);
  const double det = dot(a.normal, bc);
  if (std::abs(det) > parallel) offer((1 / det) * (a.offset * bc + b.offset * ca + c.offset * ab));
  return best;
}

// Searches for a point of a region that is closer to x than `depth`.                                      (SEED.16)
class Search {
 public:
  // such a point must lie in all of the `count` parts
  Search(const Region* parts, std::size_t count, const V3& x, double depth)
      : x_(x), depth_(depth), gap_(1e-3 * depth) {
    for (std::size_t k = 0; k < count; ++k) {
      planes_.clear();
      const double bound = append_planes(parts[k], x, planes_).bound;
      least_ = std::max(least_, -bound);
      if (bound < depth) parts_.push_back(&parts[k]);  // the other parts contain the whole ball about x
    }
  }

  bool found() {
    if (least_ >= depth_) return false;
    if (parts_.size() == 1 && depth_ <= parts_[0]->exact_to) return true;
    collect_planes(x_);
    return reaches_region(x_, -infinity) || found_in(x_, depth_, 0);
  }

 private:
  static constexpr int levels = 3;  // the last boxes are a quarter of the depth wide
  static constexpr int steps = 12;  // flat surfaces need one for each half-space, curved ones a few more

  // subdivides the box about x, and discards boxes that by the bound at their centre do not meet the region (SEED.2)
  bool found_in(const V3& center, double half, int level) {
    const double radius = std::sqrt(3.0) * half;
    if (norm(center - x_) - radius >= depth_) return false;
    if (level > 0 && collect_planes(center) < -radius) return false;
    // twice the radius: a foot point just outside the box may be behind a neighbouring surface
    if (level == levels) return reaches_region(center, 2 * radius);
    const double h = 0.5 * half;
    for (int k = 0; k < 8; ++k)
      if (found_in(center + V3{k & 1 ? h : -h, k & 2 ? h : -h, k & 4 ? h : -h}, h, level + 1)) return true;
    return false;
  }

  // Collects the tangent planes of all parts near y; returns the smallest of their bounds, that of the region.
  double collect_planes(const V3& y) {
    planes_.clear();
    double bound = infinity;
    for (const Region* part : parts_) bound = std::min(bound, append_planes(*part, y, planes_).bound);
    return bound;
  }

  // Iterates from y, whose tangent planes are collected, towards the point of the region that is closest to x. Each
  // iteration finds the point closest to x in the half-spaces of up to three surfaces: the one that y is furthest
  // behind, in the first iteration also those whose distance from y is below `near`, and later those used before.
  bool reaches_region(V3 y, double near) {
    HalfSpaces half_spaces;
    V3 move{0, 0, 0};
    for (int step = 0; step < steps; ++step) {
      std::sort(planes_.begin(), planes_.end(), [](auto& a, auto& b) { return a.distance < b.distance; });
      if (planes_.empty() || (planes_[0].distance > 0.5 * gap_ && norm(y - x_) - gap_ < depth_)) return true;
      HalfSpaces next;
      for (const TangentPlane& s : planes_)
        if (!next.full() &&
            (next.count == 0 || half_spaces.has(s.region) || (step == 0 && s.distance < near)))
          next.at[next.count++] = {s.region, s.normal, dot(s.normal, y - x_) - s.distance + gap_};
      half_spaces = next;
      if (step == 0 && tried(half_spaces)) return false;
      const std::optional<V3> z = closest_point(half_spaces, 1e-3 * gap_);
      if (!z || norm(*z) > 1.5 * depth_ || norm(x_ + *z - y) < 1e-3 * gap_) return false;
      // a step that turns back is halved: the planes beside a curved edge may make the iteration oscillate
      const V3 onwards = x_ + *z - y;
      move = (dot(onwards, move) < 0 ? 0.5 : 1.0) * onwards;
      y = y + move;
      collect_planes(y);
    }
    return false;
  }

  // whether an earlier iteration started from the same planes: it would take the same path
  bool tried(const HalfSpaces& half_spaces) {
    const auto same = [&](const HalfSpace& a, const HalfSpace& b) {
      return a.region == b.region && std::abs(a.offset - b.offset) < 1e-3 * gap_ &&
             norm(a.normal - b.normal) < 1e-6;
    };
    for (const HalfSpaces& old : tried_)
      if (std::equal(half_spaces.begin(), half_spaces.end(), old.begin(), old.end(), same)) return true;
    tried_.push_back(half_spaces);
    return false;
  }

  V3 x_;
  double depth_;
  double gap_;  // points count only this far inside the region: there are none where parts touch
  double least_ = -infinity;  // lower bound of the distance from x to the region
  std::vector<const Region*> parts_ = {};
  std::vector<TangentPlane> planes_ = {};
  std::vector<HalfSpaces> tried_ = {};
};

bool is_near(const Region& region, const V3& x, double depth) {
  if (region.parts.empty()) return Search(&region, 1, x, depth).found();
  if (region.all) return Search(region.parts.data(), region.parts.size(), x, depth).found();
  return std::any_of(region.parts.begin(), region.parts.end(),
                     [&](const Region& part) { return is_near(part, x, depth); });
}

}  // namespace

Shape with_placed_members(Shape shape) {
  if (const auto* placed = std::get_if<Placed>(&shape.form)) {
    Placed place = *placed;
    shape = with_placed_members(*place.shape);
    const auto put = [&](Shape& at_rest) {
      place.shape = std::make_shared<const Shape>(std::move(at_rest));
      at_rest = place;
    };
    if (!members_of(shape))
      put(shape);
    else
      for (Shape& member : *members_of(shape)) put(member);
  }
  if (auto* members = members_of(shape))
    for (Shape& member : *members) member = with_placed_members(member);
  return shape;
}

ShapeDepth::ShapeDepth(const Shape& shape) {
  Shape whole = with_placed_members(shape);
  outside_ = side_of(whole, false);
}

bool ShapeDepth::deeper_than(const Double3& x, double depth) const {
  return !is_near(outside_, to_vec(x), depth);
}

}  // namespace dollop
