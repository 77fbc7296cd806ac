// Automatic placement of the camera.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "core/hash.h"
#include "render/solids.h"
#include "render/splat.h"
#include "render/subject.h"
#include "surface/material_looks.h"

namespace dollop {
namespace {

constexpr float view_angle = 0.52f;  // vertical field of view [rad]
constexpr float tilt = 0.33f;        // elevation of the camera [rad]
constexpr float turn = 0.42f;        // azimuth of the camera from the z axis, to the right [rad]
constexpr float fill = 0.8f;         // fraction of the picture's height or width that the material fills
constexpr float fill_around = 1.5f;  // the same for colliders near it; above 1, parts of them may be cut off
constexpr float clear_depth = 3.5f;  // in scene sizes: nearer than this there is no haze

// The distance of the camera from its target at which the extents fit into a fraction of the picture.
float distance_to_fit(const std::vector<Extent>& extents, const Camera& camera, const Vec3<float>& target,
                      float fill_fraction) {
  float distance = 0;
  for_corners(extents, [&](const Vec3<float>& corner) {
    const Vec3<float> r = corner - target;
    const float ahead = dot(r, camera.forward);
    distance =
        std::max({distance, std::abs(dot(r, camera.right)) / (fill_fraction * camera.half_width) - ahead,
                  std::abs(dot(r, camera.up)) / (fill_fraction * camera.half_height) - ahead});
  });
  return distance;
}

// The part of the picture's plane that extents cover: u and v as in project(); z is 0.
Extent covered(const std::vector<Extent>& extents, const Camera& camera) {
  Extent drawn;
  for_corners(extents, [&](const Vec3<float>& corner) {
    const Projected p = project(camera, corner);
    drawn.add({p.u, p.v, 0});
  });
  return drawn;
}

// Places the camera in the fixed direction, as close as the subject allows, with the material in the picture's centre.
Camera place_camera(const Subject& subject, float aspect) {
  const Vec3<float> back{std::sin(turn) * std::cos(tilt), std::sin(tilt), std::cos(turn) * std::cos(tilt)};
  Vec3<float> target = subject.whole().center();
  Camera camera = look_at(target + back, target, view_angle, aspect);
  for (int pass = 0; pass < 6; ++pass) {  // fixed-point iteration: each pass centres the target better
    const float distance = std::max(distance_to_fit(subject.material, camera, target, fill),
                                    distance_to_fit(subject.around, camera, target, fill_around));
    camera = look_at(target + distance * back, target, view_angle, aspect);
    const Vec3<float> off = distance * covered(subject.material, camera).center();
    if (pass < 5)
      target = target + (off.x * camera.half_width) * camera.right + (off.y * camera.half_height) * camera.up;
  }
  return camera;
}

// The colliders that hide most of the material from the camera.
std::vector<bool> find_occluders(const Scene& scene, const PreviewView& view,
                                 const std::vector<Vec3<float>>& points) {
  std::vector<bool> occludes;
  for (const Solid& solid : solids_at(scene, 0)) {
    const auto is_hidden = [&](const Vec3<float>& x) {
      // the last 2 % of the ray are left out: material may touch the collider that it lies on
      return hit(solid, {view.camera.eye, x - view.camera.eye, 0, 0.98f}).has_value();
    };
    const auto count = std::count_if(points.begin(), points.end(), is_hidden);
    occludes.push_back(2 * std::size_t(count) > points.size());
  }
  return occludes;
}

bool has_floor(const Scene& scene) {
  for (const Solid& solid : solids_at(scene, 0))
    if (solid.plane && solid.normal.y > 0.7f && !hidden(solid.collider->look)) return true;
  return false;
}

// just below the material and the colliders; a collider that goes far below the material does not count
float floor_height(const Scene& scene, const Extent& material) {
  float low = material.low.y;
  for (const Collider& collider : scene.colliders)
    for (const double time : times_there(collider, scene.settings.duration)) {
      const Extent e = extent_at(collider.shape, collider.motion, time);
      if (e.finite() && e.low.y > material.low.y - material.size()) low = std::min(low, e.low.y);
    }
  return low - 2e-3f * material.size();  // small gap, so that surfaces do not coincide
}

PreviewView view_of(const Scene& scene, const Subject& subject, int width, int height) {
  PreviewView view;
  view.width = width;
  view.height = height;
  view.size = subject.whole().size();
  const float aspect = float(width) / float(height);
  if (scene.camera) {
    const auto point = [](const Double3& x) { return Vec3<float>{float(x[0]), float(x[1]), float(x[2])}; };
    const Vec3<float> eye = point(scene.camera->eye), target = point(scene.camera->target);
    view.camera = look_at(eye, target, float(scene.camera->angle), aspect);
    // haze begins behind what the camera looks at, however small the material is
    view.size = std::max(view.size, norm(target - eye) / clear_depth);
  } else {
    view.camera = place_camera(subject, aspect);
  }
  view.see_through = find_occluders(scene, view, subject.points);
  return view;
}

}  // namespace

PreviewView frame_scene(const Scene& scene, const ParticleFrame& first, int width, int height) {
  PreviewView view = view_of(scene, expected_subject(scene, first), width, height);
  if (!scene.camera) return view;
  // what will happen is a guess: the size of what the camera sees is not
  const Vec3<double> eye{scene.camera->eye[0], scene.camera->eye[1], scene.camera->eye[2]},
      target{scene.camera->target[0], scene.camera->target[1], scene.camera->target[2]};
  const float distance = float(norm(target - eye));
  view.size = std::max(2 * distance * view.camera.half_height, distance / clear_depth);
  return view;
}

PreviewView frame_run(const Scene& scene, const std::vector<ParticleFrame>& frames, int width, int height) {
  const Subject subject = subject_of_frames(scene, frames);
  PreviewView view = view_of(scene, subject, width, height);
  if (!has_floor(scene)) view.floor = floor_height(scene, subject.whole());
  return view;
}

bool frames_well(const Scene& scene, const PreviewView& view, const std::vector<ParticleFrame>& frames) {
  constexpr float least = 0.45f;  // of the picture's width or height that the material must span
  if (scene.camera) return true;
  const Subject subject = subject_of_frames(scene, frames);
  bool in_front = true;
  for_corners(subject.material, [&](const Vec3<float>& corner) {
    in_front = in_front && project(view.camera, corner).depth > 0;
  });
  const Extent drawn = covered(subject.material, view.camera);
  const bool inside = drawn.low.x >= -1 && drawn.high.x <= 1 && drawn.low.y >= -1 && drawn.high.y <= 1;
  const float span = 0.5f * std::max(drawn.high.x - drawn.low.x, drawn.high.y - drawn.low.y);
  return in_front && inside && span >= least;
}

std::string fingerprint(const PreviewView& view) {
  std::uint64_t hash = 0;
  const auto add = [&](std::uint64_t bits) { hash = combine(hash, bits); };
  const auto add_number = [&](float value) { add(std::bit_cast<std::uint32_t>(value)); };
  const Camera& camera = view.camera;
  for (const Vec3<float>& v : {camera.eye, camera.right, camera.up, camera.forward})
    for (int a = 0; a < 3; ++a) add_number(v[a]);
  add_number(camera.half_width), add_number(camera.half_height), add_number(view.size);
  for (const int number : {view.width, view.height, view.samples}) add(std::uint64_t(number));
  for (const bool seen_through : view.see_through) add(seen_through ? 2 : 1);
  add(view.floor.has_value()), add_number(view.floor.value_or(0));
  return fmt::format("{:016x}", hash);
}

}  // namespace dollop
