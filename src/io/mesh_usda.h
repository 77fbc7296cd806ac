// Meshes as USD text files: UsdGeomMesh with velocities, display colour and the names of materials. Layout:
// docs/exports.md.
#pragma once

#include "io/atomic_file.h"
#include "io/frame_notes.h"
#include "io/surface_mesh.h"
#include "io/usda_text.h"

namespace dollop {

// Writes one frame; its values are time samples at the time code of the frame.
void write_mesh_usda(AtomicFile& out, const SurfaceMesh& mesh, const FrameNotes& notes = {});

// The prim of such a file. It keeps a reference to the mesh, which must outlive it.
UsdaPrim usda_mesh(const SurfaceMesh& mesh, const FrameNotes& notes = {});

}  // namespace dollop
