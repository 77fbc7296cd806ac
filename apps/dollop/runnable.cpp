#include "runnable.h"

namespace dollop {

SceneFile read_runnable(const std::string& path, const std::vector<std::string>& overrides) {
  SceneFile file = read_scene(path, overrides);
  if (file.scene.bodies.empty() && file.scene.emitters.empty()) {
    const SceneError nothing("there is nothing to simulate: a scene needs [[bodies]] or [[emitters]]",
                             "simulation");
    throw SceneError(explain(file, nothing));
  }
  return file;
}

}  // namespace dollop
