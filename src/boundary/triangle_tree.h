// The distance of a point to the closest triangle of a mesh, by a tree of boxes.
#pragma once

#include <dollop/shapes.h>

#include <array>
#include <vector>

#include "boundary/triangle_mesh.h"

namespace dollop {

// of a point to a triangle, whose corners may lie in one line or place
double squared_distance(const Double3& x, const std::array<Double3, 3>& triangle);

class TriangleTree {
 public:
  explicit TriangleTree(const TriangleMesh& mesh);

  // The distance to the closest triangle, or `most` if that is less. `closest` is set to that triangle if there is one;
  // the one that it names before, of a point near x or -1, makes the search short and has no influence on the result.
  double distance(const Double3& x, double most, int& closest) const;

 private:
  struct Node {
    Double3 min, max;  // of all triangles below it
    int first, count;  // its triangles if it is a leaf; else count is 0, one child comes next, and ...
    int other;         // ... this is the other one
  };
  int build(int first, int last, std::vector<Double3>& middles);

  std::vector<std::array<Double3, 3>> triangles_ = {};
  std::vector<Node> nodes_ = {};
};

}  // namespace dollop
