// Reads the particles that io/bgeo.h writes, and classic .bgeo files of points with numbers that others write.
#pragma once

#include <dollop/simulation.h>

#include <filesystem>

#include "io/read_file.h"

namespace dollop {

// The file does not say the time: it is 0. Throws InputError.
ParticleFrame read_bgeo(const std::filesystem::path& file);

}  // namespace dollop
