// A fast 64-bit checksum of a stream of bytes; detects damage, is not cryptographic.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace dollop {

// The result does not depend on how the bytes are split between calls.
class Checksum {
 public:
  void add(const void* data, std::size_t bytes);
  std::uint64_t value() const;

 private:
  static constexpr std::size_t block_bytes = 32;  // a word of 8 bytes for each lane
  std::array<std::uint64_t, 4> lanes_{1, 2, 3, 4};
  std::array<unsigned char, block_bytes> tail_{};  // bytes of an incomplete block
  std::uint64_t length_ = 0;
};

}  // namespace dollop
