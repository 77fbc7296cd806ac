// How deep a point lies below the surface of a shape. Theory: docs/theory/seeding.md.
#pragma once

#include <dollop/shapes.h>

#include <vector>

namespace dollop {

// The same shape with each placement of a set (union, intersect, minus) moved to the members of the set.
Shape with_placed_members(Shape shape);

// The depth of a point below the surface of the whole shape. The signed distance underestimates it near surfaces that
// other members of a union cover, in shapes placed with unequal scales, and deep inside meshes.             (SEED.15)
class ShapeDepth {
 public:
  explicit ShapeDepth(const Shape& shape);

  // Whether no point outside is closer to x than `depth` [m]. Where the signed distance is exact, it decides. Elsewhere
  // a search does, accurate to about 0.2 % of the depth; it finds gaps and grooves that are wider than this.
  // Thread-safe.
  bool deeper_than(const Double3& x, double depth) const;

  // A set of points: one side of a shape without members, or the intersection or union of other regions.
  struct Region {
    Shape shape = {};
    bool inside = false;             // which side of the shape
    double exact_to = 0;             // the signed distance of the shape is exact up to this distance [m]
    std::vector<Region> parts = {};  // if not empty, they define the region instead of the shape
    bool all = false;                // the region is the intersection of the parts, else their union
  };

 private:
  Region outside_;
};

}  // namespace dollop
