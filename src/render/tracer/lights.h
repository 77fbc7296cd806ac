// The light sources of a picture: a lamp (a distant disc, the key light), a sky (fill light) and the backdrop that the
// camera sees behind the scene.
#pragma once

#include <optional>

#include "render/tracer/sampling.h"

namespace dollop {

struct Lights {
  Vec3<float> to_lamp{0, 1, 0};               // unit, to its centre
  float lamp_cosine = 0.99f;                  // of its half angle
  Vec3<float> lamp{0, 0, 0};                  // radiance
  std::optional<Vec3<float>> uniform;         // radiance that replaces the sky and the backdrop
  float size = 1;                             // of the scene [m]
  Vec3<float> right{1, 0, 0}, back{0, 0, 1};  // horizontal axes of the camera, along which the sky varies

  float lamp_solid_angle() const { return 2 * pi * (1 - lamp_cosine); }
  bool has_lamp() const { return max_component(lamp) > 0; }
  bool in_lamp(const Vec3<float>& direction) const { return dot(direction, to_lamp) > lamp_cosine; }
};

// The lamp stands to the left of the camera, high up.
Lights studio_lights(const Camera& camera, float size);
// The same radiance from all directions, no lamp.
Lights uniform_lights(const Vec3<float>& radiance);

Vec3<float> sky_radiance(const Lights& lights, const Vec3<float>& direction);       // without the lamp
Vec3<float> backdrop_radiance(const Lights& lights, const Vec3<float>& direction);  // what the camera sees
// aerial perspective: the fraction by which a surface at this depth fades into the backdrop
float haze_fraction(const Lights& lights, float depth);

}  // namespace dollop
