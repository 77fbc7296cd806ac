#include "boundary/collider.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "boundary/rigid.h"

namespace dollop {

namespace {

constexpr double rounding = 1e-12;  // of a time that is a sum of many steps, relative

}  // namespace

bool is_there(const Collider& collider, double t) {
  t += rounding * std::fabs(t);
  return collider.from <= t && t < collider.until;
}

bool acts_until(const Collider& collider, double end) {
  end -= rounding * std::fabs(end);
  return (collider.from <= 0 || collider.from < end) && end <= collider.until;
}

bool is_always_there(const Collider& collider) { return !(collider.from > 0) && std::isinf(collider.until); }

Double3 velocity_at(const Collider& collider, const Double3& x, double t) {
  return velocity_at(pose_at(collider.motion, t), x);
}

namespace {

// the corners of the bounding box of the body at rest; for an unbounded shape only its pivot
std::vector<Vec3<double>> corners(const Collider& collider) {
  const Bounds box = bounds(collider.shape);
  if (!(norm(to_vec(box.max) - to_vec(box.min)) < 1e150)) return {to_vec(collider.motion.pivot)};
  std::vector<Vec3<double>> all;
  for (int k = 0; k < 8; ++k)
    all.push_back(to_vec(
        {k & 1 ? box.max[0] : box.min[0], k & 2 ? box.max[1] : box.min[1], k & 4 ? box.max[2] : box.min[2]}));
  return all;
}

Vec3<double> placed(const Pose& pose, const Vec3<double>& x) {
  return to_mat(pose.rotation) * x + to_vec(pose.translation);
}

}  // namespace

// Speed and displacement are convex functions of the position, so their maxima over the box are at its corners.
double largest_speed(const Collider& collider, double t) {
  if (is_constant(collider.motion)) return 0;
  const Pose pose = pose_at(collider.motion, t);
  double fastest = 0;
  for (const Vec3<double>& x : corners(collider))
    fastest = std::max(fastest, norm(to_vec(velocity_at(pose, to_array(placed(pose, x))))));
  return fastest;
}

double largest_travel(const Collider& collider, double from, double to) {
  if (is_constant(collider.motion)) return 0;
  const Pose before = pose_at(collider.motion, from), after = pose_at(collider.motion, to);
  double farthest = 0;
  for (const Vec3<double>& x : corners(collider))
    farthest = std::max(farthest, norm(placed(after, x) - placed(before, x)));
  return farthest;
}

ContactSample sample(const Shape& shape, const Pose& pose, const Double3& x, Cuts cuts) {
  const SurfaceSample s = sample_surface(shape, to_body(pose, x), pose.time, cuts);
  const Vec3<double> n = to_mat(pose.rotation) * to_vec(s.normal);
  const Vec3<double> v = to_vec(velocity_at(pose, x));
  return {s.distance, to_array(n), to_array(s.speed == 0 ? v : v + s.speed * n), 0};
}

ContactSample sample(const Collider& collider, const Pose& pose, const Double3& x) {
  ContactSample s = sample(collider.shape, pose, x);
  s.friction = collider.friction;
  return s;
}

ContactSample sample(const Collider& collider, const Double3& x, double t) {
  return sample(collider, pose_at(collider.motion, t), x);
}

double signed_distance(const Collider& collider, const Pose& pose, const Double3& x) {
  return clearance(collider.shape, to_body(pose, x), pose.time);
}

}  // namespace dollop
