// The surface meshes of bodies as one mesh, and the files that frames keep them in. Layout: docs/output.md.
#pragma once

#include <dollop/simulation.h>

#include <filesystem>
#include <vector>

#include "io/surface_mesh.h"

namespace dollop {

// Index of the material that the surface of a body is made of: its outermost one.
int outer_material(const Scene& scene, const Body& body);

// For each material of the scene, whether one of these meshes encloses it.
std::vector<bool> enclosed_materials(const Scene& scene, const std::vector<BodyMesh>& meshes);

// All meshes of a frame as one, with the number of its body and the index of its material for each vertex.
SurfaceMesh join_meshes(const Scene& scene, const std::vector<BodyMesh>& meshes, double time);

// Reads what write_mesh_ply() has written of joined meshes. Throws InputError if it is damaged or something else.
std::vector<BodyMesh> read_body_meshes(const std::filesystem::path& file);

}  // namespace dollop
