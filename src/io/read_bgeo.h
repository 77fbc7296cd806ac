// Reads the particles that io/bgeo.h writes, and classic .bgeo files of other programs with points and numeric
// attributes.
#pragma once

#include <dollop/simulation.h>

#include <filesystem>

#include "io/read_file.h"

namespace dollop {

// The format does not store the time, which is set to 0. Throws InputError.
ParticleFrame read_bgeo(const std::filesystem::path& file);

}  // namespace dollop
