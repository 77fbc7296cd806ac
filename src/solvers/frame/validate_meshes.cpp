#include "solvers/frame/validate_meshes.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>
#include <string>

namespace dollop {
namespace {

std::set<std::string> materials_of(const Body& body) {
  std::set<std::string> materials{body.material};
  for (const Layer& layer : body.layers) materials.insert(layer.material);
  return materials;
}

// each material that is not inside a surface mesh, with one thing that is made of it, such as "bodies[2]"
std::map<std::string, std::string> materials_beside(const Scene& scene) {
  std::map<std::string, std::string> beside;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b)
    if (scene.bodies[b].surface_mesh.empty())
      for (const std::string& material : materials_of(scene.bodies[b]))
        beside.emplace(material, fmt::format("bodies[{}]", b));
  for (std::size_t e = 0; e < scene.emitters.size(); ++e)
    beside.emplace(scene.emitters[e].material, fmt::format("emitters[{}]", e));
  return beside;
}

}  // namespace

void validate_meshes(const Scene& scene) {
  const std::map<std::string, std::string> beside = materials_beside(scene);
  bool any = false;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const Body& body = scene.bodies[b];
    const std::string where = fmt::format("bodies[{}].surface_", b);
    if (!std::isfinite(body.surface_edge) || body.surface_edge < 0)
      throw SceneError("surface_edge must be a length, or 0", where + "edge");
    if (body.surface_mesh.empty()) continue;
    any = true;
    if (body.surface_mesh.find('\0') != std::string::npos)
      throw SceneError("the name of the mesh file contains a character that no file name has",
                       where + "mesh");
    for (const std::string& material : materials_of(body))
      if (const auto other = beside.find(material); other != beside.end())
        throw SceneError(
            fmt::format(
                "'{0}' is also the material of {1}, which has no surface mesh; a material is shown by its "
                "surface meshes or by its particles, not both: give {1} a material of its own, a copy of "
                "[materials.{0}] with another name, or {2}",
                material, other->second,
                other->second[0] == 'b' ? "a surface_mesh too" : "this body no surface_mesh"),
            where + "mesh");
  }
  if (any && beside.empty() && !scene.output.surface.empty())
    throw SceneError(
        "every body has a surface_mesh, so that no material is left for a surface made from particles; "
        "remove "
        "'surface', or the surface_mesh of a body: the formats of surface meshes are output.surface_mesh",
        "output.surface");
}

}  // namespace dollop
