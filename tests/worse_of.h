// The worst of many errors: worst = worse_of(worst, error).
#pragma once

namespace dollop::tests {

// NaN is the worst of all errors, and no later error replaces it; std::max(worst, NaN) would be `worst`.
constexpr double worse_of(double worst, double error) {
  return error <= worst || worst != worst ? worst : error;
}

}  // namespace dollop::tests
