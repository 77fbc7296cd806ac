#include "run/disk_estimate.h"

#include <dollop/run.h>

#include <cmath>

#include "materials/registry.h"

namespace dollop {
namespace {

// numbers of an attribute of a particle
int components_of(const Scene& scene, const std::string& attribute) {
  if (attribute == "velocity") return 3;
  if (attribute == "stress" || attribute == "stretch") return 6;
  for (const Material& material : scene.materials) {
    const ModelInfo& model = models()[std::size_t(find_model(material.model))];
    for (const Column& column : model.columns_for(resolve_parameters(model, material.parameters).data()))
      if (column.name == attribute) return column.components;
  }
  return 1;
}

// bytes of a particle in a file of a format: docs/output.md
double particle_bytes(const std::string& format, double numbers) {
  constexpr double ids = 8;  // id and material
  if (format == "bgeo") return 16 + ids + 4 * numbers;
  if (format == "vtp") return 12 + 8 + ids + 4 + 4 * numbers;
  if (format == "ply") return 12 + ids + 4 * numbers;
  if (format == "usda") return 11 * (3 + 2 + numbers);  // digits and separators
  return 12 + ids + 4 * numbers;                        // vdb, hardly compressed
}

// bytes of a surface, from the particles near it
double surface_bytes(const std::string& format, double particles) {
  const double vertices = 8 * std::pow(particles, 2.0 / 3);
  return vertices * (format == "obj" || format == "usda" ? 110 : format == "vdb" ? 20 : 50);
}

// bytes of a surface mesh of a body in a file of a format: docs/output.md
double mesh_bytes(const std::string& format, const EmbeddedMesh& mesh) {
  const double vertices = double(mesh.point_of.size()), triangles = double(mesh.triangles.size());
  const double numbers = mesh.uv.empty() ? 9 : 11;
  if (format == "ply") return vertices * (4 * numbers + 8) + 13 * triangles;
  if (format == "obj") return vertices * (11 * (numbers - 3) + 8) + 40 * triangles;  // without velocities
  return vertices * (11 * numbers + 6) + 20 * triangles;
}

}  // namespace

double estimate_disk(const Scene& scene, double mean, double most, double state_bytes,
                     const PreviewPlan& pictures, const std::vector<BodySurface>& meshes) {
  constexpr double pixel_bytes = 0.5;  // of a PNG file
  double numbers = 0, frame = 1500;    // its line of metrics
  for (const std::string& attribute : scene.output.attributes)
    if (attribute != "id" && attribute != "material") numbers += components_of(scene, attribute);
  for (const std::string& format : scene.output.particles) frame += mean * particle_bytes(format, numbers);
  for (const std::string& format : scene.output.surface) frame += surface_bytes(format, mean);
  if (scene.output.preview) frame += pixel_bytes * pictures.width * pictures.height / pictures.every;
  double checkpoint = most * state_bytes;
  for (const BodySurface& surface : meshes) {
    for (const std::string& format : scene.output.surface_mesh) frame += mesh_bytes(format, surface.mesh);
    checkpoint += double(surface.mesh.points.size() * 2 * sizeof(Double3));
  }
  return (frame_count(scene.settings) + 1) * frame + 2 * checkpoint;
}

}  // namespace dollop
