// Winding numbers of a closed mesh at the nodes of a voxel grid: 0 outside, 1 inside, 2 where two parts overlap, -1
// inside of triangles that face inward. Theory: docs/theory/contact.md.
#pragma once

#include <dollop/shapes.h>

#include <cstdint>
#include <vector>

#include "boundary/triangle_mesh.h"

namespace dollop {

// The crossings of the mesh with the rows of nodes along x, one row for each pair (j, k). Lengths are in voxels.
class WindingRows {
 public:
  WindingRows(const TriangleMesh& mesh, const Double3& origin, double voxel_size, int size_y, int size_z);

  int winding(int i, int j, int k) const;  // (BC.13)
  double inside_length() const;            // length of all rows inside the mesh [voxels]

 private:
  struct Crossing {
    double x;
    int turn;  // change of the winding number: +1 where the row enters, -1 where it leaves
  };

  int size_z_;
  std::vector<std::size_t> begin_;        // start of each row in crossings_, and the end of the last
  std::vector<Crossing> crossings_ = {};  // each row sorted by x
};

}  // namespace dollop
