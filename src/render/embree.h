// Owners of Embree's objects.
#pragma once

#include <embree3/rtcore.h>

#include <memory>

namespace dollop {

struct EmbreeRelease {
  void operator()(RTCDevice device) const { rtcReleaseDevice(device); }
  void operator()(RTCScene scene) const { rtcReleaseScene(scene); }
  void operator()(RTCGeometry geometry) const { rtcReleaseGeometry(geometry); }
};
using EmbreeDevice = std::unique_ptr<RTCDeviceTy, EmbreeRelease>;
using EmbreeScene = std::unique_ptr<RTCSceneTy, EmbreeRelease>;
using EmbreeGeometry = std::unique_ptr<RTCGeometryTy, EmbreeRelease>;

// Throws std::runtime_error if Embree does not start.
EmbreeDevice start_embree();

// Builds the BVH on one thread: it is then the same for any number of threads, and a ray that hits the common edge of
// two triangles always reports the same one. Throws std::bad_alloc or std::runtime_error.
void build_bvh(RTCDevice device, RTCScene scene);

}  // namespace dollop
