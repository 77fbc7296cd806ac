#include "run/frame_files.h"

#include <dollop/run.h>

#include <algorithm>

#include "io/body_mesh.h"
#include "io/formats.h"
#include "io/mesh_usda.h"
#include "io/usda.h"
#include "run/run_export.h"
#include "surface/visible_surface.h"

namespace dollop {
namespace {

bool has(const std::vector<std::string>& list, const char* word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace

FrameFiles::FrameFiles(const Scene& scene, RunFolder folder, const ParticleFrame& first, double stable_dt)
    : scene_(scene), folder_(std::move(folder)), surface_(surface_options(scene)) {
  if (scene.output.preview) preview_.emplace(scene, folder_, first, stable_dt);
}

bool FrameFiles::any() const {
  const Output& output = scene_.output;
  return !output.particles.empty() || !output.surface.empty() || preview_ || writes_meshes();
}

bool FrameFiles::writes_meshes() const {
  const auto has_mesh = [](const Body& body) { return !body.surface_mesh.empty(); };
  return !scene_.output.surface_mesh.empty() &&
         std::any_of(scene_.bodies.begin(), scene_.bodies.end(), has_mesh);
}

std::vector<std::string> FrameFiles::attributes() const {
  std::vector<std::string> names = scene_.output.attributes;
  const auto need = [&](const char* name) {
    if (!has(names, name)) names.emplace_back(name);
  };
  const bool surface = !scene_.output.surface.empty();
  if (preview_ || surface) need("volume");
  if (surface) need("J");
  if (surface) need("velocity");
  return names;
}

void FrameFiles::go_on_after(int frame) {
  const Output& output = scene_.output;
  if (has(output.particles, "vtp")) {
    std::vector<PvdCollection::Entry> earlier;
    for (int k = 0; k <= frame; ++k)
      earlier.push_back({frame_time(scene_.settings, k), folder_.frame("particles", k, ".vtp")});
    collection_.emplace(folder_.collection(), earlier);
  }
  if (has(output.particles, "usda") || has(output.surface, "usda") ||
      (writes_meshes() && has(output.surface_mesh, "usda")))
    stage_.emplace(folder_.stage(), scene_.settings.frame_rate);
  earlier_ = frame;
}

void FrameFiles::write(const ParticleFrame& frame, int number) {
  if (writes_meshes())
    write_mesh_files(frame, number);  // first: a frame counts as complete when its particles are there
  write_particle_files(frame, number);
  write_surface_files(frame, number);
  if (stage_) stage_->write();
  earlier_ = -1;
  if (preview_ && preview_->draws(number)) preview_->draw(frame, number);
}

void FrameFiles::write_particle_files(const ParticleFrame& frame, int number) {
  const FrameNotes notes = frame_notes(scene_, number);
  for (const std::string& name : scene_.output.particles) {
    const ParticleFormat* format = find_particle_format(name);
    const auto path = folder_.frame("particles", number, format->extension);
    write_particles(*format, path, frame, notes);
    if (collection_ && name == "vtp") collection_->add(frame.time, path);
    if (!stage_ || name != "usda") continue;
    const UsdaPrim prim = usda_particles(frame, notes);
    for (int k = 0; k <= earlier_; ++k)
      stage_->add(prim, k, folder_.frame("particles", k, format->extension));
    stage_->add(prim, number, path);
  }
}

void FrameFiles::write_surface_files(const ParticleFrame& frame, int number) {
  if (scene_.output.surface.empty()) return;
  const SurfaceOptions options = beside_meshes(scene_, frame, surface_);
  const SurfaceMesh mesh = make_surface(frame, options);
  for (const std::string& name : scene_.output.surface) {
    const SurfaceFormat* format = find_surface_format(name);
    const auto path = folder_.frame("surface", number, format->extension);
    write_surface(*format, path, mesh, frame, options, frame_notes(scene_, number));
    list_in_stage(name, mesh, "surface", number);
  }
}

void FrameFiles::write_mesh_files(const ParticleFrame& frame, int number) {
  const SurfaceMesh mesh = join_meshes(scene_, frame.meshes, frame.time);
  for (const std::string& name : scene_.output.surface_mesh) {
    const SurfaceFormat* format = find_surface_format(name);
    format->write(folder_.frame("mesh", number, format->extension), mesh, 0, frame_notes(scene_, number));
    list_in_stage(name, mesh, "mesh", number);
  }
}

// adds a file of this frame, and those of earlier frames, to the stage
void FrameFiles::list_in_stage(const std::string& format, const SurfaceMesh& mesh, const char* stem,
                               int number) {
  if (!stage_ || format != "usda") return;
  const UsdaPrim prim = usda_mesh(mesh, frame_notes(scene_, number));
  for (int k = 0; k <= earlier_; ++k) stage_->add(prim, k, folder_.frame(stem, k, ".usda"));
  stage_->add(prim, number, folder_.frame(stem, number, ".usda"));
}

}  // namespace dollop
