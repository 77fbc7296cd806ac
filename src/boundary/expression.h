// Expressions of the time t, such as "0.02*sin(2*pi*3*t)".
//
// They may use all that muParser offers (+ - * / ^, comparisons, a ? b : c, sin, exp, min, ...), the constants pi and
// e, the functions floor(x) and frac(x), and
//   clamp(x, low, high)    step(edge, x): 0 below the edge, else 1    smoothstep(a, b, x): from 0 at a to 1 at b
#pragma once

#include <array>
#include <limits>
#include <string>

namespace dollop {

// The error in an expression and its column; empty if the expression is valid.
std::string validate_expression(const std::string& expression);

// The value at time t; NaN if the expression does not pass validate_expression(). Each thread parses an expression once
// and caches it, so calls are fast and thread-safe.
double evaluate(const std::string& expression, double t);

// False if the expression has the same value at all times.
bool depends_on_time(const std::string& expression);

// The last few values of a function of time: a step asks for the same ones again and again.
class RecentValues {
 public:
  template <class F>
  double at(double t, F&& compute) {
    for (const Entry& entry : entries_)
      if (entry.time == t) return entry.value;
    entries_[next_] = {t, compute()};
    const double value = entries_[next_].value;
    next_ = (next_ + 1) % entries_.size();
    return value;
  }

 private:
  struct Entry {
    double time = std::numeric_limits<double>::quiet_NaN(), value = 0;  // no time equals NaN
  };
  std::array<Entry, 8> entries_;
  std::size_t next_ = 0;
};

// Rates of change of an expression, cached for this thread.
RecentValues& recent_rates(const std::string& expression);

}  // namespace dollop
