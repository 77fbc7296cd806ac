#include "particles/emission_flow.h"

#include <algorithm>
#include <cmath>

#include "boundary/motion.h"

namespace dollop {
namespace {

// The integral of the speed from the first key to t, for linear or smooth keys.
double length_of_keys(const Animated& speed, double t) {
  const auto& keys = speed.keys;
  if (t <= keys.front().time) return (t - keys.front().time) * keys.front().value;
  double length = 0;
  for (std::size_t k = 1; k < keys.size(); ++k) {
    const double span = keys[k].time - keys[k - 1].time, low = keys[k - 1].value, rise = keys[k].value - low;
    const double s = std::min(1.0, (t - keys[k - 1].time) / span);
    const double share = speed.kind == Animated::Kind::smooth ? s * s * s * (1 - 0.5 * s) : 0.5 * s * s;
    length += span * (low * s + rise * share);
    if (s < 1) return length;
  }
  return length + (t - keys.back().time) * keys.back().value;
}

// Gauss-Legendre quadrature with five points, exact for polynomials of degree nine
double integrate(const Animated& speed, double begin, double end) {
  static constexpr double node[3] = {0, 0.53846931010568309, 0.90617984593866399};
  static constexpr double weight[3] = {0.56888888888888889, 0.47862867049936647, 0.23692688505618909};
  const double middle = 0.5 * (begin + end), half = 0.5 * (end - begin);
  double sum = weight[0] * flow_speed(speed, middle);
  for (int i = 1; i < 3; ++i)
    sum +=
        weight[i] * (flow_speed(speed, middle - half * node[i]) + flow_speed(speed, middle + half * node[i]));
  return half * sum;
}

// Quadrature in pieces short enough for a speed that changes some 50 times a second; their number is limited for long
// estimates.
double length_of_expression(const Animated& speed, double begin, double end) {
  const double pieces = std::clamp(std::ceil((end - begin) * 128), 1.0, 65536.0);
  double length = 0;
  for (double k = 0; k < pieces; ++k)
    length +=
        integrate(speed, begin + (end - begin) * (k / pieces), begin + (end - begin) * ((k + 1) / pieces));
  return length;
}

}  // namespace

double flow_speed(const Animated& speed, double t) { return std::max(0.0, value_at(speed, t)); }

double flow_length(const Animated& speed, double begin, double end) {
  if (!(end > begin)) return 0;
  switch (speed.kind) {
    case Animated::Kind::constant:
      return std::max(0.0, speed.value) * (end - begin);
    case Animated::Kind::linear:
    case Animated::Kind::smooth:
      return length_of_keys(speed, end) - length_of_keys(speed, begin);
    case Animated::Kind::expression:
      break;
  }
  return length_of_expression(speed, begin, end);
}

double copies_until(const Emitter& emitter, double t) {
  constexpr double rounding = 1e-9;  // absorbs rounding at whole numbers of intervals
  if (t < emitter.from) return 0;
  const double begun = std::floor((t - emitter.from) / emitter.every + rounding) + 1;
  return std::min(begun, std::ceil((emitter.until - emitter.from) / emitter.every - rounding));
}

}  // namespace dollop
