// The cubic B-spline N of (MPM.2) for sums over neighbours.
#pragma once

#include <algorithm>
#include <cmath>

namespace dollop {

inline double cubic_spline(double x) {  // x in cells
  const double a = std::fabs(x), outer = std::max(0.0, 2 - a), inner = std::max(0.0, 1 - a);
  return outer * outer * outer * (1 / 6.0) - inner * inner * inner * (4 / 6.0);
}

}  // namespace dollop
