// Writes reproducible OpenVDB files. OpenVDB's headers are slow to compile: include this only where grids are made.
#pragma once

#include <openvdb/Grid.h>

#include "io/atomic_file.h"

namespace dollop {

// Writes grids as openvdb::io::File does, so that readers can skip grids. The UUID that OpenVDB draws at random for
// each file is derived from the bytes instead: equal grids give equal files.
void write_vdb_grids(AtomicFile& out, const openvdb::GridCPtrVec& grids);

}  // namespace dollop
