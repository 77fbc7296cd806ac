#include "boundary/collider.h"

#include "boundary/rigid.h"
#include "boundary/shape_distance.h"

namespace dollop {
Double3 velocity_at(const Collider& collider, const Double3& x, double t) {
  return velocity_at(pose_at(collider.motion, t), x);
}

ContactSample sample(const Shape& shape, const Pose& pose, const Double3& x) {
  const SurfaceSample s = sample_surface(shape, to_body(pose, x), pose.time);
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
