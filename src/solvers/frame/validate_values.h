// Values that change in time, looked at over a whole run before it begins.
#pragma once

#include <dollop/scene.h>

namespace dollop {

// Throws SceneError, with the key in `where`, if an expression has no finite value, or the speed of an emitter a
// negative one, at one of a thousand times of the run.
void validate_values(const Scene& scene);

// Whether all that a step to this time needs has a value there: poses and surfaces of
// the colliders, which may be more than those of the scene, gravity and emitters.
bool has_values(const Scene& scene, const std::vector<Collider>& colliders, double time);

}  // namespace dollop
