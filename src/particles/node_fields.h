// Fields of particles, transferred to grid nodes and interpolated at new particles. Theory: docs/theory/resampling.md.
#pragma once

#include <utility>
#include <vector>

#include "particles/dart_throwing.h"
#include "particles/particle_cells.h"

namespace dollop {

// Mass-weighted means over the particles of one group, with cubic B-splines, at the nodes around some points. (RES.12)
template <class S>
class NodeFields {
 public:
  using Columns = std::vector<const S*>;  // values of the fields for all particles of the group

  NodeFields(const ParticleCells& cells, int group, const S* mass, const Columns& columns,
             const std::vector<Dart>& places);

  // The fields at one of the positions. False if no particle of the group is near: values are not written then.
  bool interpolate(const Dart& place, std::vector<double>& values) const;

 private:
  using Node = std::pair<std::uint32_t, std::uint32_t>;  // brick, index in the brick: z fastest

  // calls visit(node, weight) for the nodes of the stencil around a position
  template <class Visit>
  void each_node(const Dart& place, Visit&& visit) const;
  void take_means(const Node& node, const S* mass, const Columns& columns, double* row) const;

  const ParticleCells& cells_;
  const int group_;
  const std::size_t width_;    // values at a node: the mass, then the fields
  std::vector<Node> nodes_;    // in ascending order
  std::vector<double> means_;  // values of each node
};

}  // namespace dollop
