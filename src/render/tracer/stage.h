// Everything that rays of one picture may meet, in Embree's hands.
#pragma once

#include <dollop/scene.h>
#include <dollop/simulation.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "io/surface_mesh.h"
#include "render/solids.h"
#include "render/splat.h"
#include "render/tracer/looks.h"

namespace dollop {

// Colours instead of looks: one for each vertex of the surface and for each particle of the frame.
struct Coloring {
  std::vector<Vec3<float>> vertices = {}, particles = {};  // linear
};

struct StageContents {
  const Scene& scene;
  const PreviewView& view;
  const ParticleFrame& frame;  // its grains are drawn; positions of the rest are in the surface
  const SurfaceMesh& surface;
  const Coloring* coloring = nullptr;
  double shutter = 0;  // how long it is open, about the time of the frame [s]
};

// Where a ray meets something, and what it is made of there.
struct Hit {
  float t = 0;                       // in lengths of the ray
  Vec3<float> x{}, normal{0, 1, 0};  // normal: unit, outward, as it is shaded
  Vec3<float> face{0, 1, 0};         // the same of the triangle
  Shading shading = {};
  std::uint32_t part = 0;  // of the stage
  bool plane = false;
};

struct TracedRay {
  Vec3<float> origin, direction;  // any length but zero
  float near = 0, far = std::numeric_limits<float>::infinity();
  float time = 0.5f;    // 0: the shutter opens, 1: it closes
  float choice = 0.5f;  // in [0, 1): which of several materials at a place
};

class Stage {
 public:
  explicit Stage(const StageContents& contents);
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  std::optional<Hit> nearest(const TracedRay& ray) const;
  // The share of light that passes along the ray: zero where something opaque is in the way. Planes do not count: no
  // lamp stands behind those that are seen.
  Vec3<float> passing(const TracedRay& ray) const;
  // The first hit of one part only, for light that wanders inside of it.
  std::optional<Hit> nearest_of(std::uint32_t part, const TracedRay& ray) const;
  // Panes between the eye and what it sees: a normal for each, no light is lost on the way.
  std::vector<Vec3<float>> panes_before(const TracedRay& ray) const;

  float nudge() const;  // a length by which rays start off surfaces [m]

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace dollop
