// Writes the files of each frame: particles, surfaces, pictures, and the files that list them.
#pragma once

#include <dollop/scene.h>

#include <optional>
#include <string>
#include <vector>

#include "io/usda_clips.h"
#include "io/vtp.h"
#include "run/preview.h"
#include "run/run_folder.h"
#include "surface/surface_files.h"

namespace dollop {

class FrameFiles {
 public:
  // `scene` must outlive this object. `first` is the initial state of the simulation, for the preview, and `stable_dt` its
  // time step.
  FrameFiles(const Scene& scene, RunFolder folder, const ParticleFrame& first, double stable_dt);

  bool any() const;                                               // whether any files are written for a frame
  std::vector<std::string> attributes() const;                    // attributes that write() needs
  Preview* preview() { return preview_ ? &*preview_ : nullptr; }  // null: there are no pictures

  // Prepares to continue after a frame: the files of frames up to this one exist already; -1: none do.
  void go_on_after(int frame);
  // Throws OutputError.
  void write(const ParticleFrame& frame, int number);

 private:
  void write_particle_files(const ParticleFrame& frame, int number);
  void write_surface_files(const ParticleFrame& frame, int number);
  bool writes_meshes() const;  // of bodies
  void write_mesh_files(const ParticleFrame& frame, int number);
  void list_in_stage(const std::string& format, const SurfaceMesh& mesh, const char* stem, int number);

  const Scene& scene_;
  RunFolder folder_;
  SurfaceOptions surface_;
  std::optional<Preview> preview_;
  std::optional<PvdCollection> collection_;
  std::optional<UsdaStage> stage_;
  int earlier_ = -1;  // the last of the earlier frames, which the stage does not list yet; -1: none
};

}  // namespace dollop
