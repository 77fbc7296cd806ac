#include "render/embree.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <new>
#include <stdexcept>

namespace dollop {

EmbreeDevice start_embree() {
  EmbreeDevice device(rtcNewDevice(nullptr));
  if (!device)
    throw std::runtime_error(fmt::format("Embree does not start: error {}", int(rtcGetDeviceError(nullptr))));
  return device;
}

void build_bvh(RTCDevice device, RTCScene scene) {
  tbb::task_arena alone(1);
  alone.execute([&] { rtcCommitScene(scene); });
  const RTCError error = rtcGetDeviceError(device);
  if (error == RTC_ERROR_OUT_OF_MEMORY) throw std::bad_alloc();
  if (error != RTC_ERROR_NONE)
    throw std::runtime_error(fmt::format("Embree failed with error {}", int(error)));
}

}  // namespace dollop
