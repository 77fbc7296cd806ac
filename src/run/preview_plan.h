// How large the preview pictures of a run are, and how many frames get one.
#pragma once

#include <dollop/scene.h>

namespace dollop {

struct PreviewPlan {
  int width = 640, height = 360;  // [pixels]
  int every = 1;                  // frames for one picture
};

// The best pictures whose drawing takes at most output.preview_share of the time of the run's steps, as estimated from the
// scene alone, so that a resumed run has the same pictures. At least five frames get one.
PreviewPlan plan_preview(const Scene& scene, double stable_dt);

// seconds of one core for all pictures of the run; `particles`: of its last frame
double preview_seconds(const Scene& scene, const PreviewPlan& plan, double particles);

}  // namespace dollop
