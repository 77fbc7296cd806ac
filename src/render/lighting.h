// What light a point of a surface sends to the eye.
#pragma once

#include <vector>

#include "render/camera.h"
#include "render/occlusion.h"
#include "render/palette.h"
#include "render/solids.h"

namespace dollop {

struct Surface {
  enum class Kind { none, mass, sphere, solid };
  Kind kind = Kind::none;
  float depth = 0;
  Vec3<float> x{}, normal{0, 1, 0};  // normal: unit, towards the eye's side
  Appearance appearance = {};
  const Solid* solid = nullptr;  // of Kind::solid
};

// The light of a shot: a lamp beside the camera and a sky.
struct Lighting {
  const std::vector<Solid>& solids;
  const OcclusionVolume& occlusion;
  Vec3<float> to_lamp;  // unit
  float size;           // of the scene [m]
};

Lighting make_lighting(const Camera& camera, const std::vector<Solid>& solids,
                       const OcclusionVolume& occlusion, float size);

// What costs most, and changes little from one sample of a pixel to the next.
struct Openness {
  float lamp = 1, sky = 1;  // shares of their light that arrive
};
Openness openness_at(const Lighting& light, const Surface& surface);

Vec3<float> shade(const Lighting& light, const Surface& surface, const Openness& open,
                  const Vec3<float>& to_eye);
Vec3<float> background(const Vec3<float>& direction);
// the floor fades into the background far away
Vec3<float> haze(const Lighting& light, const Vec3<float>& colour, float depth, const Vec3<float>& direction);
// a pane before what was seen
Vec3<float> behind_glass(const Vec3<float>& colour, const Vec3<float>& normal, const Vec3<float>& to_eye);
// the floor's colour with thin lines; `footprint` is the width of a sample on the floor [m]
Vec3<float> floor_albedo(const Vec3<float>& x, float size, float footprint);

}  // namespace dollop
