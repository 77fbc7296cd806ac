// Reads the folder of a run: its scene, its frames, its metrics. The run may still be in progress.
#pragma once

#include <dollop/run.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "io/surface_mesh.h"
#include "run/run_folder.h"
#include "surface/surface.h"

namespace dollop {

class RunCache {
 public:
  explicit RunCache(const std::filesystem::path& folder);  // throws RunError if there is no run
  RunCache(const RunFolder& folder, SceneFile file) : folder_(folder), file_(std::move(file)) {}

  const SceneFile& file() const { return file_; }
  const Scene& scene() const { return file_.scene; }
  const RunFolder& folder() const { return folder_; }

  // Numbers of the frames whose particle files exist now, in ascending order.
  std::vector<int> frames() const;
  // Reads a frame from .bgeo, .vtp or .ply, the first of them that can be read and holds what the scene can make, with
  // the surface meshes of bodies if their .ply file exists; throws RunError if none does.
  ParticleFrame particles(int frame) const;

  // The present lines of metrics.jsonl: values by the names of numbers, or of components such as "momentum.x". Throws RunError.
  std::vector<std::map<std::string, double>> metrics() const;

 private:
  std::vector<BodyMesh> meshes(int frame) const;

  RunFolder folder_;
  SceneFile file_;
};

// At most `count` equally spaced entries of a list, including its first and last.
std::vector<int> sample_of(const std::vector<int>& list, std::size_t count);

// Frames spread over the whole run, from which a view of it is chosen; of large frames fewer, for reading them is slow.
std::vector<ParticleFrame> frames_to_frame(const RunCache& cache);

// "all", "12", "0:30" or "0:30:2" (first, last, step), among `available`; throws std::invalid_argument otherwise.
std::vector<int> select_frames(const std::string& text, const std::vector<int>& available);

// The same for the option of a command; throws RunError, also if there are no frames at all.
std::vector<int> frames_asked(const RunCache& cache, const std::string& text);

// The surface method of this name; throws a RunError that begins with the name of the option and lists all methods.
SurfaceMethod method_asked(const std::string& option, const std::string& name);

}  // namespace dollop
