// Meshes as USD text files: UsdGeomMesh with velocities, display colour and the names of materials. Layout:
// docs/exports.md.
#pragma once

#include "io/atomic_file.h"
#include "io/frame_notes.h"
#include "io/surface_mesh.h"
#include "io/usda_text.h"

namespace dollop {

// One frame; its values are samples at the time code of the frame.
void write_mesh_usda(AtomicFile& out, const SurfaceMesh& mesh, const FrameNotes& notes = {});

// The same prim. It refers to the mesh, which must live as long.
UsdaPrim usda_mesh(const SurfaceMesh& mesh, const FrameNotes& notes = {});

}  // namespace dollop
