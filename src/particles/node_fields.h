// Fields of particles as the grid sees them, at the places of new particles. Theory: docs/theory/resampling.md.
#pragma once

#include <utility>
#include <vector>

#include "particles/dart_throwing.h"
#include "particles/particle_cells.h"

namespace dollop {

// Means by mass over the particles of one group, with the cubic weight, at the nodes around some places.  (RES.12)
template <class S>
class NodeFields {
 public:
  using Columns = std::vector<const S*>;  // numbers of the particles of the group

  NodeFields(const ParticleCells& cells, int group, const S* mass, const Columns& columns,
             const std::vector<Dart>& places);

  // The fields at one of the places. False if there is no particle of the group near: values are not written then.
  bool interpolate(const Dart& place, std::vector<double>& values) const;

 private:
  using Node = std::pair<std::uint32_t, std::uint32_t>;  // brick, number in the brick: z fastest

  // calls visit(node, weight) for the nodes around a place
  template <class Visit>
  void each_node(const Dart& place, Visit&& visit) const;
  void take_means(const Node& node, const S* mass, const Columns& columns, double* row) const;

  const ParticleCells& cells_;
  const int group_;
  const std::size_t width_;    // numbers of a node: the mass, then the fields
  std::vector<Node> nodes_;    // rising
  std::vector<double> means_;  // of each
};

}  // namespace dollop
