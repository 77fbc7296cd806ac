#include "solvers/rheometer/stress_record.h"

#include <algorithm>
#include <cmath>

namespace dollop {
namespace {
constexpr double steady_change = 1e-6;  // relative change of the stress that counts as steady
constexpr double least_window = 0.5;    // strain over which the stress must be steady
}  // namespace

bool StressRecord::steady() {
  if (samples_.size() < next_check_) return false;
  next_check_ = samples_.size() + 1 + samples_.size() / 50;  // long windows are checked less often
  const Sample& last = samples_.back();
  const double begin = last.strain - std::max(least_window, last.strain / 3);
  if (begin <= 0) return false;
  double least = last.stress, most = last.stress, least_n = last.normal, most_n = last.normal;
  int count = 0;
  for (auto s = samples_.rbegin(); s != samples_.rend() && s->strain >= begin; ++s, ++count) {
    least = std::min(least, s->stress), most = std::max(most, s->stress);
    least_n = std::min(least_n, s->normal), most_n = std::max(most_n, s->normal);
  }
  const double size = std::max(std::fabs(least), std::fabs(most));
  return count >= 8 && most - least <= steady_change * size &&
         most_n - least_n <= steady_change * (size + std::fabs(most_n));
}

}  // namespace dollop
