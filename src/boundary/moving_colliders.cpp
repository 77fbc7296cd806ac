#include "boundary/moving_colliders.h"

#include <algorithm>
#include <limits>

#include "boundary/motion.h"
#include "boundary/rigid.h"
#include "boundary/shape_validate.h"

namespace dollop {

namespace {

// Splits a difference of shapes without meshes into its base and its cuts, so that distant cuts can be left out.
NearPart part_of(const Shape& shape) {
  const Minus* minus = std::get_if<Minus>(&shape.form);
  if (!minus || minus->shapes.empty() || !is_lipschitz(shape)) return {&shape, {}};
  NearPart part{&minus->shapes.front(), {}};
  for (std::size_t i = 1; i < minus->shapes.size(); ++i) part.cuts.push_back(&minus->shapes[i]);
  return part;
}

}  // namespace

MovingColliders::MovingColliders(const std::vector<Collider>& colliders, double time, double dt,
                                 std::size_t pistons)
    : colliders_(colliders), pistons_(pistons) {
  for (const Collider& c : colliders) {
    before_.push_back(pose_at(c.motion, time));
    after_.push_back(pose_at(c.motion, time + dt));
    const Vec3<double> belt = to_vec(value_at(c.surface_velocity, time + dt));
    surface_velocity_.push_back(to_array(to_mat(after_.back().rotation) * belt));
    acts_.push_back(acts_until(c, time + dt));
    still_.push_back(is_constant(c.motion) && !changes_form(c.shape) && is_always_there(c));
    parts_.emplace_back();
    if (const Union* all = std::get_if<Union>(&c.shape.form))
      for (const Shape& shape : all->shapes) parts_.back().push_back({part_of(shape), bounds(shape)});
    else
      parts_.back().push_back({part_of(c.shape), bounds(c.shape)});
  }
}

namespace {

double clearance_at(const NearPart& part, const Double3& x, double time) {
  return clearance(*part.shape, x, time, part.cuts);
}

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
    if (!acts_[c] || (which != Which::all && still_[c] != (which == Which::still))) continue;
    const Double3 at_rest = to_body(after_[c], x);
    NearCollider near{c, {}};
    for (const auto& [part, bounds] : parts_[c])
      if (is_within(bounds, at_rest, slack) && clearance_at(part, at_rest, after_[c].time) <= slack)
        near.parts.push_back(part);
    if (!near.parts.empty()) found.push_back(std::move(near));
  }
  return found;
}

bool MovingColliders::any_moving() const {
  for (std::size_t c = 0; c < size(); ++c)
    if (acts_[c] && !still_[c]) return true;
  return false;
}

bool has_cuts(const NearCollider& near) {
  return std::any_of(near.parts.begin(), near.parts.end(), [](const NearPart& p) { return !p.cuts.empty(); });
}

NearCollider MovingColliders::narrowed(const NearCollider& near, const Double3& x, double radius) const {
  const Pose& pose = after_[near.collider];
  const Double3 at_rest = to_body(pose, x);
  NearCollider found = near;
  for (NearPart& part : found.parts) {
    if (part.cuts.empty()) continue;
    // both distances are 1-Lipschitz: a cut that is less here by twice the radius is less in all of the ball
    const double least = dollop::signed_distance(*part.shape, at_rest, pose.time) - 2 * radius * (1 + 1e-9);
    std::erase_if(part.cuts, [&](const Shape* cut) {
      return -dollop::signed_distance(*cut, at_rest, pose.time) < least;
    });
  }
  return found;
}

ContactSample MovingColliders::sample(const NearCollider& near, const Double3& x) const {
  const Pose& pose = after_[near.collider];
  const auto sample_of = [&](const NearPart& p) { return dollop::sample(*p.shape, pose, x, p.cuts); };
  ContactSample s = sample_of(near.parts[0]);
  for (std::size_t k = 1; k < near.parts.size(); ++k)
    if (const ContactSample other = sample_of(near.parts[k]); other.phi < s.phi) s = other;
  s.friction = colliders_[near.collider].friction;
  const Double3 belt = surface_velocity(near.collider, s.normal);
  for (std::size_t d = 0; d < 3; ++d) s.velocity[d] += belt[d];
  return s;
}

Double3 MovingColliders::surface_velocity(std::size_t c, const Double3& n) const {
  if (c + pistons_ >= size()) return surface_velocity_[c];
  const Vec3<double> u = to_vec(surface_velocity_[c]), normal = to_vec(n);
  return to_array(u - dot(u, normal) * normal);  // (BC.25)
}

double MovingColliders::signed_distance(const NearCollider& near, const Double3& x) const {
  const Pose& pose = after_[near.collider];
  const Double3 at_rest = to_body(pose, x);
  double least = std::numeric_limits<double>::infinity();
  for (const NearPart& part : near.parts) least = std::min(least, clearance_at(part, at_rest, pose.time));
  return least;
}

Double3 MovingColliders::carried(std::size_t c, const Double3& x) const {
  return to_array(to_mat(after_[c].rotation) * to_vec(to_body(before_[c], x)) +
                  to_vec(after_[c].translation));
}

bool MovingColliders::hold(const Double3& x) const { return !near(x, 0).empty(); }

}  // namespace dollop
