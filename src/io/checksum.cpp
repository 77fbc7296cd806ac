#include "io/checksum.h"

#include <xxhash.h>

#include "core/assert.h"

namespace dollop {

Checksum::Checksum() : state_(XXH3_createState()) {
  DOLLOP_ASSERT(state_ && XXH3_64bits_reset(state_.get()) == XXH_OK);
}

void Checksum::Free::operator()(XXH3_state_s* state) const { XXH3_freeState(state); }

void Checksum::add(const void* data, std::size_t bytes) {
  if (bytes > 0) DOLLOP_ASSERT(XXH3_64bits_update(state_.get(), data, bytes) == XXH_OK);
}

std::uint64_t Checksum::value() const { return XXH3_64bits_digest(state_.get()); }

}  // namespace dollop
