#include "io/formats.h"

#include "io/bgeo.h"
#include "io/ply.h"
#include "io/vtp.h"

namespace dollop {

namespace {

constexpr ParticleFormat formats[] = {
    {"bgeo", ".bgeo", write_bgeo},
    {"vtp", ".vtp", write_vtp},
    {"ply", ".ply", write_ply},
};

}  // namespace

std::span<const ParticleFormat> particle_formats() { return formats; }

const ParticleFormat* find_particle_format(std::string_view name) {
  for (const ParticleFormat& format : formats)
    if (name == format.name) return &format;
  return nullptr;
}

void write_particles(const ParticleFormat& format, const std::filesystem::path& file,
                     const ParticleFrame& frame) {
  AtomicFile out(file);
  format.write(out, frame);
  out.commit();
}

}  // namespace dollop
