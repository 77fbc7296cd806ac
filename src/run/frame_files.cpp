#include "run/frame_files.h"

#include <dollop/run.h>

#include <algorithm>

#include "io/formats.h"
#include "io/mesh_usda.h"
#include "io/usda.h"
#include "run/run_export.h"

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
  return !output.particles.empty() || !output.surface.empty() || preview_;
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
  if (has(output.particles, "usda") || has(output.surface, "usda"))
    stage_.emplace(folder_.stage(), scene_.settings.frame_rate);
  earlier_ = frame;
}

void FrameFiles::write(const ParticleFrame& frame, int number) {
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
  const FrameNotes notes = frame_notes(scene_, number);
  const SurfaceMesh mesh = make_surface(frame, surface_);
  for (const std::string& name : scene_.output.surface) {
    const SurfaceFormat* format = find_surface_format(name);
    const auto path = folder_.frame("surface", number, format->extension);
    write_surface(*format, path, mesh, frame, surface_, notes);
    if (!stage_ || name != "usda") continue;
    const UsdaPrim prim = usda_mesh(mesh, notes);
    for (int k = 0; k <= earlier_; ++k) stage_->add(prim, k, folder_.frame("surface", k, format->extension));
    stage_->add(prim, number, path);
  }
}

}  // namespace dollop
