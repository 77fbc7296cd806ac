#include "render/subject.h"

#include <cstddef>
#include <numbers>
#include <optional>

#include "boundary/collider.h"
#include "boundary/motion.h"
#include "boundary/rigid.h"
#include "boundary/shape_distance.h"
#include "particles/emission.h"
#include "particles/emission_front.h"
#include "render/solids.h"

namespace dollop {
namespace {

constexpr float surroundings = 1.5f;  // size of the surroundings that are shown, over that of the material
constexpr int emitter_samples = 33;   // in time; enough for some turns of a nozzle
constexpr float spread = 0.1f;        // of material that lands, over the height from which it falls
constexpr int segments = 64;          // of the path of falling material

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

// some of the particles
void add_points(const ParticleFrame& frame, std::vector<Vec3<float>>& points) {
  const std::size_t particles = frame.position.size() / 3;
  const std::size_t stride = std::max<std::size_t>(1, particles / 64);
  for (std::size_t i = 0; i < particles; i += stride)
    points.push_back({frame.position[3 * i], frame.position[3 * i + 1], frame.position[3 * i + 2]});
}

Extent sum(const std::vector<Extent>& extents) {
  Extent all;
  for (const Extent& e : extents) all.add(e);
  return all;
}

// The initial state of material in free flight.
struct Start {
  Extent extent;
  Vec3<double> velocity{0, 0, 0};  // [m/s]
  double time = 0;                 // [s]
};

// The places from which one body or emitter sends its material off, and how much that is.
struct Source {
  std::vector<Start> starts;
  float pile = 0;  // radius of half a ball of all the material that an emitter lets out; 0 for bodies [m]
};

// the velocity with which material leaves the middle of a nozzle
Vec3<double> velocity_of_flow(const Emitter& emitter, const Extent& nozzle, double time) {
  Vec3<double> direction = to_vec(emitter.direction);
  if (!has_direction(direction)) direction = to_vec(disc_normal(emitter.shape).value_or(Double3{0, 0, 0}));
  const Pose pose = pose_at(emitter.motion, time);
  const Double3 middle = to_array(to_double(nozzle.center()));
  return to_vec(velocity_at(pose, middle)) +
         value_at(emitter.speed, time) * (to_mat(pose.rotation) * unit_or_zero(direction));
}

Source source_of(const Emitter& emitter, double duration) {
  Source source;
  const double from = std::clamp(emitter.from, 0.0, duration);
  const double until = std::clamp(emitter.until, from, duration);
  for (int k = 0; k < emitter_samples; ++k) {
    const double time = from + (until - from) * k / (emitter_samples - 1);
    const Extent nozzle = extent_at(emitter.shape, emitter.motion, time);
    if (nozzle.finite()) source.starts.push_back({nozzle, velocity_of_flow(emitter, nozzle, time), time});
  }
  if (!source.starts.empty())
    source.pile = float(std::cbrt(1.5 / std::numbers::pi * expected_volume(emitter, duration)));
  return source;
}

// the bodies, and the emitters at several times while they emit
std::vector<Source> sources_of(const Scene& scene) {
  std::vector<Source> sources;
  for (const Body& body : scene.bodies)
    if (const Extent extent = extent_at(body.shape, {}, 0); extent.finite())
      sources.push_back({{{extent, to_vec(body.velocity), 0}}});
  for (const Emitter& emitter : scene.emitters)
    sources.push_back(source_of(emitter, scene.settings.duration));
  return sources;
}

// The path of the middle of material in free flight.
struct Path {
  std::vector<Vec3<float>> points = {};
  const Solid* solid = nullptr;  // which it meets at the last point; null: none until the end of the shot
};

// Follows the material until it meets a collider or the shot ends. Where it meets none, only the first `reach` metres
// of its way are of interest.
Path fly(const Scene& scene, const Start& start, const std::vector<Solid>& solids, float reach) {
  Path path{{start.extent.center()}};
  const Vec3<double> gravity = to_vec(value_at(scene.settings.gravity, start.time));
  const double end = scene.settings.duration - start.time;
  if (!(end > 0) || !std::isfinite(norm(gravity) + norm(start.velocity))) return path;
  std::size_t of_interest = 1;  // points within reach
  float length = 0;
  for (int k = 1; k <= segments; ++k) {
    const double t = end * k * k / (segments * segments);  // short at first, for little may happen later
    const Vec3<double> moved = t * start.velocity + (0.5 * t * t) * gravity;
    const Vec3<float> x = path.points.back(), next = path.points.front() + to_float(moved);
    float nearest = 1;
    for (const Solid& solid : solids) {
      if (!solid.there) continue;
      if (const auto s = hit(solid, {x, next - x, 0, nearest})) {
        nearest = *s;
        path.solid = &solid;
      }
    }
    path.points.push_back(x + nearest * (next - x));
    if (path.solid) return path;
    length += norm(next - x);
    if (length <= reach) of_interest = path.points.size();
  }
  path.points.resize(of_interest);
  return path;
}

// the extents of material that has landed and moves along with the collider until the end of the shot
void add_landing(const Path& path, const Start& start, double duration, std::vector<Extent>& extents) {
  const Motion& motion = path.solid->collider->motion;
  const Pose begin = pose_at(motion, start.time);
  const Vec3<double> x = to_double(path.points.back());
  const Vec3<double> at_rest = transpose(to_mat(begin.rotation)) * (x - to_vec(begin.translation));
  const Vec3<float> half = 0.5f * (start.extent.high - start.extent.low);
  for (const double fraction : sample_times) {
    const Pose pose = pose_at(motion, start.time + fraction * (duration - start.time));
    const Vec3<float> place = to_float(to_mat(pose.rotation) * at_rest + to_vec(pose.translation));
    extents.emplace_back(place - Vec3<float>{half.x, 0, half.z}, place + Vec3<float>{half.x, 0, half.z});
  }
}

// Adds the flight of a source's material, the places where it lands with room to spread there, and its pile. `all`: the
// extent of all material before it moves.
void add_flights(const Scene& scene, const Source& source, const Extent& all, Subject& subject) {
  std::vector<Extent> landed;
  for (const Start& start : source.starts) {
    const std::vector<Solid> solids = solids_at(scene, start.time);
    const Path path = fly(scene, start, solids, 3 * all.size());
    const bool emitted = source.pile > 0;
    if (!path.solid && !emitted) continue;  // a body that falls for ever would leave any picture
    const Vec3<float> half = 0.5f * (start.extent.high - start.extent.low);
    for (std::size_t k = 0; k < path.points.size(); k += 8) {
      // what lands shows how low it gets, not the half of it that would be below
      const float low = path.solid && k > 0 ? 0 : half.y;
      subject.material.emplace_back(path.points[k] - Vec3<float>{half.x, low, half.z}, path.points[k] + half);
    }
    if (!path.solid) subject.material.emplace_back(path.points.back() - half, path.points.back() + half);
    if (path.solid) add_landing(path, start, scene.settings.duration, landed);
    subject.points.push_back(path.points.back());
  }
  if (landed.empty()) return;
  for (Extent e : landed) {
    const float room = spread * std::max(0.0f, all.high.y - e.low.y);
    e.low = e.low - Vec3<float>{room, 0, room};
    e.high = e.high + Vec3<float>{room, 0, room};
    if (e.finite()) subject.material.push_back(e);
  }
  if (source.pile == 0) return;
  const Extent places = sum(landed);
  const Vec3<float> middle = places.center(), r{source.pile, 0, source.pile};
  const Vec3<float> foot{middle.x, places.low.y, middle.z};
  if (const Extent pile{foot - r, foot + r + Vec3<float>{0, source.pile, 0}}; pile.finite())
    subject.material.push_back(pile);
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
    for (const double time : times_there(collider, scene.settings.duration)) {
      Extent e = extent_at(collider.shape, collider.motion, time);
      if (!e.finite()) continue;
      if (!material.empty()) e.clip(near);
      if (!e.empty()) extents.push_back(e);
    }
  return extents;
}

// adds the colliders, and a unit cube if the scene is empty
void complete(const Scene& scene, Subject& subject) {
  subject.around = extents_of_colliders(scene, subject.whole());
  if (subject.material.empty()) subject.material = subject.around;
  const Extent all = subject.whole();
  if (all.finite() && all.size() > 0) return;
  const Vec3<float> center = all.finite() ? all.center() : Vec3<float>{0, 0, 0};
  const Vec3<float> half{0.5f, 0.5f, 0.5f};
  subject.material.emplace_back(center - half, center + half);
}

}  // namespace

Extent Subject::whole() const { return sum(material); }

Extent extent_at(const Shape& shape, const Motion& motion, double time) {
  Extent extent;
  const Bounds b = bounds(shape);
  const Pose pose = pose_at(motion, time);
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3<double> at_rest{corner & 1 ? b.max[0] : b.min[0], corner & 2 ? b.max[1] : b.min[1],
                               corner & 4 ? b.max[2] : b.min[2]};
    extent.add(to_float(to_mat(pose.rotation) * at_rest + to_vec(pose.translation)));
  }
  return extent;
}

