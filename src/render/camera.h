// A pinhole camera.
#pragma once

#include <cmath>

#include "math/vec.h"

namespace dollop {

inline Vec3<float> unit(const Vec3<float>& a) { return (1 / (norm(a) + 1e-30f)) * a; }  // guards 0/0

struct Camera {
  Vec3<float> eye{0, 0, 1};                                    // [m]
  Vec3<float> right{1, 0, 0}, up{0, 1, 0}, forward{0, 0, -1};  // orthonormal
  float half_width = 0.5f, half_height = 0.5f;  // of the image plane at unit distance from the eye
};

// A camera that looks at a point; `angle` is the vertical field of view [rad], `aspect` is width over height.
// The y axis is up, so the direction must not be vertical.
inline Camera look_at(const Vec3<float>& eye, const Vec3<float>& target, float angle, float aspect) {
  Camera camera;
  camera.eye = eye;
  camera.forward = unit(target - eye);
  camera.right = unit(cross(camera.forward, Vec3<float>{0, 1, 0}));
  camera.up = cross(camera.right, camera.forward);
  camera.half_height = std::tan(angle / 2);
  camera.half_width = aspect * camera.half_height;
  return camera;
}

// The direction of the ray through a point of the picture, u to the right and v up, both in [-1, 1]. Its component
// along `forward` is 1, so that eye + t direction lies at depth t.
inline Vec3<float> ray_through(const Camera& camera, float u, float v) {
  return camera.forward + (u * camera.half_width) * camera.right + (v * camera.half_height) * camera.up;
}

// The projection of a point: u and v as in ray_through(), meaningful for positive depth only.
struct Projected {
  float u, v, depth;
};

inline Projected project(const Camera& camera, const Vec3<float>& x) {
  const Vec3<float> r = x - camera.eye;
  const float depth = dot(r, camera.forward);
  return {dot(r, camera.right) / (depth * camera.half_width),
          dot(r, camera.up) / (depth * camera.half_height), depth};
}

}  // namespace dollop
