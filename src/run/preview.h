// The pictures of a run in progress, and their movie.
#pragma once

#include <dollop/run.h>

#include <functional>

#include "render/splat.h"
#include "run/preview_plan.h"
#include "run/run_cache.h"

namespace dollop {

class Preview {
 public:
  // `scene` must outlive this object. `first` is the initial state of the simulation, from which the view is chosen, and
  // `stable_dt` its time step.
  Preview(const Scene& scene, RunFolder folder, const ParticleFrame& first, double stable_dt);

  bool draws(int frame) const { return frame % plan_.every == 0; }
  void draw(const ParticleFrame& frame, int number);  // throws OutputError

  // When the frames up to `last` are there: chooses a better view if the first one does not show where the material went,
  // and draws all pictures that have another view again. Returns false if it was interrupted before they were all drawn.
  // Throws OutputError, and RunError if a frame cannot be read.
  bool finish(const RunCache& cache, int last, const std::function<bool()>& interrupted);
  void make_movie(int last) const;  // throws std::runtime_error

  const PreviewReport& report() const { return report_; }

 private:
  std::filesystem::path picture(int frame) const { return folder_.frame("preview", frame, ".png"); }
  void choose_view(const RunCache& cache);

  const Scene& scene_;
  RunFolder folder_;
  PreviewPlan plan_;
  PreviewView view_;
  std::string view_name_;  // its fingerprint, which every picture notes
  PreviewReport report_ = {};
};

}  // namespace dollop
