// Counter-based random numbers: the n-th number of a stream depends on (seed, stream, n) alone, so any thread
// may draw it and a resumed run draws the same.
#pragma once

#include "core/hash.h"

namespace dollop {

inline std::uint64_t random_stream(std::uint64_t seed, std::uint64_t stream) { return combine(seed, stream); }
inline std::uint64_t random_bits(std::uint64_t seed_and_stream, std::uint64_t n) {
  return mix(combine(seed_and_stream, n));
}
inline std::uint64_t random_bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t n) {
  return random_bits(random_stream(seed, stream), n);
}
// uniform in [0, 1)
inline double random_uniform(std::uint64_t seed, std::uint64_t stream, std::uint64_t n) {
  return double(random_bits(seed, stream, n) >> 11) * 0x1p-53;
}

}  // namespace dollop
