#include "run/run_export.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "io/body_mesh.h"
#include "io/formats.h"
#include "io/mesh_obj.h"
#include "io/mesh_ply.h"
#include "io/mesh_usda.h"
#include "io/usda.h"
#include "io/usda_clips.h"
#include "io/vtp.h"
#include "render/palette.h"
#include "run/scenery.h"
#include "surface/surface_files.h"
#include "surface/visible_surface.h"

namespace dollop {
namespace fs = std::filesystem;

namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// drops attributes that are not wanted; throws if one that is wanted is missing
void keep_attributes(const std::vector<std::string>& wanted, ParticleFrame& frame) {
  if (wanted.empty()) return;
  const std::vector<std::string> held = attribute_names(frame);
  for (const std::string& name : wanted)
    if (!contains(held, name))
      throw RunError(
          fmt::format("the frames of this run hold no '{}'; they hold {}. To have it, add it to "
                      "output.attributes of the scene and run it again",
                      name, fmt::join(held, ", ")));
  std::erase_if(frame.attributes, [&](const Attribute& a) { return !contains(wanted, a.name); });
  if (!contains(wanted, "id")) frame.id.clear();
  if (!contains(wanted, "material")) frame.material.clear();
}

// A format of colliders that has a file for each frame.
struct ColliderFormat {
  const char* name;
  const char* extension;
  void (*write)(AtomicFile& out, const SurfaceMesh& mesh, const FrameNotes& notes);
};
constexpr ColliderFormat collider_formats[] = {
    {"ply", ".ply", write_mesh_ply}, {"obj", ".obj", write_mesh_obj}, {"vtp", ".vtp", write_mesh_vtp}};

bool holds_colliders(const std::string& name) {
  const auto is_it = [&](const ColliderFormat& format) { return name == format.name; };
  return name == "usda" || std::any_of(std::begin(collider_formats), std::end(collider_formats), is_it);
}

// Writes the files of one export and counts them.
class Exporter {
 public:
  Exporter(const RunCache& cache, const ExportOptions& options)
      : cache_(cache), options_(options), surface_(surface_options(cache.scene())) {
    const double rate = cache.scene().settings.frame_rate;
    if (contains(options.formats, "usda")) stage_.emplace(options.folder / "run.usda", rate);
    if (contains(options.formats, "vtp")) collection_.emplace(options.folder / "particles.pvd");
  }

  ExportReport run() {
    make_folder(options_.folder);
    for (const int number : options_.frames) {
      export_frame(number);
      ++report_.frames;
      if (options_.progress) options_.progress(report_.frames, int(options_.frames.size()));
    }
    if (options_.colliders) export_colliders();
    if (stage_) {
      stage_->write();
      count(stage_->manifest());
      report_.open.push_back(options_.folder / "run.usda");
    }
    if (collection_) report_.open.push_back(options_.folder / "particles.pvd");
    for (const fs::path& file : report_.open) count(file);
    return report_;
  }

 private:
  void export_frame(int number) {
    ParticleFrame frame = cache_.particles(number);
    const FrameNotes notes = frame_notes(cache_.scene(), number);
    if (options_.surface) export_surface(frame, number, notes);
    keep_attributes(options_.attributes, frame);
    if (report_.frames == 0) report_.attributes = attribute_names(frame);
    for (const std::string& name : options_.formats) {
      const ParticleFormat* format = find_particle_format(name);
      if (format == nullptr) continue;
      const fs::path file = path_of("particles", number, format->extension);
      write_particles(*format, file, frame, notes);
      count(file);
      if (name == "usda") stage_->add(usda_particles(frame, notes), number, file);
      if (name == "vtp") collection_->add(frame.time, file);
    }
  }

  // the surface meshes of bodies, and the surface of materials that have none
  void export_surface(const ParticleFrame& frame, int number, const FrameNotes& notes) {
    const SurfaceOptions beside = beside_meshes(cache_.scene(), frame, surface_);
    const auto save = [&](const SurfaceMesh& mesh, const char* stem, auto&& write) {
      for (const std::string& name : options_.formats) {
        const SurfaceFormat* format = find_surface_format(name);
        if (format == nullptr || (!mesh.body.empty() && name == "vdb")) continue;
        const fs::path file = path_of(stem, number, format->extension);
        write(*format, file);
        count(file);
        if (name == "usda") stage_->add(usda_mesh(mesh, notes), number, file);
      }
    };
    if (!frame.meshes.empty()) {
      const SurfaceMesh mesh = join_meshes(cache_.scene(), frame.meshes, frame.time);
      save(mesh, "mesh",
           [&](const SurfaceFormat& format, const fs::path& file) { format.write(file, mesh, 0, notes); });
    }
    if (!frame.meshes.empty() && !any_surfaced(beside)) return;
    const SurfaceMesh mesh = make_surface(frame, beside);
    save(mesh, "surface", [&](const SurfaceFormat& format, const fs::path& file) {
      write_surface(format, file, mesh, frame, beside, notes);
    });
  }

