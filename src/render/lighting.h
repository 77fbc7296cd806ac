// Shading of preview pictures: the light that a surface point sends to the camera.
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
  Vec3<float> x{}, normal{0, 1, 0};  // normal: unit, on the camera's side
  Appearance appearance = {};
  const Solid* solid = nullptr;  // of Kind::solid
};

// The light sources, a lamp beside the camera and a sky, with the geometry that occludes them.
struct Lighting {
  const std::vector<Solid>& solids;
  const OcclusionVolume& occlusion;
  Vec3<float> to_lamp;  // unit vector
  float size;           // of the scene [m]
};

Lighting make_lighting(const Camera& camera, const std::vector<Solid>& solids,
                       const OcclusionVolume& occlusion, float size);

// The fractions of the lamp and of the sky that a point sees: soft shadow and ambient occlusion. They are the costly
// part of shading, and vary little between the samples of a pixel.
struct LightVisibility {
  float lamp = 1, sky = 1;
};
LightVisibility light_visibility(const Lighting& light, const Surface& surface);

Vec3<float> shade(const Lighting& light, const Surface& surface, const LightVisibility& visible,
                  const Vec3<float>& to_eye);
Vec3<float> background(const Vec3<float>& direction);
// aerial perspective: distant surfaces fade into the background
Vec3<float> haze(const Lighting& light, const Vec3<float>& colour, float depth, const Vec3<float>& direction);
// the colour of a surface seen through a pane of glass
Vec3<float> behind_glass(const Vec3<float>& colour, const Vec3<float>& normal, const Vec3<float>& to_eye);
// the albedo of the floor with its grid lines; `footprint` is the width of a sample on the floor [m], for antialiasing
Vec3<float> floor_albedo(const Vec3<float>& x, float size, float footprint);

}  // namespace dollop
