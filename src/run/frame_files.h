// The files of one frame after the other: particles, surfaces, pictures, and the lists that name them.
#pragma once

#include <dollop/scene.h>

#include <optional>
#include <string>
#include <vector>

#include "io/usda_clips.h"
#include "io/vtp.h"
#include "render/splat.h"
#include "run/run_folder.h"
#include "surface/surface_files.h"

namespace dollop {

class FrameFiles {
 public:
  // `scene` must live as long. `first`: what the simulation starts from, from which the view is chosen.
  FrameFiles(const Scene& scene, RunFolder folder, const ParticleFrame& first);

  bool any() const;                             // whether frames have files at all
  std::vector<std::string> attributes() const;  // that frames must have
  bool pictures() const { return view_.has_value(); }

  // Frames up to this one are there already; -1: none.
  void go_on_after(int frame);
  // Throws OutputError.
  void write(const ParticleFrame& frame, int number);

 private:
  void write_particle_files(const ParticleFrame& frame, int number);
  void write_surface_files(const ParticleFrame& frame, int number);
  void write_picture(const ParticleFrame& frame, int number);

  const Scene& scene_;
  RunFolder folder_;
  SurfaceOptions surface_;
  std::optional<PreviewView> view_;
  std::optional<PvdCollection> collection_;
  std::optional<UsdaStage> stage_;
  int earlier_ = -1;  // frames that the stage does not know yet
};

}  // namespace dollop
