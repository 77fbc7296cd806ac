#include "surface/vdb_level_set.h"

#include <openvdb/openvdb.h>
#include <openvdb/tools/ChangeBackground.h>
#include <openvdb/tools/LevelSetFilter.h>
#include <openvdb/tools/LevelSetRebuild.h>
#include <openvdb/tools/MeshToVolume.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "io/atomic_file.h"
#include "io/vdb_file.h"

namespace dollop {
namespace {

using openvdb::FloatGrid;
using openvdb::FloatTree;
using FloatLeaf = FloatTree::LeafNodeType;
static_assert(FloatLeaf::DIM == voxels_on_edge);  // leaves have the size and the node order of our blocks

openvdb::Coord first_voxel(BlockKey key) {
  const BlockCoord block = coord_of(key);
  return openvdb::Coord(block[0], block[1], block[2]) << 3;
}
BlockKey block_of(const openvdb::Coord& voxel) {
  return key_of({voxel.x() >> 3, voxel.y() >> 3, voxel.z() >> 3});
}

// an empty level set; the voxels are all outside
FloatGrid::Ptr make_level_set(const openvdb::math::Transform& transform) {
  const auto grid = make_vdb_grid<FloatGrid>("surface", transform);
  grid->setGridClass(openvdb::GRID_LEVEL_SET);
  openvdb::tools::changeBackground(grid->tree(), level_set_band * float(transform.voxelSize()[0]));
  return grid;
}

// The level set, in units of `unit` [m].
FloatGrid::Ptr level_set_of(const DistanceField& surface, double unit) {
  const auto grid = make_level_set(*openvdb::math::Transform::createLinearTransform(surface.voxel / unit));
  const float band = grid->background();
  for (std::size_t slot = 0; slot < surface.blocks.size(); ++slot) {
    std::array<float, voxels_in_block> distance;
    for (std::size_t node = 0; node < distance.size(); ++node)
      distance[node] = float(surface.distance[slot * voxels_in_block + node] / unit);
    if (std::all_of(distance.begin(), distance.end(), [&](float d) { return d >= band; })) continue;
    FloatLeaf* leaf = grid->tree().touchLeaf(first_voxel(surface.blocks.keys[slot]));
    for (openvdb::Index node = 0; node < voxels_in_block; ++node)
      if (std::abs(distance[node]) < band)
        leaf->setValueOn(node, distance[node]);
      else
        leaf->setValueOff(node, std::copysign(band, distance[node]));
  }
  return grid;
}

// maps the signed distance to 1/2 on the surface, 1 at the inner edge of the band and 0 at the outer edge
float band_value(float distance, double voxel) {
  return std::clamp(0.5f - distance / float(2 * level_set_band * voxel), 0.0f, 1.0f);
}

// The blocks inside the body that are tiles of the tree, one value for many voxels, not leaves.
std::vector<BlockKey> inner_blocks(const FloatTree& tree) {
  std::vector<BlockKey> keys;
  auto value = tree.cbeginValueAll();
  value.setMaxDepth(FloatTree::ValueAllCIter::LEAF_DEPTH - 1);
  for (; value; ++value) {
    if (*value >= 0) continue;
    openvdb::CoordBBox box;
    value.getBoundingBox(box);
    for (int x = box.min().x(); x <= box.max().x(); x += voxels_on_edge)
      for (int y = box.min().y(); y <= box.max().y(); y += voxels_on_edge)
        for (int z = box.min().z(); z <= box.max().z(); z += voxels_on_edge)
          keys.push_back(block_of({x, y, z}));
  }
  return keys;
}

// Converts a level set in units of `unit` [m] to a spline field. The surface is taken `depth` inside the zero level [m].
SplineField field_of(const FloatGrid& grid, double voxel, double unit, double depth) {
  std::vector<const FloatLeaf*> leaves;
  grid.tree().getNodes(leaves);
  const std::vector<BlockKey> inner = inner_blocks(grid.tree());
  std::vector<BlockKey> keys = inner;
  for (const FloatLeaf* leaf : leaves) keys.push_back(block_of(leaf->origin()));

  SplineField field;
  field.voxel = voxel;
  field.blocks = make_blocks(std::move(keys));
  field.coefficients.assign(field.blocks.size() * voxels_in_block, 0);
  const auto nodes_of = [&](BlockKey key) {
    return &field.coefficients[std::size_t(field.blocks.find(key)) * voxels_in_block];
  };
  for (const BlockKey key : inner) std::fill_n(nodes_of(key), voxels_in_block, 1.0f);
  for (const FloatLeaf* leaf : leaves) {
    float* to = nodes_of(block_of(leaf->origin()));
    for (openvdb::Index node = 0; node < voxels_in_block; ++node)
      to[node] = band_value(leaf->getValue(node) + float(depth / unit), voxel / unit);
  }
  return field;
}

// The level set of a mesh and, for each voxel of its band, the index of the nearest triangle.
struct MeshDistance {
  FloatGrid::Ptr distance;
  openvdb::Int32Grid::Ptr nearest;
};

MeshDistance distance_to(const SurfaceMesh& mesh, const openvdb::math::Transform& transform) {
  const double voxel = transform.voxelSize()[0];
  std::vector<openvdb::Vec3s> points;
  std::vector<openvdb::Vec3I> triangles;
  for (const Vec3<float>& x : mesh.positions)
    points.emplace_back(float(x.x / voxel), float(x.y / voxel), float(x.z / voxel));
  for (const auto& t : mesh.triangles) triangles.emplace_back(t[0], t[1], t[2]);
  const openvdb::tools::QuadAndTriangleDataAdapter<openvdb::Vec3s, openvdb::Vec3I> adapter(points, triangles);
  MeshDistance result;
  result.nearest = make_vdb_grid<openvdb::Int32Grid>("nearest", transform);
  openvdb::tools::changeBackground(result.nearest->tree(), std::int32_t(openvdb::util::INVALID_IDX));
  result.distance = openvdb::tools::meshToVolume<FloatGrid>(adapter, transform, level_set_band,
                                                            level_set_band, 0, result.nearest.get());
  result.distance->setName("surface");
  result.distance->setGridClass(openvdb::GRID_LEVEL_SET);
  return result;
}

// For each voxel of the band, the mean velocity of the nearest triangle's corners.
openvdb::Vec3SGrid::Ptr velocities_around(const MeshDistance& of, const SurfaceMesh& mesh) {
  const auto grid = make_vdb_grid<openvdb::Vec3SGrid>("velocity", of.distance->transform());
  grid->setVectorType(openvdb::VEC_CONTRAVARIANT_RELATIVE);
  std::vector<const FloatLeaf*> band;
  std::as_const(of.distance->tree()).getNodes(band);
  for (const FloatLeaf* leaf : band) {
    const auto* near = std::as_const(of.nearest->tree()).probeConstLeaf(leaf->origin());
    auto* velocities = grid->tree().touchLeaf(leaf->origin());
    for (openvdb::Index voxel = 0; voxel < voxels_in_block; ++voxel) {
      if (!leaf->isValueOn(voxel)) continue;
      velocities->setValueOn(voxel);
      const std::int32_t triangle = near != nullptr ? near->getValue(voxel) : -1;
      if (triangle < 0 || std::size_t(triangle) >= mesh.triangles.size()) continue;
      openvdb::Vec3s sum(0);
      for (const std::uint32_t v : mesh.triangles[std::size_t(triangle)])
        sum += openvdb::Vec3s(mesh.velocities[v].x, mesh.velocities[v].y, mesh.velocities[v].z);
      velocities->setValueOn(voxel, sum / 3.0f);
    }
  }
  return grid;
}

}  // namespace

SplineField filter_level_set(const DistanceField& surface, int passes, double depth) {
  // OpenVDB takes the volume of small voxels for zero, so they are filtered as if they were about a centimetre wide
  constexpr double small = 1e-4, centimetre = 0x1p-6;  // [m]
  const double unit =
      surface.voxel < small ? std::exp2(std::floor(std::log2(surface.voxel))) / centimetre : 1;
  FloatGrid::Ptr grid = openvdb::tools::levelSetRebuild(*level_set_of(surface, unit), 0.0f, level_set_band);
  openvdb::tools::LevelSetFilter<FloatGrid> filter(*grid);
  for (int pass = 0; pass < passes; ++pass) filter.meanCurvature();
  return field_of(*grid, surface.voxel, unit, depth);
}

void write_level_set_vdb(const std::filesystem::path& file, const SurfaceMesh& mesh, double voxel) {
  const auto transform = make_vdb_transform(voxel > 0 ? voxel : 1, file);
  openvdb::GridCPtrVec grids;
  if (mesh.triangles.empty()) {
    grids.push_back(make_level_set(*transform));
  } else {
    const MeshDistance distance = distance_to(mesh, *transform);
    grids.push_back(distance.distance);
    if (!mesh.velocities.empty()) grids.push_back(velocities_around(distance, mesh));
  }
  AtomicFile out(file);
  write_vdb_grids(out, grids);
  out.commit();
}

}  // namespace dollop
