#include "io/checksum.h"

#include <algorithm>
#include <cstring>

#include "core/hash.h"

namespace dollop {

namespace {

// One step of a lane. It is bijective in the lane for a given word and in the word for a given lane, so a change of a
// single word always changes the result.
inline std::uint64_t absorb(std::uint64_t lane, std::uint64_t word) {
  lane = (lane ^ word) * 0xd6e8feb86659fd93u;  // odd, bits well spread
  return lane ^ (lane >> 32);
}

// four independent lanes, for instruction-level parallelism
const unsigned char* absorb_blocks(std::array<std::uint64_t, 4>& lanes, const unsigned char* bytes,
                                   std::size_t blocks) {
  auto [a, b, c, d] = lanes;
  for (std::size_t i = 0; i < blocks; ++i, bytes += 32) {
    std::uint64_t words[4];
    std::memcpy(words, bytes, sizeof(words));
    a = absorb(a, words[0]);
    b = absorb(b, words[1]);
    c = absorb(c, words[2]);
    d = absorb(d, words[3]);
  }
  lanes = {a, b, c, d};
  return bytes;
}

}  // namespace

void Checksum::add(const void* data, std::size_t bytes) {
  if (bytes == 0) return;
  const unsigned char* next = static_cast<const unsigned char*>(data);
  const std::size_t held = length_ % block_bytes;
  length_ += bytes;
  if (held > 0) {
    const std::size_t taken = std::min(block_bytes - held, bytes);
    std::memcpy(tail_.data() + held, next, taken);
    next += taken;
    bytes -= taken;
    if (held + taken < block_bytes) return;
    absorb_blocks(lanes_, tail_.data(), 1);
  }
  next = absorb_blocks(lanes_, next, bytes / block_bytes);
  if (bytes % block_bytes > 0) std::memcpy(tail_.data(), next, bytes % block_bytes);
}

std::uint64_t Checksum::value() const {
  std::array<std::uint64_t, 4> lanes = lanes_;
  std::array<unsigned char, block_bytes>
      last{};  // the rest, padded with zeros; the length makes this unambiguous
  std::copy_n(tail_.begin(), length_ % block_bytes, last.begin());
  absorb_blocks(lanes, last.data(), 1);
  std::uint64_t h = mix(length_);
  for (const std::uint64_t lane : lanes) h = combine(h, lane);
  return h;
}

}  // namespace dollop
