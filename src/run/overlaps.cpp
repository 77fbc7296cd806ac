// Finds likely mistakes in a scene: bodies that overlap a collider or each other at the start, and bodies and colliders
// that are too thin for the grid.
#include <dollop/run.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <queue>

#include "boundary/collider.h"
#include "boundary/shape_depth.h"
#include "particles/seeding.h"
#include "particles/seeding_bricks.h"
#include "solvers/setup/scene_space.h"

namespace dollop {
namespace {

constexpr double points_a_body = 20000;  // enough to detect shares of a thousandth, in milliseconds
constexpr double least_share = 0.005;    // less is due to contact or to rough surfaces

bool apart(const Bounds& a, const Bounds& b) {
  for (std::size_t d = 0; d < 3; ++d)
    if (a.max[d] < b.min[d] || b.max[d] < a.min[d]) return true;
  return false;
}

// A body, sampled by points of equal volume.
class Sampled {
 public:
  Sampled(const Body& body, const BlockSpace& space, std::size_t number)
      : region_(body.shape, space), depth_(0.5 * seed_spacing(space, body.particles_per_cell)) {
    const double all = estimate_count(body.shape, space, body.particles_per_cell);
    const double per_cell = body.particles_per_cell * std::min(1.0, points_a_body / all);
    points_ = seed(body.shape, space, per_cell, Seeding::lattice, 0, number).places;
  }

  double share_in(const Collider& collider) const {
    const Pose pose = pose_at(collider.motion, 0);
    return share_where([&](const Double3& x) { return signed_distance(collider, pose, x); });
  }

  double share_in(const Sampled& other) const {
    if (apart(region_.box(), other.region_.box())) return 0;
    return share_where([&](const Double3& x) { return other.region_.distance(x); });
  }

 private:
  // the fraction of the points that are inside by more than half a particle
  template <class Distance>
  double share_where(Distance distance) const {
    const auto inside = [&](const Double3& x) { return distance(x) < -depth_; };
    return double(std::count_if(points_.begin(), points_.end(), inside)) /
           double(std::max<std::size_t>(1, points_.size()));
  }

