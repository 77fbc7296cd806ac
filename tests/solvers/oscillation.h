// Period and amplitude of a recorded oscillation; the period comes from the times of its zero crossings.
#pragma once

#include <cmath>
#include <vector>

namespace dollop::tests {

struct Record {
  std::vector<double> times, values;
  void add(double time, double value) {
    times.push_back(time);
    values.push_back(value);
  }
};

inline double period_of(const Record& r) {
  std::vector<double> zeros;
  for (std::size_t i = 1; i < r.times.size(); ++i) {
    const double a = r.values[i - 1], b = r.values[i];
    if ((a > 0) != (b > 0)) zeros.push_back(r.times[i - 1] + (r.times[i] - r.times[i - 1]) * a / (a - b));
  }
  return zeros.size() < 2 ? 0 : 2 * (zeros.back() - zeros.front()) / double(zeros.size() - 1);
}

// the amplitude of the cosine of any phase that fits best (least squares)
inline double amplitude_of(const Record& r, double period) {
  double cc = 0, cs = 0, ss = 0, vc = 0, vs = 0;
  for (std::size_t i = 0; i < r.times.size(); ++i) {
    const double phase = 2 * 3.14159265358979323846 * r.times[i] / period, c = std::cos(phase),
                 s = std::sin(phase);
    cc += c * c, cs += c * s, ss += s * s, vc += r.values[i] * c, vs += r.values[i] * s;
  }
  const double det = cc * ss - cs * cs;
  return std::hypot((vc * ss - vs * cs) / det, (vs * cc - vc * cs) / det);
}

// the order of convergence: log2 of the ratio of two errors, the second with cells half as wide
inline double order_of(double coarse, double fine) { return std::log2(std::fabs(coarse / fine)); }

}  // namespace dollop::tests