  void export_colliders() {
    const Scenery scenery(cache_);
    scenery.write_json(options_.folder / "scene.json");
    count(options_.folder / "scene.json");
    for (const std::string& name : options_.formats) {
      if (name == "usda") {
        const fs::path file = options_.folder / "colliders.usda";
        scenery.write_usda(file, options_.frames);
        count(file);
        stage_->add_text(scenery.usda_camera());
        stage_->add_text(
            "    def \"colliders\" (\n        prepend references = @./colliders.usda@\n    )\n    {\n    "
            "}\n");
      }
      for (const ColliderFormat& format : collider_formats)
        if (name == format.name) export_colliders(scenery, format);
    }
  }

  // a file for each frame, or a single one if nothing moves
  void export_colliders(const Scenery& scenery, const ColliderFormat& format) {
    std::optional<PvdCollection> collection;
    if (std::string(format.name) == "vtp") collection.emplace(options_.folder / "colliders.pvd");
    for (const int frame : options_.frames) {
      const fs::path file = scenery.rests() ? options_.folder / (std::string("colliders") + format.extension)
                                            : path_of("colliders", frame, format.extension);
      if (!scenery.rests() || frame == options_.frames.front()) {
        AtomicFile out(file);
        format.write(out, scenery.at(frame), scenery.notes(frame));
        out.commit();
        count(file);
      }
      if (collection) collection->add(frame_time(cache_.scene().settings, frame), file);
    }
    if (collection) report_.open.push_back(options_.folder / "colliders.pvd");
  }

  fs::path path_of(const char* stem, int number, const char* extension) const {
    return options_.folder / fmt::format("{}.{:04d}{}", stem, number, extension);
  }
  void count(const fs::path& file) {
    ++report_.files;
    report_.bytes += fs::file_size(file);
  }

  const RunCache& cache_;
  const ExportOptions& options_;
  SurfaceOptions surface_;
  std::optional<UsdaStage> stage_;
  std::optional<PvdCollection> collection_;
  ExportReport report_;
};

bool same_folder(const fs::path& a, const fs::path& b) {
  std::error_code error;
  // a path through a missing folder leads to the same place once the folder is made
  const auto plain = [&](const fs::path& p) { return fs::weakly_canonical(p, error) / ""; };
  return fs::equivalent(a, b, error) || plain(a) == plain(b);
}

// an export has files of the same names as the run, with possibly less in them
void require_other_folder(const RunFolder& run, const fs::path& folder) {
  for (const fs::path& own : {run.path, run.frames(), run.checkpoints()})
    if (same_folder(folder, own))
      throw RunError(
          fmt::format("'{}' is a folder of the run itself, whose files an export would replace; choose "
                      "another with -o",
                      folder.string()));
}

void check(const RunCache& cache, const ExportOptions& options) {
  require_other_folder(cache.folder(), options.folder);
  if (options.formats.empty()) throw RunError("no format to export to: give some with --to");
  bool has_mesh = false;
  for (const std::string& name : options.formats) {
    has_mesh = has_mesh || find_surface_format(name) != nullptr;
    if (find_particle_format(name) != nullptr) continue;
    if (find_surface_format(name) == nullptr)
      throw RunError(fmt::format("'{}' is not a format to export to; there are {}", name,
                                 fmt::join(export_formats(), ", ")));
    if (!options.surface && !(options.colliders && holds_colliders(name)))
      throw RunError(fmt::format("a .{} file holds a surface and no particles: add --surface", name));
  }
  if (options.colliders && std::none_of(options.formats.begin(), options.formats.end(), holds_colliders))
    throw RunError(
        "none of these formats holds colliders: add usda, ply, obj or vtp to --to, or leave out --colliders");
  if (options.surface && !has_mesh)
    throw RunError(
        "none of these formats holds a surface: add vdb, ply, obj or usda to --to, or leave out --surface");
  if (options.frames.empty())
    throw RunError(fmt::format(
        "'{}' holds no frames of particles in a format that is read (bgeo, vtp, ply): there is nothing "
        "to export",
        cache.folder().path.string()));
  if (options.attributes.empty()) return;
  ParticleFrame first = cache.particles(options.frames.front());
  keep_attributes(options.attributes, first);
}

}  // namespace

std::vector<std::string> export_formats() {
  std::vector<std::string> names;
  for (const ParticleFormat& format : particle_formats()) names.emplace_back(format.name);
  for (const SurfaceFormat& format : surface_formats())
    if (!contains(names, format.name)) names.emplace_back(format.name);
  return names;
}

FrameNotes frame_notes(const Scene& scene, int frame) {
  FrameNotes notes;
  notes.frame = frame;
  notes.frame_rate = scene.settings.frame_rate;
  for (const Material& material : scene.materials) notes.materials.push_back(material.name);
  for (const Appearance& appearance : choose_appearances(scene.materials))
    notes.colors.push_back(appearance.albedo);
  // the diameter of a ball with an eighth of a cell's volume
  notes.width = scene.settings.cell_size * std::cbrt(6 / (8 * 3.141592653589793));
  return notes;
}

std::vector<std::string> attribute_names(const ParticleFrame& frame) {
  std::vector<std::string> names;
  for (const Attribute& attribute : frame.attributes) names.push_back(attribute.name);
  if (!frame.id.empty()) names.emplace_back("id");
  if (!frame.material.empty()) names.emplace_back("material");
  return names;
}

ExportReport export_run(const RunCache& cache, const ExportOptions& options) {
  check(cache, options);
  try {
    return Exporter(cache, options).run();
  } catch (const OutputError& error) {
    throw RunError(error.what());
  }
}

}  // namespace dollop
