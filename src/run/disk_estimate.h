// The disk space that a run takes.
#pragma once

#include <vector>

#include "run/preview_plan.h"
#include "solvers/setup/setup.h"

namespace dollop {

// [bytes]; `mean`: particles of a frame on average, `most`: at the end, `state_bytes`: of a particle in a checkpoint,
// `pictures`: those that previews are drawn as, `meshes`: the surface meshes of bodies.
// Particle files in binary formats are exact, the rest is good to a factor of two.
double estimate_disk(const Scene& scene, double mean, double most, double state_bytes,
                     const PreviewPlan& pictures, const std::vector<BodySurface>& meshes);

}  // namespace dollop
