#include "io/vdb_particles.h"

#include <fmt/format.h>
#include <openvdb/openvdb.h>
#include <openvdb/points/PointAttribute.h>
#include <openvdb/points/PointConversion.h>
#include <openvdb/tools/PointIndexGrid.h>

#include <cmath>
#include <cstdint>

#include "io/frame_layout.h"
#include "io/usda.h"
#include "io/vdb_file.h"

namespace dollop {

namespace {

namespace points = openvdb::points;
using openvdb::Index;
using openvdb::Vec3d;
using openvdb::Vec3f;
using openvdb::tools::PointIndexGrid;
using points::PointDataGrid;

// adapter of positions for OpenVDB
struct Positions {
  using PosType = Vec3d;
  using value_type = Vec3d;
  const std::vector<float>& values;
  std::size_t size() const { return values.size() / 3; }
  template <class T>
  void getPos(std::size_t p, openvdb::math::Vec3<T>& x) const {
    x = {T(values[3 * p]), T(values[3 * p + 1]), T(values[3 * p + 2])};
  }
};

// The column of one attribute: value(p, k) is number k of particle p.
template <class T, class Value>
struct Column {
  using value_type = T;
  Value value;
  void get(T& out, std::size_t p, Index k = 0) const { out = value(p, std::size_t(k)); }
};

// Builds a grid of points, sorted by voxel, and adds attributes to it.
class PointGridBuilder {
 public:
  PointGridBuilder(const ParticleFrame& frame, const openvdb::math::Transform& transform) {
    const Positions positions{frame.position};
    index_ = openvdb::tools::createPointIndexGrid<PointIndexGrid>(positions, transform);
    grid_ = points::createPointDataGrid<points::NullCodec, PointDataGrid>(*index_, positions, transform);
    grid_->setName("points");
  }

  template <class T, class Value>
  void add(const std::string& name, std::size_t stride, Value value) {
    if (grid_->tree().leafCount() == 0) return;  // no points
    points::appendAttribute<T>(grid_->tree(), name, openvdb::zeroVal<T>(), Index(stride));
    points::populateAttribute(grid_->tree(), index_->tree(), name, Column<T, Value>{value}, Index(stride));
  }

  PointDataGrid::Ptr grid() const { return grid_; }

