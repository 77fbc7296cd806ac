#include "boundary/ellipsoid_distance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace dollop {
namespace {

// The root u of  sum_i (n_i / (u + c_i))^2 = 1  with  c_2 = 0: the sum falls from 1 or more at the start.
// Newton's method on the reciprocal of its square root, which is concave and nearly straight, goes up to the root and
// never past it.
double root(const Double3& n, const Double3& c) {
  double u = std::max({n[2], n[0] - c[0], n[1] - c[1]});  // one of the terms alone is 1
  constexpr int most =
      100;  // the slowest case, flat inside near the edge of its middle, gains a factor 1.5 each time
  for (int k = 0; k < most; ++k) {
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
  // axes by falling radius; the shortest one decides where the closest point is not unique
  std::array<int, 3> order{0, 1, 2};
  std::sort(order.begin(), order.end(), [&](int a, int b) { return radii[a] > radii[b]; });
  const double shortest = radii[order[2]];
  constexpr double off_the_plane = 1e-100;  // so that one of the two equal closest points is chosen
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
