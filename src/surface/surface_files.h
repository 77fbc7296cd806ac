// The file formats of surfaces, and the surface options of a scene.
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

// Writes an AtomicFile; throws OutputError. The voxels of a level set are as wide as the mesh's cells.
void write_surface(const SurfaceFormat& format, const std::filesystem::path& file, const SurfaceMesh& mesh,
                   const ParticleFrame& frame, const SurfaceOptions& options, const FrameNotes& notes = {});

struct SurfaceMethodInfo {
  SurfaceMethod method;
  const char* name;  // in scene files
  const char* help;
};
std::span<const SurfaceMethodInfo> surface_methods();
const SurfaceMethodInfo* find_surface_method(std::string_view name);  // nullptr: no such method

// For each material of the scene, whether it is part of the surface: not if it is shown as grains or hidden.
std::vector<bool> surfaced_materials(const Scene& scene);

// The options for every frame of a run: output.surface_method, the surfaced materials, and cells of half the initial
// particle spacing, so that the mesh of a body at rest is the same in every frame.
SurfaceOptions surface_options(const Scene& scene);

}  // namespace dollop
