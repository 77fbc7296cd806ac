// The worst of many errors: worst = worse_of(worst, error).
#pragma once

namespace dollop::tests {

// NaN is the worst of all, and what follows does not take its place; std::max(worst, NaN) would be `worst`.
constexpr double worse_of(double worst, double error) {
  return error <= worst || worst != worst ? worst : error;
}

}  // namespace dollop::tests
