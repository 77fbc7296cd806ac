#include "boundary/moving_colliders.h"

#include <algorithm>
#include <limits>

#include "boundary/motion.h"
#include "boundary/rigid.h"
#include "boundary/shape_validate.h"

namespace dollop {

MovingColliders::MovingColliders(const std::vector<Collider>& colliders, double time, double dt)
    : colliders_(colliders) {
  for (const Collider& c : colliders) {
    before_.push_back(pose_at(c.motion, time));
    after_.push_back(pose_at(c.motion, time + dt));
    const Vec3<double> belt = to_vec(value_at(c.surface_velocity, time + dt));
    surface_velocity_.push_back(to_array(to_mat(after_.back().rotation) * belt));
    still_.push_back(is_constant(c.motion) && !changes_form(c.shape));
    parts_.emplace_back();
    if (const Union* all = std::get_if<Union>(&c.shape.form))
      for (const Shape& shape : all->shapes) parts_.back().push_back({&shape, bounds(shape)});
    else
      parts_.back().push_back({&c.shape, bounds(c.shape)});
  }
}

namespace {

bool is_within(const Bounds& box, const Double3& x, double reach) {
  double square = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    const double out = std::max({box.min[d] - x[d], x[d] - box.max[d], 0.0});
    square += out * out;
  }
  return square <= reach * reach;
}

}  // namespace

std::vector<NearCollider> MovingColliders::near(const Double3& x, double reach, Which which) const {
  std::vector<NearCollider> found;
  const double slack = reach * (1 + 1e-9);
  for (std::size_t c = 0; c < size(); ++c) {
    if (which != Which::all && still_[c] != (which == Which::still)) continue;
    const Double3 at_rest = to_body(after_[c], x);
    NearCollider near{c, {}};
    for (const Part& part : parts_[c])
      if (is_within(part.bounds, at_rest, slack) && clearance(*part.shape, at_rest, after_[c].time) <= slack)
        near.parts.push_back(part.shape);
    if (!near.parts.empty()) found.push_back(std::move(near));
  }
  return found;
}

ContactSample MovingColliders::sample(const NearCollider& near, const Double3& x) const {
  const Pose& pose = after_[near.collider];
  ContactSample s = dollop::sample(*near.parts[0], pose, x);
  for (std::size_t k = 1; k < near.parts.size(); ++k)
    if (const ContactSample other = dollop::sample(*near.parts[k], pose, x); other.phi < s.phi) s = other;
  s.friction = colliders_[near.collider].friction;
  for (std::size_t d = 0; d < 3; ++d) s.velocity[d] += surface_velocity_[near.collider][d];
  return s;
}

double MovingColliders::signed_distance(const NearCollider& near, const Double3& x) const {
  const Pose& pose = after_[near.collider];
  const Double3 at_rest = to_body(pose, x);
  double least = std::numeric_limits<double>::infinity();
  for (const Shape* part : near.parts) least = std::min(least, clearance(*part, at_rest, pose.time));
  return least;
}

Double3 MovingColliders::carried(std::size_t c, const Double3& x) const {
  return to_array(to_mat(after_[c].rotation) * to_vec(to_body(before_[c], x)) +
                  to_vec(after_[c].translation));
}

bool MovingColliders::hold(const Double3& x) const { return !near(x, 0).empty(); }

}  // namespace dollop
