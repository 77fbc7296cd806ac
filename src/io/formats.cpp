#include "io/formats.h"

#include "io/bgeo.h"
#include "io/ply.h"
#include "io/usda.h"
#include "io/vdb_particles.h"
#include "io/vtp.h"

namespace dollop {

namespace {

// for formats that store no notes
template <void (*write)(AtomicFile&, const ParticleFrame&)>
void without_notes(AtomicFile& out, const ParticleFrame& frame, const FrameNotes&) {
  write(out, frame);
}

constexpr ParticleFormat formats[] = {
    {"bgeo", ".bgeo", without_notes<write_bgeo>},
    {"vtp", ".vtp", without_notes<write_vtp>},
    {"ply", ".ply", without_notes<write_ply>},
    {"usda", ".usda", write_usda},
    {"vdb", ".vdb", write_vdb},
};

}  // namespace

std::span<const ParticleFormat> particle_formats() { return formats; }

const ParticleFormat* find_particle_format(std::string_view name) {
  for (const ParticleFormat& format : formats)
    if (name == format.name) return &format;
  return nullptr;
}

void write_particles(const ParticleFormat& format, const std::filesystem::path& file,
                     const ParticleFrame& frame, const FrameNotes& notes) {
  AtomicFile out(file);
  format.write(out, frame, notes);
  out.commit();
}

}  // namespace dollop
