#include "boundary/collider.h"

#include "boundary/rigid.h"
#include "boundary/shape_distance.h"

namespace dollop {
namespace {

// from space to the body at rest
Double3 to_body(const Pose& pose, const Double3& x) {
  return to_array(transpose(to_mat(pose.rotation)) * (to_vec(x) - to_vec(pose.translation)));
}

}  // namespace

Pose pose_at(const Motion& motion, double t) {
  const Vec3<double> spin = to_vec(motion.angular_velocity), start = to_vec(motion.pivot);
  const Vec3<double> pivot = start + t * to_vec(motion.velocity);
  const Mat3<double> rotation = rotation_by(t * spin);  // (BC.7)
  const Vec3<double> translation = pivot - rotation * start;
  const Vec3<double> velocity = to_vec(motion.velocity) + cross(spin, translation - pivot);
  return {to_array(rotation), to_array(translation), to_array(velocity), motion.angular_velocity};
}

Double3 velocity_at(const Pose& pose, const Double3& x) {
  const Vec3<double> arm = to_vec(x) - to_vec(pose.translation);
  return to_array(to_vec(pose.velocity) + cross(to_vec(pose.angular_velocity), arm));  // (BC.6)
}

Double3 velocity_at(const Collider& collider, const Double3& x, double t) {
  return velocity_at(pose_at(collider.motion, t), x);
}

ContactSample sample(const Collider& collider, const Pose& pose, const Double3& x) {
  const SurfaceSample s = sample_surface(collider.shape, to_body(pose, x));
  const Vec3<double> n = to_mat(pose.rotation) * to_vec(s.normal);
  return {s.distance, to_array(n), velocity_at(pose, x), collider.friction};
}

ContactSample sample(const Collider& collider, const Double3& x, double t) {
  return sample(collider, pose_at(collider.motion, t), x);
}

double signed_distance(const Collider& collider, const Pose& pose, const Double3& x) {
  return signed_distance(collider.shape, to_body(pose, x));
}

}  // namespace dollop
