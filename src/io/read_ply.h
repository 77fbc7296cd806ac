// Reads the particles that io/ply.h writes.
#pragma once

#include <dollop/simulation.h>

#include <filesystem>

#include "io/read_file.h"

namespace dollop {

ParticleFrame read_ply(const std::filesystem::path& file);  // throws InputError

}  // namespace dollop
