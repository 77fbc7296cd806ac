// The start of a run, examined without the memory that the run needs.
#pragma once

#include <dollop/scene.h>

namespace dollop {

struct RunStart {
  double particles;  // of the bodies
  bool counted;      // otherwise their number is estimated, good to a percent
  double dt;         // the first time step is at most this long [s]
};

// Sets the bodies up, those of more than a million particles with fewer of them: the time step depends on materials,
// cells and speeds, not on the number of particles. Throws the SceneErrors of a run, of all bodies.
RunStart examine_start(const Scene& scene);

}  // namespace dollop
