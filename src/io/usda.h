// Particles as USD text files: UsdGeomPoints with velocities, ids, widths, display colour, names of materials, and every
// other attribute as a primvar. Layout: docs/exports.md.
#pragma once

#include <dollop/simulation.h>

#include "io/atomic_file.h"
#include "io/frame_notes.h"
#include "io/usda_text.h"

namespace dollop {

// One frame; its values are samples at the time code of the frame.
void write_usda(AtomicFile& out, const ParticleFrame& frame, const FrameNotes& notes = {});

// The same prim. It refers to the frame, which must live as long.
UsdaPrim usda_particles(const ParticleFrame& frame, const FrameNotes& notes = {});

// Diameters of balls that have the volume that the particles have now [m].
std::vector<float> particle_widths(const ParticleFrame& frame, const FrameNotes& notes);

}  // namespace dollop
