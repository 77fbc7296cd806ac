// Collects the worst of a run's frames, for its last lines.
#pragma once

#include <dollop/run.h>

#include <map>
#include <string>
#include <vector>

#include "io/metrics.h"

namespace dollop {

class SummaryTracker {
 public:
  using Line = std::map<std::string, double>;  // as from read_metrics()

  void add(const FrameRecord& record);
  // Replays the frames up to `last_frame` of a run that is resumed.
  void replay(const std::vector<Line>& lines, int last_frame);
  // The summary of a run of this scene that has taken so long [s].
  RunSummary result(const SceneFile& file, double seconds) const;

 private:
  // The first frame in which the surface mesh of a body spans gaps in the material.
  struct TornMesh {
    std::int64_t frame;
    double time, part;  // [s]; of its edges
  };
  std::string volume_warning(const SceneFile& file, const Material& material) const;
  std::string mesh_warning(const SceneFile& file, int body, const TornMesh& torn) const;

  RunSummary summary_;
  std::map<std::string, std::vector<double>> volume_changes_;  // of each frame, by material
  std::map<int, TornMesh> torn_meshes_;                        // by body
};

// The part of the edges of a surface mesh that span gaps beyond which a run warns: a single edge between pieces that have
// parted does not spoil a picture.
inline constexpr double much_of_a_mesh = 1e-3;

// A lasting change of volume beyond which a run warns: mean of |J - 1| over the particles that are not torn.
inline constexpr double much_volume_change = 0.03;

}  // namespace dollop
