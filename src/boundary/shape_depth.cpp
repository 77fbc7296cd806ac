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

// one side of a shape without placed sets                                                                (SEED.15)
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

// --- a region seen from a point ----------------------------------------------------------------------------

// Positive distances are in the region.
struct Sight {
  const Region* region;
  double bound;     // it is at least as far to the surface
  double distance;  // to a plane that touches the surface nearby
  V3 normal;        // of this plane, into the region
};

Sight look(const Shape& shape, const V3& x) {
  const auto* placed = std::get_if<Placed>(&shape.form);
  if (!placed) {
    const SurfaceSample s = sample_surface(shape, to_array(x));
    return {nullptr, s.distance, s.distance, to_vec(s.normal)};
  }
  // a plane stays a plane, and its normal goes with the inverse transpose                                  (BC.12)
  const Mat3<double> r = to_mat(placed->rotation);
  const V3 k = to_vec(placed->scale);
  V3 local = transpose(r) * (x - to_vec(placed->translation));
  for (int i = 0; i < 3; ++i) local[i] /= k[i];
  Sight s = look(*placed->shape, local);
  for (int i = 0; i < 3; ++i) s.normal[i] /= k[i];
  const double stretch = 1 / norm(s.normal);
  return {nullptr, s.bound * std::min({k.x, k.y, k.z}), s.distance * stretch, stretch * (r * s.normal)};
}

struct Reach {
  double bound = infinity, distance = infinity;  // as those of a sight
};

// appends what bounds the region near x: all parts, or the one that x is in or closest to
Reach look(const Region& region, const V3& x, std::vector<Sight>& sights) {
  if (region.parts.empty()) {
    Sight s = look(region.shape, x);
    if (region.inside) s = {nullptr, -s.bound, -s.distance, -s.normal};
    s.region = &region;
    sights.push_back(s);
    return {s.bound, s.distance};
  }
  Reach result;
  if (region.all) {
    for (const Region& part : region.parts) {
      const Reach reach = look(part, x, sights);
      result = {std::min(result.bound, reach.bound), std::min(result.distance, reach.distance)};
    }
    return result;
  }
  result = {-infinity, -infinity};
  std::vector<Sight> closest, others;
  for (const Region& part : region.parts) {
    others.clear();
    const Reach reach = look(part, x, others);
    if (reach.distance > result.distance) closest.swap(others);
    result = {std::max(result.bound, reach.bound), std::max(result.distance, reach.distance)};
  }
  sights.insert(sights.end(), closest.begin(), closest.end());
  return result;
}

// --- the closest point of a region -------------------------------------------------------------------------

// Points z with dot(normal, z) >= offset, and up to three of them.
struct Limit {
  const Region* region;
  V3 normal;
  double offset;
};
struct Limits {
  std::array<Limit, 3> at;
  std::size_t count = 0;

  const Limit* begin() const { return at.data(); }
  const Limit* end() const { return at.data() + count; }
  bool full() const { return count == at.size(); }
  bool has(const Region* region) const {
    return std::any_of(begin(), end(), [&](const Limit& a) { return a.region == region; });
  }
};

// The point closest to the origin within all limits, if there is one.                                     (SEED.16)
std::optional<V3> closest_point(const Limits& limits, double slack) {
  std::optional<V3> best;
  const auto offer = [&](const V3& z) {
    for (const Limit& a : limits)
      if (!(dot(a.normal, z) >= a.offset - slack)) return;
    if (!best || norm(z) < norm(*best)) best = z;
  };
  offer({0, 0, 0});
  for (const Limit& a : limits)
    if (a.offset > 0) offer(a.offset * a.normal);
  if (best) return best;  // nothing beyond a plane is closer than its foot

  constexpr double parallel = 1e-6;  // planes with less between them meet nowhere near
  for (const Limit& a : limits)
    for (const Limit& b : limits) {
      const double c = dot(a.normal, b.normal), det = 1 - c * c;
      if (&a < &b && det > parallel)
        offer((1 / det) * ((a.offset - c * b.offset) * a.normal + (b.offset - c * a.offset) * b.normal));
    }
  if (best || !limits.full()) return best;

  const auto& [a, b, c] = limits.at;
  const V3 bc = cross(b.normal, c.normal), ca = cross(c.normal, a.normal), ab = cross(a.normal, b.normal);
  const double det = dot(a.normal, bc);
  if (std::abs(det) > parallel) offer((1 / det) * (a.offset * bc + b.offset * ca + c.offset * ab));
  return best;
}

