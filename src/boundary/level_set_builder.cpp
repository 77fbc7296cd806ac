// Builds a level set from triangles: each node near the surface stores its distance to the closest triangle, with the
// sign given by the winding number. So cavities stay hollow, overlapping parts become one, and it does not matter
// whether the triangles face outward or inward. The result does not depend on the number of threads.
#include <dollop/scene.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <utility>

#include "boundary/level_set.h"
#include "boundary/triangle_tree.h"
#include "boundary/winding_rows.h"
#include "core/parallel.h"

namespace dollop {
namespace {

constexpr double most_voxels = 2e8;  // in the narrow band: about 2 GB
constexpr double most_blocks = 1e8;  // in the table of blocks: 0.4 GB

std::string number(double a) {
  std::ostringstream text;
  text.precision(3);
  text << a;
  return text.str();
}

// a voxel size to suggest in messages, rounded to two digits so that it is easy to type
std::string at_least(double a) {
  const double digit = std::pow(10, std::floor(std::log10(a)) - 1);
  return number(std::ceil(a / digit) * digit);
}
std::string at_most(double a) {
  const double digit = std::pow(10, std::floor(std::log10(a)) - 1);
  return number(std::floor(a / digit) * digit);
}

}  // namespace

class LevelSetBuilder {
 public:
  LevelSetBuilder(const TriangleMesh& mesh, double voxel_size, const std::string& name)
      : mesh_(mesh), h_(voxel_size), name_(name) {
    for (int i = 0; i < 3; ++i) {
      set_.min_[i] = std::numeric_limits<double>::infinity(), set_.max_[i] = -set_.min_[i];
      for (const Double3& p : mesh.points) {
        set_.min_[i] = std::min(set_.min_[i], p[i]);
        set_.max_[i] = std::max(set_.max_[i], p[i]);
      }
    }
  }

  std::shared_ptr<const LevelSet> build(const TriangleMesh& surface) {
    check_size();
    lay_out();
    const WindingRows rows(mesh_, set_.origin_, h_, nodes_of(1), nodes_of(2));
    const TriangleTree tree(mesh_);
    number_blocks(tree, rows);
    fill_values(tree, rows);
    set_volume(rows);
    keep_surface(surface);
    return std::make_shared<const LevelSet>(std::move(set_));
  }

 private:
  static constexpr int cells = LevelSet::cells, nodes = LevelSet::nodes;
  static constexpr int reach = LevelSet::reach_voxels;

  int nodes_of(int axis) const { return set_.size_[axis] * cells + 1; }
  void check_size() const {
    for (int i = 0; i < 3; ++i) {
      const double extent = set_.max_[i] - set_.min_[i];
      if (extent < 2 * h_)
        throw SceneError(
            name_ + " is " + number(extent) + " m across in " + "xyz"[i] + ", less than two voxels of " +
            number(h_) + " m; " +
            (extent > 0 ? "make voxel_size " + at_most(extent / 4) + " or less" : "it must be solid"));
    }
    const double voxels = area(mesh_) / (h_ * h_) * (2 * reach);
    if (!(voxels <= most_voxels))
      throw SceneError(name_ + " would need " + number(voxels) + " voxels, more than " + number(most_voxels) +
                       "; make voxel_size " + at_least(h_ * std::sqrt(voxels / most_voxels)) +
                       " or more, or scale the mesh if its units are not metres");
    double blocks = 1;
    for (int i = 0; i < 3; ++i)
      blocks *= std::ceil(((set_.max_[i] - set_.min_[i]) / h_ + 2 * reach + 4) / cells);
    if (!(blocks <= most_blocks))
      throw SceneError(name_ + " would need " + number(blocks) + " blocks of voxels, more than " +
                       number(most_blocks) + "; make voxel_size " +
                       at_least(h_ * std::cbrt(blocks / most_blocks)) +
                       " or more, or scale the mesh if its units are not metres");
  }

