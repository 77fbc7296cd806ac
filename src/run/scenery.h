// What surrounds the material of a run, for other programs: the colliders as triangles, the camera, and the looks.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/frame_notes.h"
#include "io/surface_mesh.h"
#include "render/splat.h"
#include "run/run_cache.h"

namespace dollop {

class Scenery {
 public:
  // Reads some frames of the run: without a camera in the scene, the view is that of `dollop render`.
  explicit Scenery(const RunCache& cache);

  bool rests() const;  // whether no collider moves, changes, appears or vanishes
  // The colliders that are there at a frame, in their poses, with their velocities; the materials of the vertices are the numbers of the
  // colliders in the scene. Hidden colliders are left out, planes are cut off around the material.
  SurfaceMesh at(int frame) const;
  // Names and colours of the colliders in the place of those of materials.
  FrameNotes notes(int frame) const;

  // colliders.usda: a mesh with an animated transformation for each collider. Throws OutputError.
  void write_usda(const std::filesystem::path& file, const std::vector<int>& frames) const;
  std::string usda_camera() const;  // the prim of a USD camera

  // scene.json: the camera, and the looks of materials and colliders, in the numbers of the path tracer.
  void write_json(const std::filesystem::path& file) const;

 private:
  struct Part {
    std::size_t collider;   // its number in the scene
    std::string name;       // unique
    SurfaceMesh rest = {};  // at rest; that of the first frame if it changes
    bool moves, changes;
    bool stays;  // it is there from the beginning to the end
  };
  double time_of(int frame) const;
  SurfaceMesh rest_mesh(const Part& part, double time) const;

  const RunCache& cache_;
  PreviewView view_;
  Bounds around_;  // of the material over the run, with room to spare
  std::vector<Part> parts_;
};

}  // namespace dollop
