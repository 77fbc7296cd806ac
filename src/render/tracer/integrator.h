// The path tracing integrator: it estimates the radiance along a camera ray, with next-event estimation of the lamp at
// every bounce.
#pragma once

#include "render/tracer/lights.h"
#include "render/tracer/sampling.h"
#include "render/tracer/stage.h"

namespace dollop {

// One sample of a pixel: its radiance, and the features of the first hit that guide the denoiser.
struct PathSample {
  Vec3<float> radiance{0, 0, 0};
  Vec3<float> albedo{0, 0, 0};  // of the first hit; the radiance itself where the ray sees the backdrop
  Vec3<float> normal{0, 0, 0};
  float depth = 0;  // distance to the first hit; the backdrop has a large finite depth
};

PathSample trace_path(const Stage& stage, const Lights& lights, const TracedRay& ray, Sampler& sampler);

}  // namespace dollop
