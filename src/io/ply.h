// Stanford PLY files, binary. Layout: docs/output.md.
#pragma once

#include <dollop/simulation.h>

#include "io/atomic_file.h"

namespace dollop {

void write_ply(AtomicFile& out, const ParticleFrame& frame);

}  // namespace dollop
