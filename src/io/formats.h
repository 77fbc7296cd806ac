// The file formats of particles.
#pragma once

#include <dollop/simulation.h>

#include <filesystem>
#include <span>
#include <string_view>

#include "io/atomic_file.h"
#include "io/frame_notes.h"

namespace dollop {

struct ParticleFormat {
  const char* name;       // in scene files
  const char* extension;  // with the dot
  void (*write)(AtomicFile& out, const ParticleFrame& frame, const FrameNotes& notes);
};

// A new format is one file with its `write`, one line in formats.cpp, and its name among the words of output.particles
// in src/scene/keys.cpp.
std::span<const ParticleFormat> particle_formats();
const ParticleFormat* find_particle_format(std::string_view name);  // nullptr: no such format

// Writes a frame as an AtomicFile; throws OutputError. `notes` are metadata that only some formats store.
void write_particles(const ParticleFormat& format, const std::filesystem::path& file,
                     const ParticleFrame& frame, const FrameNotes& notes = {});

}  // namespace dollop
