// The front of a nozzle: the surface that material flows out of, and the columns of flow that start there.
#pragma once

#include <dollop/shapes.h>

#include <optional>
#include <vector>

namespace dollop {

// Where a particle of a layer starts, in the frame of the nozzle at rest.
struct FrontPoint {
  Double3 foot;  // on the front [m]
  double ahead;  // of the middle of the layer [m]
  bool at_edge;  // next to a column that is not in the flow
};

// Two directions at right angles to the flow and to each other, along the edges of the shape if it has such, and how
// far the shape reaches along the three.
struct FlowFrame {
  Double3 direction, across, along;  // unit
  struct Interval {
    double low, high;  // of dot(axis, x) [m]
  };
  Interval on_across, on_along;
};
FlowFrame flow_frame(const Shape& shape, const Double3& direction);

// Whether the shape, or a part of it that counts, has no thickness and so no inside.
bool is_flat(const Shape& shape);
// the unit normal of a disc, placed or not
std::optional<Double3> disc_normal(const Shape& shape);

// The last point of the shape on a line; none if the line misses it. Parts thinner than `resolution` may be missed.
std::optional<Double3> front_point(const Shape& shape, const Double3& through, const Double3& direction,
                                   double resolution);

// [m^2]: the area of the shadow along a unit direction, where a closed form is known (SEED.12)
std::optional<double> shadow_area(const Shape& shape, const Double3& direction);

// Middles of the squares of a lattice across the flow that hit the shape (SEED.10). Throws SceneError if they are far
// too many; empty if the shape is too small for any.
std::vector<FrontPoint> flow_columns(const Shape& shape, const FlowFrame& frame, double spacing);

}  // namespace dollop
