// Particles as USD text files: UsdGeomPoints with velocities, ids, widths, display colour, names of materials, and
// every other attribute as a primvar. Layout: docs/exports.md.
#pragma once

#include <dollop/simulation.h>

#include "io/atomic_file.h"
#include "io/frame_notes.h"
#include "io/usda_text.h"

namespace dollop {

// Writes one frame; its values are time samples at the time code of the frame.
void write_usda(AtomicFile& out, const ParticleFrame& frame, const FrameNotes& notes = {});

// The prim of such a file. It keeps a reference to the frame, which must outlive it.
UsdaPrim usda_particles(const ParticleFrame& frame, const FrameNotes& notes = {});

// Diameters of spheres with the current volume of the particles [m].
std::vector<float> particle_widths(const ParticleFrame& frame, const FrameNotes& notes);

}  // namespace dollop
