// The parts of a stage: one Embree geometry each.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "render/embree.h"
#include "render/tracer/stage.h"

namespace dollop {

// Embree's ray masks: which rays see a part.
enum PartMask : unsigned { mask_solid = 1, mask_pane = 2 };

// Embree's context of a shadow ray, extended by the transmittance so far.
struct ShadowContext {
  RTCIntersectContext context;  // must be the first member: Embree gets a pointer to it
  Vec3<float> transmittance{1, 1, 1};
};

struct StagePart {
  enum class Kind { surface, grains, solid_mesh, solid_field };
  Kind kind = Kind::surface;
  bool pane = false;  // hides the material from the camera: drawn as a thin pane of glass, casts no shadow
  bool transmissive = false;  // at least one of its materials transmits light
  Shading shading = {};       // of solids

  // the surface
  const SurfaceMesh* mesh = nullptr;
  const std::vector<Shading>* materials = nullptr;

  // grains
  std::vector<std::uint32_t> particle = {};  // index of each grain in the frame

  // solids
  std::vector<Vec3<float>> normals = {};  // of each vertex, in the pose at the middle of the exposure
  std::vector<std::array<std::uint32_t, 3>> triangles = {};
  std::vector<Solid> poses = {};  // equally spaced in the exposure; only the middle one if the solid rests
  float pattern_scale = 1;        // size of the features of its pattern [m]

  const Solid& pose_at_time(float time) const;            // time in [0, 1]
  const Shading& shading_at(std::uint32_t vertex) const;  // of the surface
};

// Lets a shadow ray through a transmissive surface and tints it; returns false if the surface is opaque.
bool transmit_shadow_ray(const Shading& shading, ShadowContext& shadow);

// Each of these fills in the part and returns a geometry that is ready to be attached. The geometry keeps a pointer to
// `part`, which must outlive it and must not move.
EmbreeGeometry make_surface_part(RTCDevice device, const StageContents& contents, StagePart& part);
EmbreeGeometry make_grains_part(RTCDevice device, const StageContents& contents, StagePart& part);
EmbreeGeometry make_solid_part(RTCDevice device, const StageContents& contents, std::size_t collider,
                               StagePart& part);

// the position in the rest pose of a point of the solid, for patterns
Vec3<float> rest_position(const Solid& solid, const Vec3<float>& x);

}  // namespace dollop
