// The light that a ray of the camera brings home: path tracing with the lamp sampled at every diffuse place.
#pragma once

#include "render/tracer/lights.h"
#include "render/tracer/sampling.h"
#include "render/tracer/stage.h"

namespace dollop {

// One sample of a pixel: its light, and what guides the denoiser.
struct PathSample {
  Vec3<float> light{0, 0, 0};
  Vec3<float> albedo{0, 0, 0};  // of what is seen; the light itself where that is the backdrop
  Vec3<float> normal{0, 0, 0};
  float depth = 0;  // the backdrop is very far, not infinitely so
};

PathSample trace_path(const Stage& stage, const Lights& lights, const TracedRay& ray, Sampler& sampler);

}  // namespace dollop