// Looks for a point of a region closer to x than a depth.                                                 (SEED.16)
class Search {
 public:
  // parts: what such a point must be in
  Search(const Region* parts, std::size_t count, const V3& x, double depth)
      : x_(x), depth_(depth), gap_(1e-3 * depth) {
    for (std::size_t k = 0; k < count; ++k) {
      sights_.clear();
      const double bound = look(parts[k], x, sights_).bound;
      least_ = std::max(least_, -bound);
      if (bound < depth) parts_.push_back(&parts[k]);  // others hold all of the ball about x
    }
  }

  bool found() {
    if (least_ >= depth_) return false;
    if (parts_.size() == 1 && depth_ <= parts_[0]->exact_to) return true;
    look_from(x_);
    return leads_to_region(x_, -infinity) || found_in(x_, depth_, 0);
  }

 private:
  static constexpr int levels = 3;  // the last boxes are a quarter of the depth wide
  static constexpr int steps = 12;  // flat parts need one for each limit, curved ones a few more

  // halves boxes about x until one look tells that they hold nothing of the region                         (SEED.2)
  bool found_in(const V3& center, double half, int level) {
    const double radius = std::sqrt(3.0) * half;
    if (norm(center - x_) - radius >= depth_) return false;
    if (level > 0 && look_from(center) < -radius) return false;
    // twice: a foot just outside the box may be behind a surface beside it
    if (level == levels) return leads_to_region(center, 2 * radius);
    const double h = 0.5 * half;
    for (int k = 0; k < 8; ++k)
      if (found_in(center + V3{k & 1 ? h : -h, k & 2 ? h : -h, k & 4 ? h : -h}, h, level + 1)) return true;
    return false;
  }

  // All parts as seen from y, and the bound of the region.
  double look_from(const V3& y) {
    sights_.clear();
    double bound = infinity;
    for (const Region* part : parts_) bound = std::min(bound, look(*part, y, sights_).bound);
    return bound;
  }

  // From y, which was looked from, to the point closest to x, with planes for up to three surfaces: the one that y is
  // furthest behind, at first those that y is no further beyond than `near`, and later those there were.
  bool leads_to_region(V3 y, double near) {
    Limits limits;
    V3 move{0, 0, 0};
    for (int step = 0; step < steps; ++step) {
      std::sort(sights_.begin(), sights_.end(), [](auto& a, auto& b) { return a.distance < b.distance; });
      if (sights_.empty() || (sights_[0].distance > 0.5 * gap_ && norm(y - x_) - gap_ < depth_)) return true;
      Limits next;
      for (const Sight& s : sights_)
        if (!next.full() && (next.count == 0 || limits.has(s.region) || (step == 0 && s.distance < near)))
          next.at[next.count++] = {s.region, s.normal, dot(s.normal, y - x_) - s.distance + gap_};
      limits = next;
      if (step == 0 && tried(limits)) return false;
      const std::optional<V3> z = closest_point(limits, 1e-3 * gap_);
      if (!z || norm(*z) > 1.5 * depth_ || norm(x_ + *z - y) < 1e-3 * gap_) return false;
      // half as far if the way turns back: planes beside a curved edge may lead to and fro
      const V3 onwards = x_ + *z - y;
      move = (dot(onwards, move) < 0 ? 0.5 : 1.0) * onwards;
      y = y + move;
      look_from(y);
    }
    return false;
  }

  // whether the search went on from these planes before: it would go the same way
  bool tried(const Limits& limits) {
    const auto same = [&](const Limit& a, const Limit& b) {
      return a.region == b.region && std::abs(a.offset - b.offset) < 1e-3 * gap_ &&
             norm(a.normal - b.normal) < 1e-6;
    };
    for (const Limits& old : tried_)
      if (std::equal(limits.begin(), limits.end(), old.begin(), old.end(), same)) return true;
    tried_.push_back(limits);
    return false;
  }

  V3 x_;
  double depth_;
  double gap_;                // points this far inside the region count: where parts touch, there are none
  double least_ = -infinity;  // that the region is away
  std::vector<const Region*> parts_ = {};
  std::vector<Sight> sights_ = {};
  std::vector<Limits> tried_ = {};
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
