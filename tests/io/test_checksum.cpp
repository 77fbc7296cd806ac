#include "io/checksum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "core/hash.h"

namespace dollop {
namespace {

std::uint64_t checksum_of(const std::string& bytes) {
  Checksum checksum;
  checksum.add(bytes.data(), bytes.size());
  return checksum.value();
}

std::string random_bytes(std::size_t count) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) bytes += char(mix(i) & 0xff);
  return bytes;
}

TEST(checksum, does_not_depend_on_the_pieces) {
  const std::string bytes = random_bytes(1000);
  for (const std::size_t piece : {1, 3, 8, 31, 32, 33, 100, 999}) {
    Checksum checksum;
    for (std::size_t i = 0; i < bytes.size(); i += piece) {
      checksum.add(bytes.data() + i, std::min(piece, bytes.size() - i));
      checksum.add(nullptr, 0);
    }
    EXPECT_EQ(checksum.value(), checksum_of(bytes)) << piece;
  }
}

TEST(checksum, every_flipped_bit_and_every_length_shows) {
  const std::string bytes = random_bytes(150);
  std::set<std::uint64_t> seen{checksum_of(bytes)};
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = char(flipped[bit / 8] ^ (1 << bit % 8));
    EXPECT_TRUE(seen.insert(checksum_of(flipped)).second) << bit;
  }
  for (std::size_t length = 0; length < 100; ++length)  // zeros of any number differ
    EXPECT_TRUE(seen.insert(checksum_of(std::string(length, '\0'))).second) << length;
}

TEST(checksum, swapped_words_show) {
  const std::string bytes = random_bytes(320);
  std::set<std::uint64_t> seen{checksum_of(bytes)};
  for (std::size_t a = 0; a < 40; ++a)
    for (std::size_t b = a + 1; b < 40; ++b) {
      std::string swapped = bytes;
      std::swap_ranges(swapped.begin() + long(8 * a), swapped.begin() + long(8 * a + 8),
                       swapped.begin() + long(8 * b));
      EXPECT_TRUE(seen.insert(checksum_of(swapped)).second) << a << " " << b;
    }
}

}  // namespace
}  // namespace dollop
