// Finished pictures of frames, path traced. How it is done: docs/pictures.md.
#pragma once

#include "render/image.h"
#include "render/tracer/lights.h"
#include "render/tracer/stage.h"

namespace dollop {

struct TracerOptions {
  int samples = 16;  // for each pixel
  bool denoise = true;
  std::optional<Vec3<float>> uniform_sky =
      {};  // light of this radiance from everywhere instead of the studio's
};

// The picture in linear light; the same bits at any number of threads.
Image trace_picture(const StageContents& contents, const TracerOptions& options);

}  // namespace dollop
