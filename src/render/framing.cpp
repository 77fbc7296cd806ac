// Automatic placement of the camera.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "boundary/collider.h"
#include "boundary/motion.h"
#include "boundary/rigid.h"
#include "boundary/shape_distance.h"
#include "render/solids.h"
#include "render/splat.h"
#include "surface/material_looks.h"

namespace dollop {
namespace {

constexpr float view_angle = 0.52f;   // vertical field of view [rad]
constexpr float tilt = 0.33f;         // elevation of the camera [rad]
constexpr float turn = 0.42f;         // azimuth of the camera from the z axis, to the right [rad]
constexpr float fill = 0.8f;          // fraction of the picture's height or width that the material fills
constexpr float fill_around = 1.5f;   // the same for colliders near it; above 1, parts of them may be cut off
constexpr float surroundings = 1.5f;  // their size over that of the material
constexpr int emitter_samples = 33;   // in time; enough for some turns of a nozzle
constexpr std::array<double, 5> sample_times{
    0, 0.25, 0.5, 0.75, 1};  // fractions of the duration at which moving colliders are looked at

struct Extent {
  Vec3<float> low, high;
  Extent() {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    low = {infinity, infinity, infinity};
    high = {-infinity, -infinity, -infinity};
  }
  bool empty() const { return !(low.x <= high.x && low.y <= high.y && low.z <= high.z); }
  void add(const Vec3<float>& x) {
    for (int a = 0; a < 3; ++a) {
      low[a] = std::min(low[a], x[a]);
      high[a] = std::max(high[a], x[a]);
    }
  }
  void add(const Extent& other) {
    if (other.empty()) return;
    add(other.low);
    add(other.high);
  }
  void clip(const Extent& other) {
    for (int a = 0; a < 3; ++a) {
      low[a] = std::max(low[a], other.low[a]);
      high[a] = std::min(high[a], other.high[a]);
    }
  }
  Vec3<float> center() const { return 0.5f * (low + high); }
  float size() const { return norm(high - low); }
  bool finite() const { return !empty() && std::isfinite(size()); }
};

// the bounding box of a moving shape at a time
Extent bounds_at(const Shape& shape, const Motion& motion, double time) {
  Extent extent;
  const Bounds b = bounds(shape);
  const Pose pose = pose_at(motion, time);
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3<double> at_rest{corner & 1 ? b.max[0] : b.min[0], corner & 2 ? b.max[1] : b.min[1],
                               corner & 4 ? b.max[2] : b.min[2]};
    const Vec3<double> x = to_mat(pose.rotation) * at_rest + to_vec(pose.translation);
    extent.add({float(x.x), float(x.y), float(x.z)});
  }
  return extent;
}

Extent bounds_of_particles(const ParticleFrame& frame) {
  Extent extent;
  for (std::size_t i = 0; i + 2 < frame.position.size(); i += 3) {
    const Vec3<float> x{frame.position[i], frame.position[i + 1], frame.position[i + 2]};
    if (std::isfinite(x.x + x.y + x.z)) extent.add(x);
  }
  return extent;
}

// the same without outliers along each axis, which may be drops that fly off
Extent bounds_of_most(const ParticleFrame& frame) {
  constexpr double outliers = 0.004;           // fraction of the particles at each end
  constexpr std::size_t max_samples = 20'000;  // particles are enough to estimate it
  Extent extent = bounds_of_particles(frame);
  const std::size_t particles = frame.position.size() / 3;
  const std::size_t stride = std::max<std::size_t>(1, particles / max_samples);
  if (!extent.finite() || particles < 100) return extent;
  for (int a = 0; a < 3; ++a) {
    std::vector<float> along;
    for (std::size_t i = 0; i < particles; i += stride)
      if (const float x = frame.position[3 * i + std::size_t(a)]; std::isfinite(x)) along.push_back(x);
    const auto k = std::ptrdiff_t(outliers * double(along.size()));
    std::nth_element(along.begin(), along.begin() + k, along.end());
    extent.low[a] = along[std::size_t(k)];
    std::nth_element(along.begin(), along.end() - 1 - k, along.end());
    extent.high[a] = *(along.end() - 1 - k);
  }
  return extent;
}

// The initial state of material in free fall.
struct Start {
  Extent extent;
  Vec3<double> velocity{0, 0, 0};  // [m/s]
  double time = 0;                 // [s]
};

// The bodies, and the emitters at several times while they emit.
std::vector<Start> starts_of_material(const Scene& scene) {
  std::vector<Start> starts;
  const auto keep = [&](const Start& start) {
    if (start.extent.finite()) starts.push_back(start);
  };
  for (const Body& body : scene.bodies) keep({bounds_at(body.shape, {}, 0), to_vec(body.velocity), 0});
  for (const Emitter& emitter : scene.emitters) {
    const double end = scene.settings.duration;
    const double from = std::clamp(emitter.from, 0.0, end), until = std::clamp(emitter.until, from, end);
    for (int k = 0; k < emitter_samples; ++k) {
      const double time = from + (until - from) * k / (emitter_samples - 1);
      keep({bounds_at(emitter.shape, emitter.motion, time), {0, 0, 0}, time});
    }
  }
  return starts;
}

// The first collision of falling material with a collider.
struct Landing {
  Vec3<float> x;
  const Solid* solid;
};

// Follows the centre of the material in free fall. None if it meets no collider within three scene sizes.
std::optional<Landing> find_landing(const Start& start, const Vec3<double>& gravity,
                                    const std::vector<Solid>& solids, float size) {
  constexpr int segments = 64;
  const double g = norm(gravity), speed = norm(start.velocity);
  if (!(g > 0) || !std::isfinite(g + speed)) return {};
  // the time to rise to the apex and to fall three scene sizes from there
  const double time = (speed + std::sqrt(speed * speed + 6 * size * g)) / g;
  Vec3<float> x = start.extent.center();
  for (int k = 1; k <= segments; ++k) {
    const double t = time * k / segments;
    const Vec3<double> moved = t * start.velocity + (0.5 * t * t) * gravity;
    const Vec3<float> next =
        start.extent.center() + Vec3<float>{float(moved.x), float(moved.y), float(moved.z)};
    std::optional<Landing> first;
    float nearest = 1;
    for (const Solid& solid : solids)
      if (const auto s = hit(solid, {x, next - x, 0, nearest})) {
        nearest = *s;
        first = {x + *s * (next - x), &solid};
      }
    if (first) return first;
    x = next;
  }
  return {};
}

// Adds the extents of material that has landed and moves along with the collider until the end of the shot.
void add_landing(const Landing& landing, const Start& start, double duration, std::vector<Extent>& extents) {
  const Motion& motion = landing.solid->collider->motion;
  const Pose begin = pose_at(motion, start.time);
  const Vec3<double> x{landing.x.x, landing.x.y, landing.x.z};
  const Vec3<double> at_rest = transpose(to_mat(begin.rotation)) * (x - to_vec(begin.translation));
  const Vec3<float> half = 0.5f * (start.extent.high - start.extent.low);
  for (const double fraction : sample_times) {
    const Pose pose = pose_at(motion, start.time + fraction * (duration - start.time));
    const Vec3<double> y = to_mat(pose.rotation) * at_rest + to_vec(pose.translation);
    const Vec3<float> position{float(y.x), float(y.y), float(y.z)};
    extents.emplace_back();
    extents.back().add(position - Vec3<float>{half.x, 0, half.z});
    extents.back().add(position + Vec3<float>{half.x, 0, half.z});
  }
}

Extent sum(const std::vector<Extent>& extents) {
  Extent all;
  for (const Extent& e : extents) all.add(e);
  return all;
}

// The extents of particles, bodies and emitters, and of where they land, with room to spread there.
std::vector<Extent> extents_of_material(const Scene& scene, const ParticleFrame& first) {
  const std::vector<Start> starts = starts_of_material(scene);
  std::vector<Extent> extents;
  if (const Extent particles = bounds_of_particles(first); particles.finite()) extents.push_back(particles);
  for (const Start& start : starts) extents.push_back(start.extent);
  const Extent before = sum(extents);
  if (!before.finite()) return {};

  std::vector<Extent> landed;
  const auto fall = [&](const Start& start) {
    const Vec3<double> gravity = to_vec(value_at(scene.settings.gravity, start.time));
    const std::vector<Solid> solids = solids_at(scene, start.time);
    if (const auto landing = find_landing(start, gravity, solids, before.size()))
      add_landing(*landing, start, scene.settings.duration, landed);
  };
  for (const Start& start : starts) fall(start);
  if (starts.empty()) fall({before});
  for (Extent e : landed) {
    const float spread = 0.1f * std::max(0.0f, before.high.y - e.low.y);
    e.low = e.low - Vec3<float>{spread, 0, spread};
    e.high = e.high + Vec3<float>{spread, 0, spread};
    if (e.finite()) extents.push_back(e);
  }
  return extents;
}

// The parts of bounded colliders that are near the material: a wide plate, or a collider that flies off, would make the
// camera move far back.
std::vector<Extent> extents_of_colliders(const Scene& scene, const Extent& material) {
  Extent near = material;
  if (!material.empty()) {
    const Vec3<float> margin = (0.5f * (surroundings - 1)) * (material.high - material.low);
    near.low = near.low - margin;
    near.high = near.high + margin;
  }
  std::vector<Extent> extents;
  for (const Collider& collider : scene.colliders)
    for (const double fraction : sample_times) {
      Extent e = bounds_at(collider.shape, collider.motion, fraction * scene.settings.duration);
      if (!e.finite()) continue;
      if (!material.empty()) e.clip(near);
      if (!e.empty()) extents.push_back(e);
    }
  return extents;
}

// What the shot shows.
struct Subject {
  std::vector<Extent> material;  // to fill most of the picture
  std::vector<Extent> around;    // nearby colliders, to be within the picture
};

// adds the colliders, and a unit cube if the scene is empty
void complete(const Scene& scene, Subject& subject) {
  subject.around = extents_of_colliders(scene, sum(subject.material));
  if (subject.material.empty()) subject.material = subject.around;
  const Extent all = sum(subject.material);
  if (!all.finite() || all.size() <= 0) {
    const Vec3<float> center = all.finite() ? all.center() : Vec3<float>{0, 0, 0};
    subject.material.emplace_back();
    subject.material.back().add(center - Vec3<float>{0.5f, 0.5f, 0.5f});
    subject.material.back().add(center + Vec3<float>{0.5f, 0.5f, 0.5f});
  }
}

// Calls body for the corners of all extents.
template <class Body>
void for_corners(const std::vector<Extent>& extents, Body&& body) {
  for (const Extent& e : extents)
    for (int corner = 0; corner < 8; ++corner)
      body(Vec3<float>{corner & 1 ? e.high.x : e.low.x, corner & 2 ? e.high.y : e.low.y,
                       corner & 4 ? e.high.z : e.low.z});
}

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

// Places the camera in the fixed direction, as close as the subject allows, with the material in the picture's centre.
Camera place_camera(const Subject& subject, float aspect) {
  const Vec3<float> back{std::sin(turn) * std::cos(tilt), std::sin(tilt), std::cos(turn) * std::cos(tilt)};
  Vec3<float> target = sum(subject.material).center();
  Camera camera = look_at(target + back, target, view_angle, aspect);
  for (int pass = 0; pass < 6; ++pass) {  // fixed-point iteration: each pass centres the target better
    const float distance = std::max(distance_to_fit(subject.material, camera, target, fill),
                                    distance_to_fit(subject.around, camera, target, fill_around));
    camera = look_at(target + distance * back, target, view_angle, aspect);
    Extent drawn;
    for_corners(subject.material, [&](const Vec3<float>& corner) {
      const Projected p = project(camera, corner);
      drawn.add({p.u, p.v, 0});
    });
    const Vec3<float> off = distance * drawn.center();
    if (pass < 5)
      target = target + (off.x * camera.half_width) * camera.right + (off.y * camera.half_height) * camera.up;
  }
  return camera;
}

// The colliders that hide most of the material from the camera.
std::vector<bool> find_occluders(const Scene& scene, const PreviewView& view, const ParticleFrame& first) {
  std::vector<Vec3<float>> targets;
  const std::size_t particles = first.position.size() / 3;
  const std::size_t stride = std::max<std::size_t>(1, particles / 64);  // some of the particles are enough
  for (std::size_t i = 0; i < particles; i += stride)
    targets.push_back({first.position[3 * i], first.position[3 * i + 1], first.position[3 * i + 2]});
  for (const Body& body : scene.bodies) {
    const Extent e = bounds_at(body.shape, {}, 0);
    if (e.finite()) targets.push_back(e.center());
  }
  for (const Emitter& emitter : scene.emitters) {
    const Extent e = bounds_at(emitter.shape, emitter.motion, 0);
    if (e.finite()) targets.push_back(e.center());
  }
  std::vector<bool> occludes;
  for (const Solid& solid : solids_at(scene, 0)) {
    const auto hidden = [&](const Vec3<float>& x) {
      // the last 2 % of the ray are left out: material may touch the collider that it lies on
      return hit(solid, {view.camera.eye, x - view.camera.eye, 0, 0.98f}).has_value();
    };
    const auto count = std::count_if(targets.begin(), targets.end(), hidden);
    occludes.push_back(2 * std::size_t(count) > targets.size());
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
    for (const double fraction : sample_times) {
      const Extent e = bounds_at(collider.shape, collider.motion, fraction * scene.settings.duration);
      if (e.finite() && e.low.y > material.low.y - material.size()) low = std::min(low, e.low.y);
    }
  return low - 2e-3f * material.size();  // small gap, so that surfaces do not coincide
}

PreviewView view_of(const Scene& scene, const Subject& subject, const ParticleFrame& shown, int width,
                    int height) {
  PreviewView view;
  view.width = width;
  view.height = height;
  view.size = sum(subject.material).size();
  const float aspect = float(width) / float(height);
  if (scene.camera) {
    const auto point = [](const Double3& x) { return Vec3<float>{float(x[0]), float(x[1]), float(x[2])}; };
    view.camera =
        look_at(point(scene.camera->eye), point(scene.camera->target), float(scene.camera->angle), aspect);
  } else {
    view.camera = place_camera(subject, aspect);
  }
  view.see_through = find_occluders(scene, view, shown);
  return view;
}

}  // namespace

PreviewView frame_scene(const Scene& scene, const ParticleFrame& first, int width, int height) {
  Subject subject;
  subject.material = extents_of_material(scene, first);
  complete(scene, subject);
  return view_of(scene, subject, first, width, height);
}

PreviewView frame_run(const Scene& scene, const std::vector<ParticleFrame>& frames, int width, int height) {
  Subject subject;
  for (const ParticleFrame& frame : frames)
    if (const Extent e = bounds_of_most(frame); e.finite()) subject.material.push_back(e);
  complete(scene, subject);
  const std::size_t middle = frames.size() / 2;
  PreviewView view =
      view_of(scene, subject, frames.empty() ? ParticleFrame{} : frames[middle], width, height);
  if (!has_floor(scene)) view.floor = floor_height(scene, sum(subject.material));
  return view;
}

}  // namespace dollop