  // the grid covers the mesh, the narrow band and a margin of two voxels
  void lay_out() {
    set_.voxel_size_ = h_;
    for (int i = 0; i < 3; ++i) {
      set_.origin_[i] = set_.min_[i] - (reach + 2) * h_;
      set_.size_[i] = int(std::ceil(((set_.max_[i] - set_.min_[i]) / h_ + 2 * reach + 4) / cells));
    }
    set_.blocks_.assign(std::size_t(set_.size_[0]) * set_.size_[1] * set_.size_[2], LevelSet::outside);
  }

  std::array<int, 3> first_node(std::size_t block) const {
    const std::size_t size_z = std::size_t(set_.size_[2]), size_y = std::size_t(set_.size_[1]);
    return {int(block / size_z / size_y) * cells, int(block / size_z % size_y) * cells,
            int(block % size_z) * cells};
  }
  Double3 place(double i, double j, double k) const {
    return {set_.origin_[0] + i * h_, set_.origin_[1] + j * h_, set_.origin_[2] + k * h_};
  }

  // Blocks that meet the narrow band get values; the others are all inside or all outside.
  void number_blocks(const TriangleTree& tree, const WindingRows& rows) {
    constexpr std::int32_t near = 0;
    const double middle = 0.5 * cells, limit = (reach + middle * std::sqrt(3.0)) * h_;
    parallel_for(set_.blocks_.size(), 64, [&](std::size_t b) {
      const auto [i, j, k] = first_node(b);
      int closest = -1;
      if (tree.distance(place(i + middle, j + middle, k + middle), limit, closest) < limit) {
        set_.blocks_[b] = near;
      } else if (rows.winding(i, j, k) != 0) {
        set_.blocks_[b] = LevelSet::inside;
      }
    });
    std::int32_t count = 0;
    for (std::int32_t& block : set_.blocks_)
      if (block == near) block = count++;
    set_.values_.resize(std::size_t(count) * (nodes * nodes * nodes));
  }

  void fill_values(const TriangleTree& tree, const WindingRows& rows) {
    parallel_for(set_.blocks_.size(), 1, [&](std::size_t b) {
      if (set_.blocks_[b] < 0) return;
      const auto [i, j, k] = first_node(b);
      float* values = set_.values_.data() + std::size_t(set_.blocks_[b]) * (nodes * nodes * nodes);
      int closest = -1;
      for (int x = 0; x < nodes; ++x)
        for (int y = 0; y < nodes; ++y)
          for (int z = 0; z < nodes; ++z) {
            const double distance = tree.distance(place(i + x, j + y, k + z), reach * h_, closest) / h_;
            const double known = std::min(distance, double(reach));
            *values++ = float(rows.winding(i + x, j + y, k + z) != 0 ? -known : known);
          }
    });
  }

  // The divergence theorem is exact for parts that do not overlap and have one orientation. If it disagrees with the
  // volume from winding numbers along the rows of nodes, the latter counts.
  void set_volume(const WindingRows& rows) {
    const double exact = std::abs(signed_volume(mesh_)), by_rows = rows.inside_length() * h_ * h_ * h_;
    set_.volume_ = std::abs(exact - by_rows) <= area(mesh_) * h_ ? exact : by_rows;
    const double rounding = 1e-5 * h_;  // of the float values near the surface
    for (int i = 0; i < 3; ++i) set_.min_[i] -= rounding, set_.max_[i] += rounding;
  }

  // facing outward, for drawing
  void keep_surface(const TriangleMesh& surface) {
    set_.surface_ = surface;
    if (signed_volume(mesh_) < 0)
      for (auto& corners : set_.surface_.triangles) std::swap(corners[1], corners[2]);
  }

  const TriangleMesh& mesh_;
  double h_;
  std::string name_;
  LevelSet set_;
};

std::shared_ptr<const LevelSet> make_level_set(const TriangleMesh& mesh, double voxel_size,
                                               const std::string& name, const TriangleMesh& surface) {
  return LevelSetBuilder(mesh, voxel_size, name).build(surface.triangles.empty() ? mesh : surface);
}

}  // namespace dollop
