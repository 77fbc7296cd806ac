// A run's folder as it is read: its scene, its frames, its metrics. The run may still be going on.
#pragma once

#include <dollop/run.h>

#include <map>
#include <string>
#include <vector>

#include "io/surface_mesh.h"
#include "run/run_folder.h"
#include "surface/surface.h"

namespace dollop {

class RunCache {
 public:
  explicit RunCache(const std::filesystem::path& folder);  // throws RunError if there is no run

  const SceneFile& file() const { return file_; }
  const Scene& scene() const { return file_.scene; }
  const RunFolder& folder() const { return folder_; }

  // Numbers of the frames whose particles lie there now, in order.
  std::vector<int> frames() const;
  // Reads one, from .bgeo, .vtp or .ply, whichever is there, in this order; throws RunError if none is whole.
  ParticleFrame particles(int frame) const;

  // The lines of metrics.jsonl that are there now: names of numbers, and of components such as "momentum.x", to values.
  std::vector<std::map<std::string, double>> metrics() const;

 private:
  RunFolder folder_;
  SceneFile file_;
};

// "all", "12", "0:30" or "0:30:2" (first, last, step), among `available`; throws std::invalid_argument otherwise.
std::vector<int> select_frames(const std::string& text, const std::vector<int>& available);

// The same as a command is asked for it; throws RunError, also if there are no frames at all.
std::vector<int> frames_asked(const RunCache& cache, const std::string& text);

// How a surface is made, by its name; throws RunError that begins with the name of the option and lists those there are.
SurfaceMethod method_asked(const std::string& option, const std::string& name);

}  // namespace dollop