 private:
  PointIndexGrid::Ptr index_;
  PointDataGrid::Ptr grid_;
};

// attributes have Houdini's names: v, pscale
PointDataGrid::Ptr make_points(const ParticleFrame& frame, const std::vector<float>& widths,
                               const openvdb::math::Transform& transform) {
  PointGridBuilder maker(frame, transform);
  for (const Attribute& attribute : frame.attributes) {
    const float* values = attribute.values.data();
    const auto stride = std::size_t(attribute.components);
    const std::string name =
        attribute.name == "velocity" && stride == 3 ? "v" : usda_identifier(attribute.name);
    if (stride == 3)
      maker.add<Vec3f>(name, 1, [=](std::size_t p, std::size_t) {
        return Vec3f(values[3 * p], values[3 * p + 1], values[3 * p + 2]);
      });
    else
      maker.add<float>(name, stride, [=](std::size_t p, std::size_t k) { return values[p * stride + k]; });
  }
  maker.add<float>("pscale", 1, [&](std::size_t p, std::size_t) { return widths[p] / 2; });
  if (!frame.id.empty())
    maker.add<std::int64_t>("id", 1, [&](std::size_t p, std::size_t) { return std::int64_t(frame.id[p]); });
  if (!frame.material.empty())
    maker.add<std::int32_t>("material", 1, [&](std::size_t p, std::size_t) { return frame.material[p]; });
  return maker.grid();
}

struct Fields {
  openvdb::FloatGrid::Ptr density;   // [kg/m^3]
  openvdb::Vec3SGrid::Ptr velocity;  // [m/s]; null if the particles have none
};

// Mass and momentum, splatted to the eight voxels around each particle by trilinear weights. Serial, so that the order
// of summation is fixed.
Fields make_fields(const ParticleFrame& frame, const openvdb::math::Transform::Ptr& transform) {
  const Attribute* mass = find_attribute(frame, "mass", 1);
  const Attribute* velocity = find_attribute(frame, "velocity", 3);
  Fields fields{openvdb::FloatGrid::create(0), openvdb::Vec3SGrid::create(Vec3f(0))};
  auto densities = fields.density->getAccessor();
  auto momenta = fields.velocity->getAccessor();
  const double voxel = transform->voxelSize()[0], per_volume = 1 / (voxel * voxel * voxel);
  for (std::size_t p = 0; p < frame.position.size() / 3; ++p) {
    const float* x = &frame.position[3 * p];
    const Vec3d at = transform->worldToIndex(Vec3d(x[0], x[1], x[2]));
    const openvdb::Coord low = openvdb::Coord::floor(at);
    const Vec3d upper = at - low.asVec3d();
    const auto weight_of = [&](int axis, int side) { return side == 1 ? upper[axis] : 1 - upper[axis]; };
    const double m = mass != nullptr ? mass->values[p] * per_volume : 1;
    const Vec3f v = velocity != nullptr ? Vec3f(&velocity->values[3 * p]) : Vec3f(0);
    for (int corner = 0; corner < 8; ++corner) {
      const int i = corner & 1, j = corner >> 1 & 1, k = corner >> 2;
      const auto share = float(m * weight_of(0, i) * weight_of(1, j) * weight_of(2, k));
      const openvdb::Coord node = low.offsetBy(i, j, k);
      densities.modifyValue(node, [&](float& sum) { sum += share; });
      if (velocity != nullptr) momenta.modifyValue(node, [&](Vec3f& sum) { sum += share * v; });
    }
  }
  for (auto node = fields.velocity->beginValueOn(); node; ++node)
    if (const float m = densities.getValue(node.getCoord()); m > 0) node.setValue(*node / m);

  for (const openvdb::GridBase::Ptr& grid : openvdb::GridPtrVec{fields.density, fields.velocity})
    grid->setTransform(transform);
  fields.density->setName("density");
  fields.density->setGridClass(openvdb::GRID_FOG_VOLUME);
  fields.velocity->setName("velocity");
  fields.velocity->setVectorType(openvdb::VEC_CONTRAVARIANT_RELATIVE);
  if (velocity == nullptr) fields.velocity.reset();
  if (mass == nullptr) fields.density.reset();
  return fields;
}

// Two particle spacings, so that a voxel inside the material contains about eight particles.
double voxel_size(const std::vector<float>& widths) {
  double sum = 0;
  for (const float width : widths) sum += width;
  const double mean = widths.empty() ? 0 : sum / double(widths.size());
  constexpr double ball_to_cube = 0.806;  // edge of a cube over the diameter of a sphere of equal volume
  return mean > 0 && std::isfinite(mean) ? 2 * ball_to_cube * mean : 1;
}

}  // namespace

void write_vdb(AtomicFile& out, const ParticleFrame& frame, const FrameNotes& notes) {
  count_particles(frame);
  openvdb::initialize();
  const std::vector<float> widths = particle_widths(frame, notes);
  const auto transform = openvdb::math::Transform::createLinearTransform(voxel_size(widths));
  const PointDataGrid::Ptr grid = make_points(frame, widths, *transform);
  grid->insertMeta("time", openvdb::DoubleMetadata(frame.time));
  for (std::size_t k = 0; k < notes.materials.size(); ++k)
    grid->insertMeta(fmt::format("material_{}", k), openvdb::StringMetadata(notes.materials[k]));
  const Fields fields = make_fields(frame, transform);
  openvdb::GridCPtrVec grids{grid};
  if (fields.density) grids.push_back(fields.density);
  if (fields.velocity) grids.push_back(fields.velocity);
  write_vdb_grids(out, grids);
}

}  // namespace dollop
