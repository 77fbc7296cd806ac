// Particles as OpenVDB files: points with their attributes, and the rasterised density and velocity.
// Layout: docs/exports.md.
#pragma once

#include <dollop/simulation.h>

#include "io/atomic_file.h"
#include "io/frame_notes.h"

namespace dollop {

void write_vdb(AtomicFile& out, const ParticleFrame& frame, const FrameNotes& notes = {});

}  // namespace dollop
