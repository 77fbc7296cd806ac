// Grids of OpenVDB, and their reproducible files. OpenVDB's headers are slow to compile: include this only where grids are
// made.
#pragma once

#include <openvdb/openvdb.h>

#include <filesystem>
#include <string>

#include "io/atomic_file.h"

namespace dollop {

// An empty grid, all of it zero. The library makes it: where a constructor of a grid is called, the compiler takes seconds
// for what the class can do.
template <class Grid>
typename Grid::Ptr make_vdb_grid(const std::string& name, const openvdb::math::Transform& transform) {
  openvdb::initialize();
  const auto grid = openvdb::gridPtrCast<Grid>(openvdb::GridBase::createGrid(Grid::gridType()));
  grid->setName(name);
  grid->setTransform(transform.copy());
  return grid;
}

// The places of voxels of this width [m] in a file. Throws OutputError if they are less than 15 micrometres wide: OpenVDB takes
// their volume for zero.
openvdb::math::Transform::Ptr make_vdb_transform(double voxel, const std::filesystem::path& file);

// Writes grids as openvdb::io::File does, so that readers can skip grids. The UUID that OpenVDB draws at random for
// each file is derived from the bytes instead: equal grids give equal files.
void write_vdb_grids(AtomicFile& out, const openvdb::GridCPtrVec& grids);

}  // namespace dollop
