// Turns the frames of a run into files for other programs. Which program reads what: docs/exports.md.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "io/frame_notes.h"
#include "run/run_cache.h"

namespace dollop {

struct ExportOptions {
  std::vector<std::string> formats = {};     // of particles, and of surfaces
  std::vector<int> frames = {};              // frame numbers in ascending order
  std::vector<std::string> attributes = {};  // attributes to export; empty: all that the frames have
  bool surface = false;                      // whether to export the surface too, in formats that support it
  bool colliders = false;  // whether to export the colliders too, with the camera and the looks
  std::filesystem::path folder = {};
  std::function<void(int done, int frames)> progress = {};
};

struct ExportReport {
  int frames = 0;
  std::size_t files = 0;
  std::uintmax_t bytes = 0;
  std::vector<std::string> attributes = {};      // of the first frame
  std::vector<std::filesystem::path> open = {};  // the files to open in other programs: a stage, a collection
};

// Names of formats that export_run() knows: of particles, and of surfaces.
std::vector<std::string> export_formats();

// The metadata that the files of a frame may hold besides its particles.
FrameNotes frame_notes(const Scene& scene, int frame);

// Names of all attributes of a frame except "position".
std::vector<std::string> attribute_names(const ParticleFrame& frame);

// Throws RunError: before anything is written if the options cannot be met, later if a file cannot be read or written.
ExportReport export_run(const RunCache& cache, const ExportOptions& options);

}  // namespace dollop
