#include "surface/vdb_level_set.h"

#include <openvdb/openvdb.h>
#include <openvdb/points/PointConversion.h>
#include <openvdb/points/PointRasterizeSDF.h>
#include <openvdb/tools/LevelSetFilter.h>
#include <openvdb/tools/LevelSetRebuild.h>
#include <openvdb/tools/MeshToVolume.h>

#include <algorithm>
#include <cmath>

#include "io/atomic_file.h"
#include "io/vdb_file.h"
#include "surface/density.h"

namespace dollop {
namespace {

constexpr float half_band = 3;       // narrow band: voxels on either side of the surface
constexpr double search_radius = 2;  // for the mean of the particles [spacings]
// radius of the spheres over that of a sphere of the particle's volume: near a flat surface the mean of the particles
// within the search radius lies half a spacing deep
constexpr double radius_scale = 0.8;
constexpr double inflation = 0.5;  // added to the radii during filtering [spacings]
constexpr double widening = 0.3;   // added to the radii of threads and crumbs, which the filter shrinks
constexpr double filter_passes =
    6;  // for voxels of half a spacing; each is a step of a third of a voxel squared

void start_openvdb() {
  static const bool started = (openvdb::initialize(), true);
  (void)started;
}

// Radii of the spheres, in the order of the points.
std::vector<float> sphere_radii(const SurfacePoints& points) {
  const SortedPoints sorted = sort_points(points, points.spacing);
  const std::vector<float> factors = weight_factors(points, sorted);
  std::vector<float> radii(points.size(), 0);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const std::uint32_t p = sorted.index[i];
    // tiny particles get no wider sphere; an isolated particle of typical size has a factor of 14
    const double size = points.volume[p] / (points.spacing * points.spacing * points.spacing);
    const double deficit = std::min(1.0, size / 0.2) * std::log(std::clamp(factors[i], 1.0f, 14.0f));
    const double added = inflation + widening * deficit;
    radii[p] = float(radius_scale * std::cbrt(0.75 * points.volume[p] / M_PI) + added * points.spacing);
  }
  return radii;
}

openvdb::FloatGrid::Ptr rasterize(const SurfacePoints& points, double voxel) {
  using namespace openvdb::points;
  std::vector<openvdb::Vec3s> positions(points.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    positions[i] = {points.x[i].x, points.x[i].y, points.x[i].z};
  const std::vector<float> radii = sphere_radii(points);
  const auto wide = openvdb::math::Transform::createLinearTransform(2 * points.spacing);
  const PointAttributeVector<openvdb::Vec3s> at(positions);
  const auto index = openvdb::tools::createPointIndexGrid<openvdb::tools::PointIndexGrid>(at, *wide);
  const auto grid = createPointDataGrid<NullCodec, PointDataGrid>(*index, at, *wide);
  appendAttribute(grid->tree(), "pscale", TypedAttributeArray<float>::attributeType());
  populateAttribute<PointDataTree, openvdb::tools::PointIndexTree, PointAttributeVector<float>>(
      grid->tree(), index->tree(), "pscale", PointAttributeVector<float>(radii));
  return rasterizeSmoothSpheres<PointDataGrid, float>(*grid, "pscale", 1, search_radius * points.spacing,
                                                      half_band,
                                                      openvdb::math::Transform::createLinearTransform(voxel));
}

// maps the signed distance to 1/2 on the surface, 1 at the inner edge of the band and 0 at the outer edge
float band_value(float distance, double voxel) {
  return std::clamp(0.5f - distance / float(2 * half_band * voxel), 0.0f, 1.0f);
}

// The blocks inside the body that are tiles of the tree, one value for many voxels, not leaves.
std::vector<BlockKey> inner_blocks(const openvdb::FloatTree& tree) {
  std::vector<BlockKey> keys;
  auto value = tree.cbeginValueAll();
  value.setMaxDepth(openvdb::FloatTree::ValueAllCIter::LEAF_DEPTH - 1);
  for (; value; ++value) {
    if (*value >= 0) continue;
    openvdb::CoordBBox box;
    value.getBoundingBox(box);
    for (int x = box.min().x(); x <= box.max().x(); x += voxels_on_edge)
      for (int y = box.min().y(); y <= box.max().y(); y += voxels_on_edge)
        for (int z = box.min().z(); z <= box.max().z(); z += voxels_on_edge)
          keys.push_back(key_of({x >> 3, y >> 3, z >> 3}));
  }
  return keys;
}

// Converts a level set to a spline field; its leaves have the size and the node order of our blocks. The surface is
// taken `depth` inside the zero level [m].
SplineField field_of(const openvdb::FloatGrid& grid, double voxel, double depth) {
  static_assert(openvdb::FloatTree::LeafNodeType::DIM == voxels_on_edge);
  SplineField field;
  field.voxel = voxel;
  const std::vector<BlockKey> inner = inner_blocks(grid.tree());
  std::vector<BlockKey> keys = inner;
  for (auto leaf = grid.tree().cbeginLeaf(); leaf; ++leaf) {
    const openvdb::Coord& c = leaf->origin();
    keys.push_back(key_of({c.x() >> 3, c.y() >> 3, c.z() >> 3}));
  }
  field.blocks = make_blocks(std::move(keys));
  field.coefficients.assign(field.blocks.size() * voxels_in_block, 0);
  for (const BlockKey key : inner)
    std::fill_n(&field.coefficients[std::size_t(field.blocks.find(key)) * voxels_in_block], voxels_in_block,
                1.0f);
  for (auto leaf = grid.tree().cbeginLeaf(); leaf; ++leaf) {
    const openvdb::Coord& c = leaf->origin();
    const std::int32_t slot = field.blocks.find(key_of({c.x() >> 3, c.y() >> 3, c.z() >> 3}));
    float* to = &field.coefficients[std::size_t(slot) * voxels_in_block];
    for (openvdb::Index node = 0; node < voxels_in_block; ++node)
      to[node] = band_value(leaf->getValue(node) + float(depth), voxel);
  }
  return field;
}

// The level set of a mesh and, for each voxel of its band, the index of the nearest triangle.
struct MeshDistance {
  openvdb::FloatGrid::Ptr distance;
  openvdb::Int32Grid::Ptr nearest;
};

MeshDistance distance_to(const SurfaceMesh& mesh, double voxel) {
  std::vector<openvdb::Vec3s> points;
  std::vector<openvdb::Vec3I> triangles;
  for (const Vec3<float>& x : mesh.positions)
    points.emplace_back(float(x.x / voxel), float(x.y / voxel), float(x.z / voxel));
  for (const auto& t : mesh.triangles) triangles.emplace_back(t[0], t[1], t[2]);
  const openvdb::tools::QuadAndTriangleDataAdapter<openvdb::Vec3s, openvdb::Vec3I> adapter(points, triangles);
  MeshDistance result;
  result.nearest = openvdb::Int32Grid::create(openvdb::util::INVALID_IDX);
  result.distance = openvdb::tools::meshToVolume<openvdb::FloatGrid>(
      adapter, *openvdb::math::Transform::createLinearTransform(voxel), half_band, half_band, 0,
      result.nearest.get());
  result.distance->setName("surface");
  result.distance->setGridClass(openvdb::GRID_LEVEL_SET);
  return result;
}

// For each voxel of the band, the mean velocity of the nearest triangle's corners.
openvdb::Vec3SGrid::Ptr velocities_around(const MeshDistance& of, const SurfaceMesh& mesh) {
  auto grid = openvdb::Vec3SGrid::create(openvdb::Vec3s(0));
  grid->setTransform(of.distance->transform().copy());
  grid->setName("velocity");
  grid->setVectorType(openvdb::VEC_CONTRAVARIANT_RELATIVE);
  grid->topologyUnion(*of.distance);
  auto near = of.nearest->getConstAccessor();
  for (auto value = grid->beginValueOn(); value; ++value) {
    const std::int32_t triangle = near.getValue(value.getCoord());
    if (triangle < 0 || std::size_t(triangle) >= mesh.triangles.size()) continue;
    openvdb::Vec3s sum(0);
    for (const std::uint32_t v : mesh.triangles[std::size_t(triangle)])
      sum += openvdb::Vec3s(mesh.velocities[v].x, mesh.velocities[v].y, mesh.velocities[v].z);
    value.setValue(sum / 3.0f);
  }
  return grid;
}

}  // namespace

SplineField smooth_spheres(const SurfacePoints& points, double voxel) {
  start_openvdb();
  openvdb::FloatGrid::Ptr grid = rasterize(points, voxel);
  grid = openvdb::tools::levelSetRebuild(*grid, 0.0f, half_band);
  openvdb::tools::LevelSetFilter<openvdb::FloatGrid> filter(*grid);
  const double relative_voxel = 2 * voxel / points.spacing;
  const int passes = std::max(1, int(std::lround(filter_passes / (relative_voxel * relative_voxel))));
  for (int pass = 0; pass < passes; ++pass) filter.meanCurvature();
  return field_of(*grid, voxel, inflation * points.spacing);
}

void write_level_set_vdb(const std::filesystem::path& file, const SurfaceMesh& mesh, double voxel) {
  start_openvdb();
  openvdb::GridCPtrVec grids;
  if (mesh.triangles.empty()) {
    auto empty = openvdb::createLevelSet<openvdb::FloatGrid>(voxel > 0 ? voxel : 1, half_band);
    empty->setName("surface");
    grids.push_back(empty);
  } else {
    const MeshDistance distance = distance_to(mesh, voxel);
    grids.push_back(distance.distance);
    if (!mesh.velocities.empty()) grids.push_back(velocities_around(distance, mesh));
  }
  AtomicFile out(file);
  write_vdb_grids(out, grids);
  out.commit();
}

}  // namespace dollop
