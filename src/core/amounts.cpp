#include "core/amounts.h"

#include <fmt/format.h>

#include <cmath>

namespace dollop {

std::string bytes_text(double bytes) {
  constexpr double kilo = 1024;
  if (bytes < 0.95 * kilo * kilo * kilo) return fmt::format("{:.3g} MiB", bytes / (kilo * kilo));
  return fmt::format("{:.3g} GiB", bytes / (kilo * kilo * kilo));
}

double rounded_up(double value, int digits) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - (digits - 1));
  return std::ceil(value / unit * (1 - 1e-9)) * unit;  // a value that is round stays, but for rounding
}

}  // namespace dollop
