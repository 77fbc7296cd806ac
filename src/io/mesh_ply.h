// Meshes as Stanford PLY files, binary: vertices with their normals, velocities, texture coordinates,
// materials, bodies and values, and triangles.
// Layout: docs/exports.md.
#pragma once

#include "io/atomic_file.h"
#include "io/frame_notes.h"
#include "io/surface_mesh.h"

namespace dollop {

void write_mesh_ply(AtomicFile& out, const SurfaceMesh& mesh, const FrameNotes& notes = {});

}  // namespace dollop
