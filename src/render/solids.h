// Colliders as rays see them, at one time.
#pragma once

#include <dollop/scene.h>

#include <limits>
#include <optional>
#include <vector>

#include "boundary/collider.h"
#include "math/vec.h"
#include "render/palette.h"

namespace dollop {

struct Solid {
  const Collider* collider = nullptr;  // of the scene, which must live as long
  const Shape* shape = nullptr;        // the collider's, or a part of it
  Pose pose = {};
  Vec3<float> low{}, high{};  // bounds where it stands, infinite if it is unbounded [m]
  bool plane = false;
  Vec3<float> point{}, normal{0, 1, 0};  // of a plane
  bool glass = false;                    // drawn see-through: it stands before the material
  Appearance appearance = {};
};

struct Ray {
  Vec3<float> origin, direction;                                 // any length but zero
  float near = 0, far = std::numeric_limits<float>::infinity();  // in lengths of `direction`
};

// `see_through` has an entry for each collider, or none at all.
std::vector<Solid> solids_at(const Scene& scene, double time, const std::vector<bool>& see_through = {});

// A solid for each part of unions, with bounds of its own: rays pass by most of them at no cost. Panes stay whole.
std::vector<Solid> split_unions(const std::vector<Solid>& solids);

// Whether a plane is drawn for an eye here that looks along `forward`. Floors are. Walls are if they stand behind the
// scene: those that are seen from their back, and those at the sides, would cover the picture and are left out.
bool plane_shown(const Solid& plane, const Vec3<float>& eye, const Vec3<float>& forward);

float distance(const Solid& solid, const Vec3<float>& x);
Vec3<float> outward_normal(const Solid& solid, const Vec3<float>& x);

// The first point where the ray enters the solid, in lengths of its direction; none for a ray that starts inside.
// `wide` is the width at length one of a beam that must not touch the solid. 0 is a thin ray; a wide beam stops early,
// where thin rays within it may start, and needs a finite `far`.
std::optional<float> hit(const Solid& solid, const Ray& ray, float wide = 0);

// The first point of a bounded solid's surface that the ray meets, from outside or from within.
std::optional<float> hit_either_side(const Solid& solid, const Ray& ray);

// The share of a lamp that a point sees past the solid; `size` is the lamp's radius by its distance.
float lamp_visibility(const Solid& solid, const Vec3<float>& x, const Vec3<float>& to_lamp, float size,
                      float reach);

// How open the sky is next to the solid, looking along the normal; 1: nothing within reach.
float open_sky(const std::vector<Solid>& solids, const Vec3<float>& x, const Vec3<float>& normal,
               float reach);

}  // namespace dollop
