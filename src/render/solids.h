// Colliders at one time, for ray intersection.
#pragma once

#include <dollop/scene.h>

#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "boundary/collider.h"
#include "math/vec.h"
#include "render/palette.h"

namespace dollop {

class TriangleRays;

struct Solid {
  const Collider* collider = nullptr;  // in the scene, which must outlive this
  const Shape* shape = nullptr;        // the collider's, or a part of it
  Pose pose = {};
  Vec3<float> low{}, high{};  // bounding box at this time; infinite if unbounded [m]
  bool there = true;          // whether the collider is there at this time
  bool plane = false;
  Vec3<float> point{}, normal{0, 1, 0};  // of a plane
  bool glass = false;                    // hides the material from the camera, so it is drawn transparent
  Appearance appearance = {};
  // of a mesh, in its rest pose; what is drawn, while shadows come from its signed distance
  std::shared_ptr<const TriangleRays> triangles = {};
  float distance_error = 0;  // of the signed distance at these triangles: the width of a voxel [m]
};

struct Ray {
  Vec3<float> origin, direction;                                 // direction: any length but zero
  float near = 0, far = std::numeric_limits<float>::infinity();  // ray parameters
};

// `see_through` has an entry for each collider, or none at all.
std::vector<Solid> solids_at(const Scene& scene, double time, const std::vector<bool>& see_through = {});

// Splits unions into one solid per part, each with its own bounding box, so that rays skip most of them. Panes and solids
// with triangles stay whole.
std::vector<Solid> split_unions(const std::vector<Solid>& solids);

// Whether a plane is drawn for a camera at `eye` that looks along `forward`. Floors are, and walls behind the scene.
// Walls seen from their back, and those at the sides, would cover the picture and are left out.
bool plane_shown(const Solid& plane, const Vec3<float>& eye, const Vec3<float>& forward);

// The distance by which a ray, in its parameter, must hit a plane before another solid to hit the plane: `depth` metres
// below it, so that what lies in the plane is always seen.
float plane_margin(const Solid& plane, const Vec3<float>& direction, float depth);

float distance(const Solid& solid, const Vec3<float>& x);
Vec3<float> outward_normal(const Solid& solid, const Vec3<float>& x);

// The ray parameter where the ray enters the solid, by sphere tracing; none for a ray that starts inside. With a
// `beam_width`, the beam of that width at parameter 1 is marched until it first touches the solid: rays within the beam
// may start there. A beam needs a finite `far`.
std::optional<float> hit(const Solid& solid, const Ray& ray, float beam_width = 0);

// Where a ray enters a solid, by its triangles if it has them.
struct SolidHit {
  float t = 0;                             // ray parameter
  std::optional<Vec3<float>> normal = {};  // unit, outward, if triangles were hit
};
std::optional<SolidHit> first_hit(const Solid& solid, const Ray& ray);

// The ray parameter of the first surface point of a bounded solid, from outside or from within.
std::optional<float> hit_either_side(const Solid& solid, const Ray& ray);

// Soft shadow: the fraction of the lamp that x sees past the solid; `size` is the lamp's radius over its distance.
float lamp_visibility(const Solid& solid, const Vec3<float>& x, const Vec3<float>& to_lamp, float size,
                      float reach);

// Ambient visibility (1 - ambient occlusion) from distances sampled along the normal; 1: nothing within reach.
float sky_visibility(const std::vector<Solid>& solids, const Vec3<float>& x, const Vec3<float>& normal,
                     float reach);

}  // namespace dollop
