#include "boundary/ellipsoid_distance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace dollop {
namespace {

// The root u of  sum_i (n_i / (u + c_i))^2 = 1  with  c_2 = 0: the sum falls from 1 or more at the start.
// Newton's method is applied to the reciprocal of the square root of the sum, which is concave and nearly linear, so it
// converges to the root monotonically from below.
double root(const Double3& n, const Double3& c) {
  double u = std::max({n[2], n[0] - c[0], n[1] - c[1]});  // here the largest term is 1
  // the slowest case, a point inside a flat ellipsoid near the edge of its mid-plane, gains a factor 1.5 per iteration
  constexpr int max_iterations = 100;
  for (int k = 0; k < max_iterations; ++k) {
    double s2 = 0, slope = 0;
    for (int i = 0; i < 3; ++i) {
      const double a = n[i] / (u + c[i]);
      s2 += a * a, slope += a * a / (u + c[i]);
    }
    const double s = std::sqrt(s2), step = s2 * (s - 1) / slope;
    u += step;
    if (!(step > 2 * std::numeric_limits<double>::epsilon() * u)) break;
  }
  return u;
}

}  // namespace

EllipsoidDistance ellipsoid_distance(const Double3& radii, const Double3& x) {
  // axes in order of decreasing radius; the shortest one selects among closest points where there are several
  std::array<int, 3> order{0, 1, 2};
  std::sort(order.begin(), order.end(), [&](int a, int b) { return radii[a] > radii[b]; });
  const double shortest = radii[order[2]];
  constexpr double off_the_plane = 1e-100;  // selects one of two equally close points
  Double3 y, n, c;
  for (int i = 0; i < 3; ++i) {
    const double ratio = radii[order[i]] / shortest;
    y[i] = std::abs(x[order[i]]) / shortest;
    if (i == 2) y[i] = std::max(y[i], off_the_plane);
    n[i] = ratio * y[i];
    c[i] = (ratio - 1) * (ratio + 1);
  }
  const double u = root(n, c);
  EllipsoidDistance result{};
  double length2 = 0;
  for (int i = 0; i < 3; ++i) {
    const double m = y[i] / (u + c[i]);  // x - closest point is (u - 1) m
    length2 += m * m;
    result.normal[order[i]] = std::copysign(m, x[order[i]]);
  }
  result.distance = shortest * (u - 1) * std::sqrt(length2);
  return result;
}

}  // namespace dollop
