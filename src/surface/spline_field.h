// A quadratic B-spline on a sparse grid, with coefficients at the nodes of the blocks.
//
// Coefficients are zero where there is no block. The function lies between the smallest and the largest nearby
// coefficient, its gradient is continuous, and it can be sampled more finely than the nodes.
#pragma once

#include <cmath>
#include <vector>

#include "surface/blocks.h"

namespace dollop {

struct SplineField {
  BlockTable blocks = {};
  double voxel = 1;                      // [m]
  std::vector<float> coefficients = {};  // [slot][node]
};

// Weights of the previous, the nearest and the next node; d: offset from the nearest node, |d| <= 1/2.
struct SplineWeights {
  float w[3];
};
inline SplineWeights spline_weights(float d) {
  return {{0.5f * (0.5f - d) * (0.5f - d), 0.75f - d * d, 0.5f * (0.5f + d) * (0.5f + d)}};
}
inline SplineWeights spline_derivatives(float d) { return {{d - 0.5f, -2 * d, d + 0.5f}}; }

// The coefficients of a block and a margin around it.
struct SplineTile {
  static constexpr int low = -2, high = voxels_on_edge + 3;  // nodes it holds, along each axis: [low, high)
  static constexpr int side = high - low;
  float values[side * side * side];  // z runs fastest

  // The function at a position in voxels from the first node of the block, within [-1, 9] along each axis.
  float at(const Vec3<float>& g) const;
  Vec3<float> gradient(const Vec3<float>& g) const;  // per voxel
};

void load_tile(const SplineField& field, std::size_t slot, SplineTile& tile);

// Samples of the function at `refine` times the density of the nodes: numbers -1 to refine * voxels_on_edge + 1 of a block.
// Samples that two blocks share are bitwise equal.
class FineSamples {
 public:
  explicit FineSamples(int refine);

  int cells() const { return refine_ * voxels_on_edge; }  // along an edge of the block
  int refine() const { return refine_; }
  void load(const SplineTile& tile);
  float operator()(int i, int j, int k) const {  // -1 <= i, j, k <= cells() + 1
    return values_[std::size_t(((i + 1) * side_ + j + 1) * side_ + k + 1)];
  }

 private:
  struct Taps {
    int base;  // first of three nodes, counted from the first node of the tile
    SplineWeights weights;
  };
  int refine_, side_;
  std::vector<Taps> taps_;
  std::vector<float> along_x_, along_xy_, values_;
};

}  // namespace dollop
