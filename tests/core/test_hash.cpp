// The mixing hash: known values, no collisions, and every input bit flips every output bit half of the time.
#include "core/hash.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <set>

namespace dollop {
namespace {

// the published first numbers of splitmix64 with seed 0 (state advances by the golden ratio) and seed 1234567
TEST(Hash, mix_is_splitmix64) {
  const std::uint64_t golden = 0x9e3779b97f4a7c15u;
  EXPECT_EQ(mix(0), 0xe220a8397b1dcdafu);
  EXPECT_EQ(mix(golden), 0x6e789e6aa1b965f4u);
  EXPECT_EQ(mix(2 * golden), 0x06c45d188009454fu);
  EXPECT_EQ(mix(1234567), 6457827717110365317u);
  EXPECT_EQ(mix(1234567 + golden), 3203168211198807973u);
}

// flipping input bit i flips each output bit with probability 1/2; 6 standard deviations over 64 x 64 pairs
template <class F>
void expect_avalanche(F&& hash) {
  constexpr int samples = 4000;
  std::array<std::array<int, 64>, 64> flips{};
  for (int s = 0; s < samples; ++s) {
    const std::uint64_t x = mix(std::uint64_t(s) * 77 + 5), h = hash(x);
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint64_t change = h ^ hash(x ^ (std::uint64_t(1) << i));
      for (std::size_t o = 0; o < 64; ++o) flips[i][o] += int(change >> o & 1);
    }
  }
  for (std::size_t i = 0; i < 64; ++i)
    for (std::size_t o = 0; o < 64; ++o)
      ASSERT_LT(std::fabs(flips[i][o] - samples / 2.0), 6 * std::sqrt(samples / 4.0)) << i << " -> " << o;
}

TEST(Hash, mix_avalanches) {
  expect_avalanche([](std::uint64_t x) { return mix(x); });
}

TEST(Hash, combine_avalanches_in_both_arguments) {
  expect_avalanche([](std::uint64_t x) { return combine(x, 12345); });
  expect_avalanche([](std::uint64_t x) { return combine(12345, x); });
}

// small numbers, the keys of hash tables, differ by half of their bits
TEST(Hash, neighbours_are_far_apart) {
  double bits = 0;
  for (std::uint64_t x = 0; x < 10000; ++x) bits += std::popcount(mix(x) ^ mix(x + 1));
  EXPECT_NEAR(bits / 10000, 32, 0.25);
}

TEST(Hash, no_collisions_and_order_matters) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t a = 0; a < 200; ++a)
    for (std::uint64_t b = 0; b < 200; ++b) seen.insert(combine(a, b));
  EXPECT_EQ(seen.size(), 40000u);
  EXPECT_NE(combine(1, 2), combine(2, 1));
  EXPECT_NE(combine(combine(0, 1), 2), combine(combine(0, 2), 1));
}

}  // namespace
}  // namespace dollop
