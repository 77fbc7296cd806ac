// Path-traced pictures of frames. Description: docs/pictures.md.
#pragma once

#include "render/image.h"
#include "render/tracer/lights.h"
#include "render/tracer/stage.h"

namespace dollop {

struct TracerOptions {
  int samples = 16;  // per pixel
  bool denoise = true;
  std::optional<Vec3<float>> uniform_sky =
      {};  // radiance from all directions that replaces the studio lights
};

// The picture in linear RGB; the same bits at any number of threads.
Image trace_picture(const StageContents& contents, const TracerOptions& options);

}  // namespace dollop
