// A fast 64-bit checksum of a stream of bytes, against damage and not against malice.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace dollop {

// The bytes may come in pieces of any size; the result is that of all of them together.
class Checksum {
 public:
  void add(const void* data, std::size_t bytes);
  std::uint64_t value() const;

 private:
  static constexpr std::size_t block_bytes = 32;  // a word of 8 bytes for each lane
  std::array<std::uint64_t, 4> lanes_{1, 2, 3, 4};
  std::array<unsigned char, block_bytes> tail_{};  // bytes of a block that is not full yet
  std::uint64_t length_ = 0;
};

}  // namespace dollop
