// Bodies that share room with a collider or with each other before anything has moved.
#include <dollop/run.h>
#include <fmt/format.h>

#include <algorithm>

#include "boundary/collider.h"
#include "particles/seeding.h"
#include "particles/seeding_bricks.h"
#include "solvers/scene_space.h"

namespace dollop {
namespace {

constexpr double points_a_body = 20000;  // shares of a thousandth are seen, in milliseconds
constexpr double least_share = 0.005;    // what touches, or is a little rough, is meant so

bool apart(const Bounds& a, const Bounds& b) {
  for (std::size_t d = 0; d < 3; ++d)
    if (a.max[d] < b.min[d] || b.max[d] < a.min[d]) return true;
  return false;
}

// A body as points of equal volume.
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
  // part of the points that are inside by more than half a particle
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
      if (!holds_nodes(scene.colliders[c].contact))  // what is set into one that holds it is glued there
        note({b, name_of(scene, c), bodies[b].share_in(scene.colliders[c])});
    for (std::size_t other = b + 1; other < bodies.size(); ++other) {
      const double mine = bodies[b].share_in(bodies[other]), its = bodies[other].share_in(bodies[b]);
      if (mine >= its) note({b, fmt::format("bodies[{}]", other), mine});
      if (mine < its) note({other, fmt::format("bodies[{}]", b), its});
    }
  }
  return found;
}

}  // namespace dollop
