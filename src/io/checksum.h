// A fast 64-bit checksum of a stream of bytes: XXH3 of xxHash. It detects damage and is not cryptographic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

struct XXH3_state_s;

namespace dollop {

// The result does not depend on how the bytes are split between calls.
class Checksum {
 public:
  Checksum();
  void add(const void* data, std::size_t bytes);
  std::uint64_t value() const;

 private:
  struct Free {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, Free> state_;
};

}  // namespace dollop
