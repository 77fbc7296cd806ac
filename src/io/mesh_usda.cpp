#include "io/mesh_usda.h"

#include <utility>
#include <vector>

#include "io/mesh_columns.h"
#include "io/usda_materials.h"

namespace dollop {

namespace {

static_assert(sizeof(Vec3<float>) == 3 * sizeof(float));
static_assert(sizeof(std::array<std::uint32_t, 3>) == 3 * sizeof(std::uint32_t));

UsdaAttribute vectors(const char* type, const char* name, std::vector<std::string> metadata,
                      const std::vector<Vec3<float>>& values) {
  return {type, name, std::move(metadata), [&values](AtomicFile& out) {
            write_usda_array(out, reinterpret_cast<const float*>(values.data()), values.size(), 3);
          }};
}

}  // namespace

UsdaPrim usda_mesh(const SurfaceMesh& mesh, const FrameNotes& notes) {
  const std::size_t count = count_vertices(mesh);
  UsdaPrim prim{"Mesh", mesh.body.empty() ? "surface" : "meshes"};
  prim.fixed = {"uniform token orientation = \"rightHanded\"", "uniform token subdivisionScheme = \"none\""};
  prim.sampled.push_back(usda_extent(reinterpret_cast<const float*>(mesh.positions.data()), count, 0));
  prim.sampled.push_back(vectors("point3f[]", "points", {}, mesh.positions));
  prim.sampled.push_back({"int[]", "faceVertexCounts", {}, [&mesh](AtomicFile& out) {
                            const std::vector<std::int32_t> threes(mesh.triangles.size(), 3);
                            write_usda_array(out, threes.data(), threes.size());
                          }});
  prim.sampled.push_back({"int[]", "faceVertexIndices", {}, [&mesh](AtomicFile& out) {
                            write_usda_array(out,
                                             reinterpret_cast<const std::uint32_t*>(mesh.triangles.data()),
                                             3 * mesh.triangles.size());
                          }});
  constexpr const char* of_each_vertex = "interpolation = \"vertex\"";
  if (!mesh.normals.empty())
    prim.sampled.push_back(vectors("normal3f[]", "normals", {of_each_vertex}, mesh.normals));
  if (!mesh.velocities.empty())
    prim.sampled.push_back(vectors("vector3f[]", "velocities", {}, mesh.velocities));
  if (!mesh.uv.empty())
    prim.sampled.push_back({"texCoord2f[]", "primvars:st", {of_each_vertex}, [&mesh](AtomicFile& out) {
                              write_usda_array(out, mesh.uv.data()->data(), mesh.uv.size(), 2);
                            }});
  if (!mesh.body.empty())
    prim.sampled.push_back({"int[]", "primvars:body", {of_each_vertex}, [&mesh](AtomicFile& out) {
                              write_usda_array(out, mesh.body.data(), mesh.body.size());
                            }});
  if (!mesh.values.empty())
    prim.sampled.push_back(
        {"float[]", "primvars:" + usda_identifier(notes.value), {of_each_vertex}, [&mesh](AtomicFile& out) {
           write_usda_array(out, mesh.values.data(), mesh.values.size(), 1);
         }});
  add_usda_materials(prim, mesh.material, notes);
  return prim;
}

void write_mesh_usda(AtomicFile& out, const SurfaceMesh& mesh, const FrameNotes& notes) {
  write_usda_sample(out, usda_mesh(mesh, notes), notes.time_code(mesh.time), notes.frame_rate);
}

}  // namespace dollop
