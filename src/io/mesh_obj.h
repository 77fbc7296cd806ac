// Meshes as Wavefront OBJ files: vertices, texture coordinates, normals and triangles. The format cannot store velocities.
#pragma once

#include "io/atomic_file.h"
#include "io/frame_notes.h"
#include "io/surface_mesh.h"

namespace dollop {

void write_mesh_obj(AtomicFile& out, const SurfaceMesh& mesh, const FrameNotes& notes = {});

}  // namespace dollop
