// The distance of a point to the closest triangle of a mesh, by a bounding volume hierarchy.
#pragma once

#include <dollop/shapes.h>

#include <array>
#include <vector>

#include "boundary/triangle_mesh.h"

namespace dollop {

// the squared distance of a point to a triangle, which may be degenerate
double squared_distance(const Double3& x, const std::array<Double3, 3>& triangle);

class TriangleTree {
 public:
  explicit TriangleTree(const TriangleMesh& mesh);

  // The distance to the closest triangle, or `most` if that is less. `closest` is set to that triangle if there is one.
  // Its value before the call is a hint, the closest triangle of a nearby point or -1: it shortens the search and does
  // not influence the distance.
  double distance(const Double3& x, double most, int& closest) const;

 private:
  struct Node {
    Double3 min, max;  // bounding box of all triangles below the node
    int first,
        count;  // the triangles of a leaf; in an inner node count is 0, its first child is the next node, ...
    int other;  // ... and this is its second child
  };
  int build(int first, int last, std::vector<Double3>& centroids);

  std::vector<std::array<Double3, 3>> triangles_ = {};
  std::vector<Node> nodes_ = {};
};

}  // namespace dollop
