// OpenVDB files that appear whole and depend on nothing but what they hold. Slow to compile: for the few files that make
// grids.
#pragma once

#include <openvdb/Grid.h>

#include "io/atomic_file.h"

namespace dollop {

// Writes grids as openvdb::io::File does, so that readers can skip those they do not want. The identifier that OpenVDB
// draws at random for each file is made from the bytes instead: equal grids give equal files.
void write_vdb_grids(AtomicFile& out, const openvdb::GridCPtrVec& grids);

}  // namespace dollop
