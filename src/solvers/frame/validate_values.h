// Checks values that change in time over the whole run, before it begins.
#pragma once

#include <dollop/scene.h>

namespace dollop {

// Evaluates every expression at a thousand times of the run. Throws SceneError, with the key in `where`, if a value is
// not finite or the speed of an emitter is negative.
void validate_values(const Scene& scene);

// Whether all quantities that a step to this time needs have a value there: gravity, emitters, and the poses and
// surfaces of the colliders, which may be more than those of the scene.
bool has_values(const Scene& scene, const std::vector<Collider>& colliders, double time);

}  // namespace dollop
