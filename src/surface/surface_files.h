// The formats that surfaces are written in, and what a scene says of its surfaces.
#pragma once

#include <dollop/scene.h>

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "io/frame_notes.h"
#include "surface/surface.h"

namespace dollop {

struct SurfaceFormat {
  const char* name;       // in scene files
  const char* extension;  // with the dot
  void (*write)(const std::filesystem::path& file, const SurfaceMesh& mesh, double voxel,
                const FrameNotes& notes);
};

std::span<const SurfaceFormat> surface_formats();
const SurfaceFormat* find_surface_format(std::string_view name);  // nullptr: no such format

// Writes to a file that appears when it is complete; throws OutputError. A level set has voxels as wide as the cells
// that `options` give the mesh of `frame`.
void write_surface(const SurfaceFormat& format, const std::filesystem::path& file, const SurfaceMesh& mesh,
                   const ParticleFrame& frame, const SurfaceOptions& options, const FrameNotes& notes = {});

struct SurfaceMethodInfo {
  SurfaceMethod method;
  const char* name;  // in scene files
  const char* help;
};
std::span<const SurfaceMethodInfo> surface_methods();
const SurfaceMethodInfo* find_surface_method(std::string_view name);  // nullptr: no such method

// For each material of the scene whether it is part of the surface: not if it is shown as grains, or hidden.
std::vector<bool> surfaced_materials(const Scene& scene);

// The options for every frame of a run: its output.surface_method, its materials, and cells half as wide as its
// particles are apart when they are seeded, so that the mesh of a body at rest is the same in every frame.
SurfaceOptions surface_options(const Scene& scene);

}  // namespace dollop
