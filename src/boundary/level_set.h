// Signed distances to a closed mesh on a sparse grid of voxels. Theory: docs/theory/contact.md.
//
// A level set is immutable, so any number of threads may sample it at once. Values are stored in blocks of 8 x 8 x 8
// cells, upper faces included: the eight corners of a cell lie in one block, so a sample reads one block.
#pragma once

#include <dollop/shapes.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "boundary/triangle_mesh.h"

namespace dollop {

class LevelSet {
 public:
  static constexpr int reach_voxels = 8;  // half width of the narrow band in which distances are known
  static constexpr int cells = 8;         // of a block, along each axis
  static constexpr int nodes = cells + 1;

  struct Sample {
    // negative inside; beyond the narrow band -reach() inside, and at least reach() outside [m]
    double distance;
    // of the distance, not normalised; where it vanishes, a direction away from the middle of the mesh
    Double3 gradient;
  };
  Sample sample(const Double3& x) const;  // (BC.13)

  double voxel_size() const { return voxel_size_; }            // [m]
  double reach() const { return reach_voxels * voxel_size_; }  // [m]
  double volume() const { return volume_; }                    // of the mesh [m^3]
  const Double3& min() const { return min_; }                  // of the bounding box of the mesh [m]
  const Double3& max() const { return max_; }
  const TriangleMesh& surface() const { return surface_; }  // the triangles, for drawing
  std::size_t bytes() const {
    return blocks_.size() * sizeof(blocks_[0]) + values_.size() * sizeof(values_[0]) +
           surface_.points.size() * sizeof(surface_.points[0]) +
           surface_.triangles.size() * sizeof(surface_.triangles[0]);
  }

 private:
  friend class LevelSetBuilder;
  enum Far : std::int32_t { outside = -1, inside = -2 };  // blocks beyond the narrow band have no values

  Sample interpolate(const Double3& x) const;

  double voxel_size_ = 0, volume_ = 0;
  Double3 min_{}, max_{};
  Double3 origin_{};                       // of node (0, 0, 0) [m]
  std::array<int, 3> size_{};              // in blocks
  std::vector<std::int32_t> blocks_ = {};  // index of the values of each block, or Far; z runs fastest
  std::vector<float> values_ = {};         // nodes^3 for each block, in voxels; z runs fastest
  TriangleMesh surface_ = {};
};

// The level set of a closed mesh whose equal points are merged. It keeps `surface`, the same triangles with their points
// in another order; without it, the mesh itself. Throws a SceneError that starts with the name if the mesh is too small
// for the voxels or needs too many of them.
std::shared_ptr<const LevelSet> make_level_set(const TriangleMesh& mesh, double voxel_size,
                                               const std::string& name, const TriangleMesh& surface = {});

}  // namespace dollop
