// Counter-based random numbers: uniform, reproducible, and independent between streams and seeds.
// The bounds are 5 standard deviations, for fixed seeds: a test either always passes or always fails.
#include "core/random.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

namespace dollop {
namespace {

constexpr int n = 200000;

// the n-th numbers of (seed, stream) pairs in which one of the three counts up
double draw(int which, std::uint64_t i) {
  return which == 0   ? random_uniform(42, 7, i)
         : which == 1 ? random_uniform(42, i, 7)
                      : random_uniform(i, 42, 7);
}

TEST(Random, numbers_depend_on_seed_stream_and_index_alone) {
  EXPECT_EQ(random_bits(1, 2, 3), random_bits(1, 2, 3));
  EXPECT_EQ(random_uniform(1, 2, 3), random_uniform(1, 2, 3));
  // fixed for ever: scenes with random seeding must not change
  EXPECT_EQ(random_bits(0, 0, 0), 0x8770a4cbca989e4au);
  EXPECT_EQ(random_bits(1, 2, 3), 0x9480f9e8f2b081a3u);
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    for (std::uint64_t stream = 0; stream < 20; ++stream)
      for (std::uint64_t i = 0; i < 20; ++i) seen.insert(random_bits(seed, stream, i));
  EXPECT_EQ(seen.size(), 8000u);
}

TEST(Random, lies_in_the_unit_interval) {
  double least = 1, most = 0;
  for (int i = 0; i < n; ++i) {
    const double u = random_uniform(3, 4, std::uint64_t(i));
    ASSERT_TRUE(u >= 0 && u < 1);
    least = std::min(least, u), most = std::max(most, u);
  }
  EXPECT_LT(least, 1e-4);
  EXPECT_GT(most, 1 - 1e-4);
}

TEST(Random, moments) {
  for (int which = 0; which < 3; ++which) {
    double sum = 0, square = 0, cube = 0;
    for (int i = 0; i < n; ++i) {
      const double u = draw(which, std::uint64_t(i)) - 0.5;
      sum += u, square += u * u, cube += u * u * u;
    }
    EXPECT_LT(std::fabs(sum / n), 5 * std::sqrt(1.0 / 12 / n)) << which;
    EXPECT_LT(std::fabs(square / n - 1.0 / 12), 5 * std::sqrt(1.0 / 180 / n)) << which;
    EXPECT_LT(std::fabs(cube / n), 5 * std::sqrt(1.0 / 448 / n)) << which;
  }
}

// chi-square over bins: mean k, variance 2 k; neither too uneven nor too even
TEST(Random, bins_fill_evenly) {
  for (int which = 0; which < 3; ++which) {
    std::array<int, 256> counts{};
    for (int i = 0; i < n; ++i) ++counts[std::size_t(256 * draw(which, std::uint64_t(i)))];
    double chi = 0;
    for (const int c : counts) chi += (c - n / 256.0) * (c - n / 256.0) / (n / 256.0);
    EXPECT_LT(std::fabs(chi - 255), 5 * std::sqrt(2 * 255.0)) << which;
  }
}

// pairs of neighbours fill the square evenly: along a stream, across streams, across seeds
TEST(Random, neighbours_are_independent) {
  for (int which = 0; which < 3; ++which) {
    std::array<int, 256> counts{};
    double correlation = 0;
    for (int i = 0; i < n; ++i) {
      const double u = draw(which, std::uint64_t(i)), v = draw(which, std::uint64_t(i) + 1);
      ++counts[std::size_t(16 * u) * 16 + std::size_t(16 * v)];
      correlation += (u - 0.5) * (v - 0.5);
    }
    double chi = 0;
    for (const int c : counts) chi += (c - n / 256.0) * (c - n / 256.0) / (n / 256.0);
    EXPECT_LT(std::fabs(chi - 255), 5 * std::sqrt(2 * 255.0)) << which;
    EXPECT_LT(std::fabs(correlation / n), 5 * std::sqrt(1.0 / n) / 12) << which;
  }
}

// two whole streams against each other
TEST(Random, streams_are_independent) {
  for (std::uint64_t stream = 1; stream < 8; ++stream) {
    double across = 0, swapped = 0;
    for (int i = 0; i < n / 4; ++i) {
      const double u = random_uniform(5, 0, std::uint64_t(i)) - 0.5;
      across += u * (random_uniform(5, stream, std::uint64_t(i)) - 0.5);
      swapped += u * (random_uniform(5 + stream, 0, std::uint64_t(i)) - 0.5);
    }
    EXPECT_LT(std::fabs(across / (n / 4)), 5 * std::sqrt(4.0 / n) / 12) << stream;
    EXPECT_LT(std::fabs(swapped / (n / 4)), 5 * std::sqrt(4.0 / n) / 12) << stream;
  }
}

// each of the 53 bits of a number is one half of the time set
TEST(Random, bits_are_fair) {
  std::array<int, 64> set{};
  for (int i = 0; i < n; ++i)
    for (std::size_t b = 0; b < 64; ++b) set[b] += int(random_bits(9, 1, std::uint64_t(i)) >> b & 1);
  for (std::size_t b = 0; b < 64; ++b) EXPECT_LT(std::fabs(set[b] - n / 2.0), 5 * std::sqrt(n / 4.0)) << b;
}

}  // namespace
}  // namespace dollop
