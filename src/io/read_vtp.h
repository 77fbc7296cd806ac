// Reads the particles that io/vtp.h writes: VTK's XML with raw appended data.
#pragma once

#include <dollop/simulation.h>

#include <filesystem>

#include "io/read_file.h"

namespace dollop {

ParticleFrame read_vtp(const std::filesystem::path& file);  // throws InputError

}  // namespace dollop
