// A 64-bit mixing hash for fingerprints of state and for hash tables.
#pragma once

#include <cstdint>

namespace dollop {

// the finaliser of splitmix64: a bijection that spreads every input bit
inline std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}
inline std::uint64_t combine(std::uint64_t h, std::uint64_t x) { return mix(h ^ mix(x)); }

}  // namespace dollop
