#include "io/vdb_particles.h"

#include <fmt/format.h>
#include <openvdb/openvdb.h>
#include <openvdb/points/PointDataGrid.h>
#include <tbb/parallel_sort.h>

#include <array>
#include <bitset>
#include <cmath>
#include <cstdint>
#include <unordered_map>

#include "core/parallel.h"
#include "io/frame_layout.h"
#include "io/usda.h"
#include "io/vdb_file.h"

namespace dollop {

namespace {

namespace points = openvdb::points;
using openvdb::Coord;
using openvdb::Index;
using openvdb::Vec3d;
using openvdb::Vec3f;
using points::PointDataGrid;

constexpr int leaf_edge = int(openvdb::FloatTree::LeafNodeType::DIM);
constexpr Index leaf_voxels = openvdb::FloatTree::LeafNodeType::SIZE;
static_assert(PointDataGrid::TreeType::LeafNodeType::SIZE == leaf_voxels);

Vec3d position_of(const ParticleFrame& frame, std::size_t p) {
  return {frame.position[3 * p], frame.position[3 * p + 1], frame.position[3 * p + 2]};
}

// Whether OpenVDB can number the voxels around a place; not if it is not finite.
bool in_range(const Vec3d& voxels) {
  constexpr double limit = 1 << 30;
  return std::abs(voxels[0]) < limit && std::abs(voxels[1]) < limit && std::abs(voxels[2]) < limit;
}

// --- the particles -----------------------------------------------------------------------------------------

// The voxel that holds a particle; leaves of a tree are blocks of voxels.
struct VoxelOfParticle {
  Coord leaf;        // first voxel of the leaf
  Index voxel;       // number in the leaf
  std::uint32_t of;  // index of the particle
  bool operator<(const VoxelOfParticle& other) const {
    if (leaf != other.leaf) return leaf < other.leaf;
    return voxel != other.voxel ? voxel < other.voxel : of < other.of;
  }
};

std::vector<VoxelOfParticle> sort_by_voxel(const ParticleFrame& frame,
                                           const openvdb::math::Transform& transform) {
  std::vector<VoxelOfParticle> sorted;
  sorted.reserve(frame.position.size() / 3);
  for (std::size_t p = 0; p < frame.position.size() / 3; ++p) {
    const Vec3d at = transform.worldToIndex(position_of(frame, p));
    if (!in_range(at)) continue;
    const Coord voxel = Coord::round(at);
    sorted.push_back(
        {voxel & ~(leaf_edge - 1), openvdb::FloatTree::LeafNodeType::coordToOffset(voxel), std::uint32_t(p)});
  }
  tbb::parallel_sort(sorted.begin(), sorted.end());
  return sorted;
}

// Builds a grid of points, sorted by voxel, and adds attributes to it.
class PointGridBuilder {
 public:
  PointGridBuilder(const ParticleFrame& frame, const openvdb::math::Transform& transform)
      : grid_(make_vdb_grid<PointDataGrid>("points", transform)), sorted_(sort_by_voxel(frame, transform)) {
    for (std::size_t i = 0; i < sorted_.size(); ++i)
      if (i == 0 || sorted_[i].leaf != sorted_[i - 1].leaf)
        leaves_.push_back({grid_->tree().touchLeaf(sorted_[i].leaf), i});
    descriptor_ = points::AttributeSet::Descriptor::create(type_of<Vec3f>());
    each_leaf([&](Leaf& leaf, const VoxelOfParticle* particles, Index count) {
      std::vector<LeafNode::ValueType> ends(leaf_voxels);  // numbers of the points up to and with each voxel
      for (Index voxel = 0, i = 0; voxel < leaf_voxels; ++voxel) {
        while (i < count && particles[i].voxel == voxel) ++i;
        ends[voxel] = i;
      }
      leaf.node->initializeAttributes(descriptor_, count);
      leaf.node->setOffsets(ends);
      points::AttributeWriteHandle<Vec3f> places(leaf.node->attributeArray(0));
      for (Index i = 0; i < count; ++i) {
        const Vec3d at = transform.worldToIndex(position_of(frame, particles[i].of));
        places.set(i, Vec3f(at - Coord::round(at).asVec3d()));
      }
    });
  }

  // value(p, k): number k of particle p
  template <class T, class Value>
  void add(const std::string& name, std::size_t stride, Value value) {
    if (leaves_.empty()) return;  // no points
    const auto before = descriptor_;
    auto with_it = before->duplicateAppend(name, type_of<T>());
    const std::size_t number = with_it->find(name);
    each_leaf([&](Leaf& leaf, const VoxelOfParticle* particles, Index count) {
      leaf.node->appendAttribute(*before, with_it, number, Index(stride));
      points::AttributeWriteHandle<T> values(leaf.node->attributeArray(number));
      for (Index i = 0; i < count; ++i)
        for (std::size_t k = 0; k < stride; ++k) values.set(i, Index(k), value(particles[i].of, k));
      values.compact();
    });
    descriptor_ = with_it;
  }

  PointDataGrid::Ptr grid() const { return grid_; }

 private:
  using LeafNode = PointDataGrid::TreeType::LeafNodeType;
  struct Leaf {
    LeafNode* node;
    std::size_t first;  // of its particles, in `sorted_`
  };

