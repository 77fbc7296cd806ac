#include "surface/surface_files.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "io/mesh_obj.h"
#include "io/mesh_ply.h"
#include "io/mesh_usda.h"
#include "surface/material_looks.h"
#include "surface/surface_points.h"
#include "surface/vdb_level_set.h"

namespace dollop {
namespace {

template <void (*write)(AtomicFile& out, const SurfaceMesh& mesh, const FrameNotes& notes)>
void write_mesh(const std::filesystem::path& file, const SurfaceMesh& mesh, double, const FrameNotes& notes) {
  AtomicFile out(file);
  write(out, mesh, notes);
  out.commit();
}

void write_vdb(const std::filesystem::path& file, const SurfaceMesh& mesh, double voxel, const FrameNotes&) {
  write_level_set_vdb(file, mesh, voxel);
}

constexpr std::array formats{
    SurfaceFormat{"vdb", ".vdb", write_vdb},
    SurfaceFormat{"ply", ".ply", write_mesh<write_mesh_ply>},
    SurfaceFormat{"obj", ".obj", write_mesh<write_mesh_obj>},
    SurfaceFormat{"usda", ".usda", write_mesh<write_mesh_usda>},
};

constexpr std::array methods{
    SurfaceMethodInfo{SurfaceMethod::fast, "fast", "density of the particles: quick and even"},
    SurfaceMethodInfo{SurfaceMethod::smooth, "smooth", "OpenVDB's smooth spheres, filtered: rounder, slow"},
    SurfaceMethodInfo{SurfaceMethod::sharp, "sharp", "anisotropic kernels: edges, thin sheets and threads"},
};

template <class Table>
auto find_by_name(const Table& table, std::string_view name) {
  const auto it =
      std::find_if(table.begin(), table.end(), [&](const auto& entry) { return name == entry.name; });
  return it == table.end() ? nullptr : &*it;
}

bool is_surfaced(const Scene& scene, const std::string& material, const std::vector<bool>& surfaced) {
  for (std::size_t m = 0; m < scene.materials.size(); ++m)
    if (scene.materials[m].name == material) return surfaced[m];
  return false;
}

}  // namespace

std::span<const SurfaceFormat> surface_formats() { return formats; }
const SurfaceFormat* find_surface_format(std::string_view name) { return find_by_name(formats, name); }
std::span<const SurfaceMethodInfo> surface_methods() { return methods; }
const SurfaceMethodInfo* find_surface_method(std::string_view name) { return find_by_name(methods, name); }

void write_surface(const SurfaceFormat& format, const std::filesystem::path& file, const SurfaceMesh& mesh,
                   const ParticleFrame& frame, const SurfaceOptions& options, const FrameNotes& notes) {
  const double voxel = options.cell > 0 ? options.cell : collect_points(frame, options).spacing / 2;
  FrameNotes named = notes;
  if (!options.value.empty()) named.value = options.value;
  format.write(file, mesh, voxel, named);
}

std::vector<bool> surfaced_materials(const Scene& scene) {
  std::vector<bool> surfaced;
  for (const Material& material : scene.materials)
    surfaced.push_back(!hidden(look_of(material)) && !shown_as_grains(material));
  return surfaced;
}

SurfaceOptions surface_options(const Scene& scene) {
  SurfaceOptions options;
  if (const SurfaceMethodInfo* info = find_surface_method(scene.output.surface_method))
    options.method = info->method;
  options.surfaced = surfaced_materials(scene);
  double fewest = 0;  // smallest number of particles per cell
  const auto consider = [&](const std::string& material, double particles_per_cell) {
    if (is_surfaced(scene, material, options.surfaced) && particles_per_cell > 0)
      fewest = fewest > 0 ? std::min(fewest, particles_per_cell) : particles_per_cell;
  };
  for (const Body& body : scene.bodies) consider(body.material, body.particles_per_cell);
  for (const Emitter& emitter : scene.emitters) consider(emitter.material, emitter.particles_per_cell);
  if (fewest > 0) options.cell = scene.settings.cell_size / std::cbrt(fewest) / 2;
  return options;
}

}  // namespace dollop
