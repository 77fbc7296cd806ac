// Triangles of any bounded shape, from its signed distance.
#pragma once

#include <dollop/shapes.h>

#include "boundary/shape_distance.h"
#include "boundary/tessellate.h"

namespace dollop {

// The zero level set of the shape's signed distance at time t within a box, with sharp features, on cells of which
// `cells` are as long as the longest edge of the box.
TriangleShape polygonise(const Shape& shape, const Bounds& box, double t = 0, int cells = 96);

}  // namespace dollop
