// The parts of a stage: one geometry of Embree each.
#pragma once

#include <embree3/rtcore.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "render/tracer/stage.h"

namespace dollop {

// Which rays see a part.
enum PartMask : unsigned { mask_solid = 1, mask_pane = 2 };

// What a shadow ray carries along.
struct ShadowContext {
  RTCIntersectContext context;  // first: Embree knows this part only
  Vec3<float> passing{1, 1, 1};
};

struct StagePart {
  enum class Kind { surface, grains, solid_mesh, solid_field };
  Kind kind = Kind::surface;
  bool pane = false;     // stands before the material: drawn as a thin pane, casts no shadow
  bool clear = false;    // some of it lets light pass
  Shading shading = {};  // of solids

  // the surface
  const SurfaceMesh* mesh = nullptr;
  const std::vector<Shading>* materials = nullptr;

  // grains
  std::vector<std::uint32_t> particle = {};  // index into the frame of each

  // solids
  std::vector<Vec3<float>> normals = {};  // of each vertex, where it stands at the middle of the shutter
  std::vector<std::array<std::uint32_t, 3>> triangles = {};
  std::vector<Solid> poses = {};  // at equal times while the shutter is open; the middle one if it rests
  float mark_size = 1;            // of its pattern [m]

  const Solid& pose_at_time(float time) const;            // time in [0, 1]
  const Shading& shading_at(std::uint32_t vertex) const;  // of the surface
};

// A shadow ray goes on behind what is clear, in its colour, and ends at what is not: whether it goes on.
bool pass_light(const Shading& shading, ShadowContext& shadow);

// Embree's objects, released when they go.
struct EmbreeRelease {
  void operator()(RTCDevice device) const { rtcReleaseDevice(device); }
  void operator()(RTCScene scene) const { rtcReleaseScene(scene); }
  void operator()(RTCGeometry geometry) const { rtcReleaseGeometry(geometry); }
};
using EmbreeDevice = std::unique_ptr<RTCDeviceTy, EmbreeRelease>;
using EmbreeScene = std::unique_ptr<RTCSceneTy, EmbreeRelease>;
using EmbreeGeometry = std::unique_ptr<RTCGeometryTy, EmbreeRelease>;

// All of these make a geometry that is ready to be attached and fill in the part. `part` must stay where it is as long
// as the geometry lives.
EmbreeGeometry make_surface_part(RTCDevice device, const StageContents& contents, StagePart& part);
EmbreeGeometry make_grains_part(RTCDevice device, const StageContents& contents, StagePart& part);
EmbreeGeometry make_solid_part(RTCDevice device, const StageContents& contents, std::size_t collider,
                               StagePart& part);

// the place of a body's point at rest, for patterns
Vec3<float> place_at_rest(const Solid& solid, const Vec3<float>& x);

}  // namespace dollop
