// The geometry of one picture for ray tracing, as an Embree scene.
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
#include "render/tracer/medium.h"

namespace dollop {

// Colours that replace those of the looks: one for each vertex of the surface and for each particle of the frame.
struct Coloring {
  std::vector<Vec3<float>> vertices = {}, particles = {};  // linear
};

struct StageContents {
  const Scene& scene;
  const PreviewView& view;
  const ParticleFrame& frame;  // its grains are drawn; all other particles are in the surface
  const SurfaceMesh& surface;
  const Coloring* coloring = nullptr;
  double shutter = 0;  // exposure time for motion blur, centred on the frame's time [s]
};

// An intersection of a ray with the geometry, and its shading parameters.
struct Hit {
  float t = 0;                            // ray parameter: x = origin + t direction
  Vec3<float> x{}, normal{0, 1, 0};       // normal: shading normal, unit, outward
  Vec3<float> geometric_normal{0, 1, 0};  // unit
  Shading shading = {};
  std::uint32_t part = 0;  // index of the part of the stage
  bool plane = false;
};

struct TracedRay {
  Vec3<float> origin, direction;  // direction: any length but zero
  float near = 0, far = std::numeric_limits<float>::infinity();
  float time = 0.5f;             // 0: the shutter opens, 1: it closes
  float material_choice = 0.5f;  // random number in [0, 1) that selects one material where several meet
};

class Stage {
 public:
  explicit Stage(const StageContents& contents);
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  std::optional<Hit> intersect(const TracedRay& ray) const;
  // The materials that are drawn as clouds; intersect() does not know of them.
  const std::vector<Medium>& media() const;
  // The transmittance along a shadow ray: zero where something opaque is in the way. Planes cast no shadow: the lamp is
  // never behind a plane that is drawn.
  Vec3<float> transmittance(const TracedRay& ray) const;
  // The nearest hit if it belongs to this part, for probe rays of subsurface scattering.
  std::optional<Hit> intersect_part(std::uint32_t part, const TracedRay& ray) const;
  // The normals of all panes along the ray, front sides only. Panes do not stop rays.
  std::vector<Vec3<float>> panes_along(const TracedRay& ray) const;

  float ray_offset() const;  // offset of secondary rays from the surface, against self-intersection [m]

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace dollop
