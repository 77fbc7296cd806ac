// VTK's XML files of particles (PolyData), and the list of them that ParaView opens as an animation. Layout:
// docs/output.md.
#pragma once

#include <dollop/simulation.h>

#include <filesystem>
#include <vector>

#include "io/atomic_file.h"
#include "io/frame_notes.h"
#include "io/surface_mesh.h"

namespace dollop {

void write_vtp(AtomicFile& out, const ParticleFrame& frame);

// The triangles of a mesh, with its normals, its velocities, and the number of the part that each point belongs to.
void write_mesh_vtp(AtomicFile& out, const SurfaceMesh& mesh, const FrameNotes& notes = {});

// A .pvd file, which lists the files of a time series. Every added frame rewrites it atomically.
class PvdCollection {
 public:
  struct Entry {
    double time;                 // [s]
    std::filesystem::path file;  // any path; stored relative to the folder of the collection
  };
  // `earlier`: existing frames of a resumed run
  explicit PvdCollection(std::filesystem::path file, std::vector<Entry> earlier = {});
  void add(double time, const std::filesystem::path& frame_file);  // throws OutputError
  void write() const;                                              // throws OutputError

 private:
  std::filesystem::path file_;
  std::vector<Entry> entries_;
};

}  // namespace dollop
