// How deep a point lies below the surface of a shape. Theory: docs/theory/seeding.md.
#pragma once

#include <dollop/shapes.h>

#include <vector>

namespace dollop {

// The same shape with the members of sets placed, not the sets.
Shape with_placed_members(Shape shape);

// The signed distance is less than the depth near surfaces that other members of a union cover, where a shape is
// stretched, and far inside of meshes. This is the depth below the surface of the whole.                    (SEED.15)
class ShapeDepth {
 public:
  explicit ShapeDepth(const Shape& shape);

  // Whether no point outside is closer to x than `depth` [m]. Where the signed distance is the depth, it decides. Else
  // a search does, good to about 0.2 % of the depth; gaps and grooves are seen where they are wider. Any number of
  // threads may ask at once.
  bool deeper_than(const Double3& x, double depth) const;

  // A set of points: one side of a shape without members, or what is in all or in any of its parts.
  struct Region {
    Shape shape = {};
    bool inside = false;             // which side
    double exact_to = 0;             // the signed distance of the shape is the distance up to this [m]
    std::vector<Region> parts = {};  // if there are any, then instead of the shape
    bool all = false;                // all or any of them
  };

 private:
  Region outside_;
};

}  // namespace dollop