std::vector<double> times_there(const Collider& collider, double duration) {
  std::vector<double> times;
  if (collider.from > duration) return times;
  const double until = std::min(collider.until, duration);
  for (const double fraction : sample_times)
    times.push_back(collider.from + fraction * (until - collider.from));
  return times;
}

Subject expected_subject(const Scene& scene, const ParticleFrame& first) {
  Subject subject;
  std::vector<Source> sources = sources_of(scene);
  if (const Extent particles = bounds_of_particles(first); particles.finite()) {
    subject.material.push_back(particles);
    if (sources.empty()) sources.push_back({{{particles}}});
  }
  add_points(first, subject.points);
  for (const Source& source : sources)
    for (const Start& start : source.starts) subject.material.push_back(start.extent);
  for (const Source& source : sources)  // the middle of each, as it is at first
    if (!source.starts.empty()) subject.points.push_back(source.starts[0].extent.center());
  if (const Extent all = subject.whole(); all.finite())
    for (const Source& source : sources) add_flights(scene, source, all, subject);
  complete(scene, subject);
  return subject;
}

Subject subject_of_frames(const Scene& scene, const std::vector<ParticleFrame>& frames) {
  Subject subject;
  for (const ParticleFrame& frame : frames)
    if (const Extent e = bounds_of_most(frame); e.finite()) subject.material.push_back(e);
  if (!frames.empty()) add_points(frames[frames.size() / 2], subject.points);
  for (const Source& source : sources_of(scene))
    if (!source.starts.empty()) subject.points.push_back(source.starts[0].extent.center());
  complete(scene, subject);
  return subject;
}

}  // namespace dollop
