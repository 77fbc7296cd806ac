// Runs a fuzz target without libFuzzer: on its seeds, and on damaged copies of them. Include the target before.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace dollop::fuzz {

// one to four changes: a byte, a piece that is cut out, a piece that is copied
inline std::string damaged(std::string bytes, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : std::size_t(random()) % n; };
  for (std::size_t change = 0, changes = 1 + below(4); change < changes && bytes.size() > 1; ++change) {
    const std::size_t at = 1 + below(bytes.size() - 1), length = below(20);
    switch (below(4)) {
      case 0:
        bytes.erase(at, length);
        break;
      case 1:
        bytes.insert(at, bytes.substr(at, length));
        break;
      default:
        bytes[at] = char(random());
    }
  }
  return bytes;
}

inline void expect_seeds_are_accepted() {
  int number = 0;
  for (const std::string& seed : seeds()) EXPECT_TRUE(accepts(seed)) << "seed " << number++;
}

// ends the program if the reader fails
inline void feed_damaged_seeds(int count) {
  const std::vector<std::string> whole = seeds();
  std::mt19937 random(1);
  int accepted = 0;
  for (int i = 0; i < count; ++i)
    accepted += accepts(damaged(whole[random() % whole.size()], random)) ? 1 : 0;
  EXPECT_LT(accepted, count);  // otherwise nothing was damaged
}

}  // namespace dollop::fuzz
