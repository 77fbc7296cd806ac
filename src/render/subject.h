// What a shot shows: where the material is and where it will go, and the colliders near it.
#pragma once

#include <dollop/scene.h>
#include <dollop/simulation.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "math/vec.h"

namespace dollop {

// An axis-aligned box [m].
struct Extent {
  Vec3<float> low, high;
  Extent() {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    low = {infinity, infinity, infinity};
    high = {-infinity, -infinity, -infinity};
  }
  Extent(const Vec3<float>& low_, const Vec3<float>& high_) : low(low_), high(high_) {}

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

struct Subject {
  std::vector<Extent> material = {};     // to fill most of the picture
  std::vector<Extent> around = {};       // nearby colliders, to be within the picture
  std::vector<Vec3<float>> points = {};  // of the material, which colliders should not hide

  Extent whole() const;  // of the material
};

// What will happen, from the scene and its first frame: bodies and emitters, the paths along which the material falls,
// and the places where it lands and piles up.
Subject expected_subject(const Scene& scene, const ParticleFrame& first);

// What has happened, from some frames of the run in order. A few stray particles do not count.
Subject subject_of_frames(const Scene& scene, const std::vector<ParticleFrame>& frames);

// the bounding box of a moving shape at a time
Extent extent_at(const Shape& shape, const Motion& motion, double time);

// Fractions of the duration at which moving colliders are looked at.
inline constexpr std::array<double, 5> sample_times{0, 0.25, 0.5, 0.75, 1};

// the times of a shot at which a collider is looked at: those while it is there
std::vector<double> times_there(const Collider& collider, double duration);

// Calls body for the corners of all extents.
template <class Body>
void for_corners(const std::vector<Extent>& extents, Body&& body) {
  for (const Extent& e : extents)
    for (int corner = 0; corner < 8; ++corner)
      body(Vec3<float>{corner & 1 ? e.high.x : e.low.x, corner & 2 ? e.high.y : e.low.y,
                       corner & 4 ? e.high.z : e.low.z});
}

}  // namespace dollop
