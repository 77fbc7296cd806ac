// Houdini's classic geometry files, version 5. Layout: docs/output.md.
#pragma once

#include <dollop/simulation.h>

#include "io/atomic_file.h"

namespace dollop {

void write_bgeo(AtomicFile& out, const ParticleFrame& frame);

}  // namespace dollop
