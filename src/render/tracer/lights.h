// The light of a picture: a wide lamp to the side, a sky, and the backdrop behind everything.
#pragma once

#include <optional>

#include "render/tracer/sampling.h"

namespace dollop {

struct Lights {
  Vec3<float> to_lamp{0, 1, 0};               // unit, to its middle
  float lamp_cosine = 0.99f;                  // of the angle from its middle to its rim
  Vec3<float> lamp{0, 0, 0};                  // radiance
  std::optional<Vec3<float>> uniform;         // instead of the sky and the backdrop
  float size = 1;                             // of what is to be seen [m]
  Vec3<float> right{1, 0, 0}, back{0, 0, 1};  // of the camera, level: the sky differs by its sides

  float lamp_solid_angle() const { return 2 * pi * (1 - lamp_cosine); }
  bool has_lamp() const { return largest(lamp) > 0; }
  bool in_lamp(const Vec3<float>& direction) const { return dot(direction, to_lamp) > lamp_cosine; }
};

// For a camera: the lamp stands to the left of it, high up.
Lights studio_lights(const Camera& camera, float size);
// The same radiance from everywhere.
Lights uniform_lights(const Vec3<float>& radiance);

Vec3<float> sky_radiance(const Lights& lights, const Vec3<float>& direction);       // without the lamp
Vec3<float> backdrop_radiance(const Lights& lights, const Vec3<float>& direction);  // what the camera sees
// the share of what lies this far away that fades into the backdrop
float haze_share(const Lights& lights, float depth);

}  // namespace dollop
