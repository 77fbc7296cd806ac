// A smooth function on sparse blocks: quadratic B-splines, whose coefficients sit on the nodes of the blocks.
//
// Where there is no block the coefficients are zero. The function lies between the least and the largest coefficient
// nearby, its gradient is continuous, and it can be sampled more finely than the nodes.
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

// Weights of the node before the nearest one, of the nearest and of the next; d: place from the nearest, |d| <= 1/2.
struct SplineWeights {
  float w[3];
};
inline SplineWeights spline_weights(float d) {
  return {{0.5f * (0.5f - d) * (0.5f - d), 0.75f - d * d, 0.5f * (0.5f + d) * (0.5f + d)}};
}
inline SplineWeights spline_slopes(float d) { return {{d - 0.5f, -2 * d, d + 0.5f}}; }

// The coefficients of a block and around it.
struct SplineTile {
  static constexpr int low = -2, high = block_edge + 3;  // nodes it holds, along each axis: [low, high)
  static constexpr int side = high - low;
  float values[side * side * side];  // z runs fastest

  // The function at a place in voxels from the first node of the block, within [-1, 9] along each axis.
  float at(const Vec3<float>& g) const;
  Vec3<float> gradient(const Vec3<float>& g) const;  // in a voxel
};

void load_tile(const SplineField& field, std::size_t slot, SplineTile& tile);

// Samples of the function `refine` times as dense as the nodes: those number -1 to refine * block_edge + 1 of a block.
// The samples that two blocks share are the same bits.
class FineSamples {
 public:
  explicit FineSamples(int refine);

  int cells() const { return refine_ * block_edge; }  // along an edge of the block
  int refine() const { return refine_; }
  void load(const SplineTile& tile);
  float operator()(int i, int j, int k) const {  // -1 <= i, j, k <= cells() + 1
    return values_[std::size_t(((i + 1) * side_ + j + 1) * side_ + k + 1)];
  }

 private:
  struct Taps {
    int base;  // first of three nodes, counted from the first one of the tile
    SplineWeights weights;
  };
  int refine_, side_;
  std::vector<Taps> taps_;
  std::vector<float> along_x_, along_xy_, values_;
};

}  // namespace dollop