  SeedRegion region_;
  double depth_;  // [m]
  std::vector<Double3> points_;
};

// A box, with an upper bound of the depth below the surface of a shape in it.
struct DepthBox {
  Double3 center, half;
  double most;
  bool operator<(const DepthBox& other) const { return most < other.most; }
};

struct Depth {
  double depth = 0;  // [m]
  Double3 at{};
};

// hill climbing: moves a point inside the shape deeper, until no short step leads deeper
void climb(const Shape& shape, double enough, Depth& found) {
  for (double step = 0.5 * enough; step > 1e-3 * enough && found.depth < enough;) {
    const Depth before = found;
    for (std::size_t d = 0; d < 3; ++d)
      for (const double way : {-step, step}) {
        Double3 x = before.at;
        x[d] += way;
        if (const double depth = -signed_distance(shape, x); depth > found.depth) found = {depth, x};
      }
    if (!(found.depth > before.depth + 0.1 * step)) step /= 2;
  }
}

// The deepest point of a bounded shape, by branch and bound. The search ends when a depth of `enough` is found, or
// proved impossible, or after too many evaluations: then hill climbing goes on from the deepest point found, if any.
Depth deepest_point(const Shape& shape, double enough) {
  constexpr int max_evaluations = 20000;  // some milliseconds
  Depth found;
  std::priority_queue<DepthBox> boxes;
  const auto examine = [&](const Double3& center, const Double3& half) {
    const double depth = -signed_distance(shape, center);
    if (depth > found.depth) found = {depth, center};
    // the depth is 1-Lipschitz
    if (const double most = depth + std::hypot(half[0], half[1], half[2]); most >= enough)
      boxes.push({center, half, most});
  };
  const Bounds all = bounds(shape);
  Double3 center, half;
  for (std::size_t d = 0; d < 3; ++d)
    center[d] = 0.5 * (all.min[d] + all.max[d]), half[d] = 0.5 * (all.max[d] - all.min[d]);
  examine(center, half);
  for (int n = 0; n < max_evaluations && !boxes.empty() && found.depth < enough; n += 2) {
    DepthBox box = boxes.top();
    boxes.pop();
    const auto longest = std::size_t(std::max_element(box.half.begin(), box.half.end()) - box.half.begin());
    box.half[longest] /= 2;
    for (const double side : {-1.0, 1.0}) {
      Double3 middle = box.center;
      middle[longest] += side * box.half[longest];
      examine(middle, box.half);
    }
  }
  if (!boxes.empty() && found.depth > 0) climb(shape, enough, found);
  return found;
}

bool is_bounded(const Shape& shape) {
  const Bounds box = bounds(shape);
  return std::hypot(box.max[0] - box.min[0], box.max[1] - box.min[1], box.max[2] - box.min[2]) < 1e150;
}

// The thickness of the thinnest part of a shape, at most `enough`.
double least_thickness(const Shape& placed, double enough) {
  const Shape shape = with_placed_members(placed);
  const Union* set = std::get_if<Union>(&shape.form);
  const std::vector<Shape> parts = set ? set->shapes : std::vector<Shape>{shape};
  double least = enough;
  for (const Shape& part : parts) {
    if (!is_bounded(part)) continue;
    const Depth deepest = deepest_point(part, 0.5 * enough);
    // a part inside another one may be of any thickness
    if (deepest.depth > 0 && 2 * deepest.depth < least &&
        !ShapeDepth(shape).deeper_than(deepest.at, 0.5 * enough))
      least = 2 * deepest.depth;
  }
  return least;
}

std::string name_of(const Scene& scene, std::size_t collider) {
  const std::string& name = scene.colliders[collider].name;
  return name.empty() ? fmt::format("colliders[{}]", collider) : fmt::format("the collider '{}'", name);
}

}  // namespace

std::vector<Overlap> find_overlaps(const Scene& scene) {
  const BlockSpace space = space_of(scene);
  std::vector<Sampled> bodies;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) bodies.emplace_back(scene.bodies[b], space, b);
  std::vector<Overlap> found;
  const auto note = [&](const Overlap& overlap) {
    if (overlap.share >= least_share) found.push_back(overlap);
  };
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    for (std::size_t c = 0; c < scene.colliders.size(); ++c)
      if (is_there(scene.colliders[c], 0) &&
          !holds_nodes(scene.colliders[c].contact))  // else the body is glued to it on purpose
        note({b, name_of(scene, c), bodies[b].share_in(scene.colliders[c])});
    for (std::size_t other = b + 1; other < bodies.size(); ++other) {
      const double mine = bodies[b].share_in(bodies[other]), its = bodies[other].share_in(bodies[b]);
      if (mine >= its) note({b, fmt::format("bodies[{}]", other), mine});
      if (mine < its) note({other, fmt::format("bodies[{}]", b), its});
    }
  }
  return found;
}

std::vector<ThinCollider> find_thin_colliders(const Scene& scene) {
  const double cell = scene.settings.cell_size,
               enough = (1 - 1e-6) * cell;  // 1e-6 absorbs rounding of a thickness of one cell
  std::vector<ThinCollider> found;
  for (std::size_t c = 0; c < scene.colliders.size(); ++c)
    if (const double thickness = least_thickness(scene.colliders[c].shape, enough); thickness < enough)
      found.push_back({name_of(scene, c), thickness});
  return found;
}

std::vector<ThinBody> find_thin_bodies(const Scene& scene) {
  constexpr double least_cells =
      2.5;  // fewer cannot show how a body bends or flows; coarse previews have three
  const double enough = least_cells * scene.settings.cell_size;
  std::vector<ThinBody> found;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const Shape shape = with_placed_members(scene.bodies[b].shape);
    if (!is_bounded(shape)) continue;
    if (const double thickness = 2 * deepest_point(shape, 0.5 * enough).depth; thickness < enough)
      found.push_back({b, thickness});
  }
  return found;
}

}  // namespace dollop
