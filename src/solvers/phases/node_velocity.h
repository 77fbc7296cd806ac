// The velocity that the nodes of a step give to a place where there need be no particle. Theory:
// docs/theory/embedded_meshes.md.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "math/vec.h"
#include "solvers/phases/step_grid.h"

namespace dollop {

// The nodes around the place that was asked for last: places are mostly asked for in the order in which they lie in space.
struct NodeCursor {
  bool valid = false;
  BlockCoord block{};                  // of the first node of the stencil
  std::array<std::int32_t, 8> slot{};  // of this block and of those after it, z fastest; -1: none
  std::vector<std::size_t> islands{};  // that may reach these nodes, each by one of its tiles
};

// Interpolates the velocity of nodes as particles do, and where some nodes of a stencil have no mass fits an affine field
// to the others.                                                                                        (EMB.1-4)
template <class S>
class NodeVelocity {
 public:
  // `moving`: the velocity of the nodes that moves the particles
  NodeVelocity(const AlignedArray<S>& moving, const State<S>& state, const StepGrid<S>& grid)
      : moving_(moving), state_(state), grid_(grid) {}

  // [m/s]; none if there is hardly any node with mass around x. `enough_mass`: of a node that counts fully [kg]
  std::optional<Vec3<double>> at(const Double3& x, double enough_mass, NodeCursor& cursor) const;

 private:
  struct Around;
  template <int K>
  std::optional<Vec3<double>> interpolate(const Double3& x, double enough_mass, NodeCursor& cursor) const;
  void move_to(const BlockCoord& block, NodeCursor& cursor) const;
  template <int K>
  void add_slots(const NodeCursor& cursor, Around& around) const;
  template <int K>
  void add_island(std::size_t tile, const BlockCoord& block, Around& around) const;
  template <int K>
  void add_lone(std::size_t tile, const BlockCoord& block, Around& around) const;

  const AlignedArray<S>& moving_;
  const State<S>& state_;
  const StepGrid<S>& grid_;
};

}  // namespace dollop