  template <class T>
  static openvdb::NamePair type_of() {
    return {openvdb::typeNameAsString<T>(), points::NullCodec::name()};
  }
  template <class Body>
  void each_leaf(Body&& body) {
    parallel_for(leaves_.size(), 16, [&](std::size_t k) {
      const std::size_t end = k + 1 < leaves_.size() ? leaves_[k + 1].first : sorted_.size();
      body(leaves_[k], &sorted_[leaves_[k].first], Index(end - leaves_[k].first));
    });
  }

  PointDataGrid::Ptr grid_;
  std::vector<VoxelOfParticle> sorted_;
  std::vector<Leaf> leaves_;
  points::AttributeSet::Descriptor::Ptr descriptor_;
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

// --- fields of mass and velocity ---------------------------------------------------------------------------

// Mass and momentum of the voxels of a leaf.
struct VoxelSums {
  Coord leaf;
  std::bitset<leaf_voxels> reached = {};  // voxels that a particle has added to
  std::array<float, leaf_voxels> mass = {};
  std::array<Vec3f, leaf_voxels> momentum = {};
};

// Splats to the eight voxels around each particle by trilinear weights. Serial, so that the order of summation is fixed.
std::vector<VoxelSums> sum_by_voxel(const ParticleFrame& frame, const Attribute* mass,
                                    const Attribute* velocity, const openvdb::math::Transform& transform) {
  std::vector<VoxelSums> sums;
  std::unordered_map<Coord, std::size_t> place;
  std::size_t last = 0;
  const auto sums_of = [&](const Coord& leaf) -> VoxelSums& {
    if (last >= sums.size() || sums[last].leaf != leaf) {
      last = place.try_emplace(leaf, sums.size()).first->second;
      if (last == sums.size()) sums.push_back({leaf});
    }
    return sums[last];
  };
  const double voxel = transform.voxelSize()[0], per_volume = 1 / (voxel * voxel * voxel);
  for (std::size_t p = 0; p < frame.position.size() / 3; ++p) {
    const Vec3d at = transform.worldToIndex(position_of(frame, p));
    if (!in_range(at)) continue;
    const Coord low = Coord::floor(at);
    const Vec3d upper = at - low.asVec3d();
    const auto weight_of = [&](int axis, int side) { return side == 1 ? upper[axis] : 1 - upper[axis]; };
    const double m = mass != nullptr ? mass->values[p] * per_volume : 1;
    const Vec3f v = velocity != nullptr ? Vec3f(&velocity->values[3 * p]) : Vec3f(0);
    for (int corner = 0; corner < 8; ++corner) {
      const int i = corner & 1, j = corner >> 1 & 1, k = corner >> 2;
      const auto share = float(m * weight_of(0, i) * weight_of(1, j) * weight_of(2, k));
      const Coord node = low.offsetBy(i, j, k);
      VoxelSums& to = sums_of(node & ~(leaf_edge - 1));
      const Index n = openvdb::FloatTree::LeafNodeType::coordToOffset(node);
      to.reached.set(n);
      to.mass[n] += share;
      to.momentum[n] += share * v;
    }
  }
  return sums;
}

struct Fields {
  openvdb::FloatGrid::Ptr density;   // [kg/m^3]; null if the particles have no mass
  openvdb::Vec3SGrid::Ptr velocity;  // [m/s]; null if the particles have none
};

Fields make_fields(const ParticleFrame& frame, const openvdb::math::Transform& transform) {
  const Attribute* mass = find_attribute(frame, "mass", 1);
  const Attribute* velocity = find_attribute(frame, "velocity", 3);
  Fields fields;
  if (mass != nullptr) {
    fields.density = make_vdb_grid<openvdb::FloatGrid>("density", transform);
    fields.density->setGridClass(openvdb::GRID_FOG_VOLUME);
  }
  if (velocity != nullptr) {
    fields.velocity = make_vdb_grid<openvdb::Vec3SGrid>("velocity", transform);
    fields.velocity->setVectorType(openvdb::VEC_CONTRAVARIANT_RELATIVE);
  }
  if (mass == nullptr && velocity == nullptr) return fields;
  for (const VoxelSums& sums : sum_by_voxel(frame, mass, velocity, transform)) {
    auto* densities = mass != nullptr ? fields.density->tree().touchLeaf(sums.leaf) : nullptr;
    auto* velocities = velocity != nullptr ? fields.velocity->tree().touchLeaf(sums.leaf) : nullptr;
    for (Index n = 0; n < leaf_voxels; ++n) {
      if (!sums.reached[n]) continue;
      const float m = sums.mass[n];
      if (densities != nullptr) densities->setValueOn(n, m);
      if (velocities != nullptr) velocities->setValueOn(n, m > 0 ? sums.momentum[n] / m : sums.momentum[n]);
    }
  }
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
  const std::vector<float> widths = particle_widths(frame, notes);
  const auto transform = make_vdb_transform(voxel_size(widths), out.path());
  const PointDataGrid::Ptr grid = make_points(frame, widths, *transform);
  grid->insertMeta("time", openvdb::DoubleMetadata(frame.time));
  for (std::size_t k = 0; k < notes.materials.size(); ++k)
    grid->insertMeta(fmt::format("material_{}", k), openvdb::StringMetadata(notes.materials[k]));
  const Fields fields = make_fields(frame, *transform);
  openvdb::GridCPtrVec grids{grid};
  if (fields.density) grids.push_back(fields.density);
  if (fields.velocity) grids.push_back(fields.velocity);
  write_vdb_grids(out, grids);
}

}  // namespace dollop
