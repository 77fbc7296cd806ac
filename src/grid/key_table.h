// A hash table from blocks to numbers.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/hash.h"
#include "particles/block_space.h"

namespace dollop {

// Open addressing; keys are never removed.
template <class Value>
class KeyTable {
 public:
  explicit KeyTable(std::size_t expected) : slots_(std::bit_ceil(2 * expected + 16), {empty, Value{}}) {}

  bool insert(BlockKey key, Value value) {
    auto& slot = slots_[place(key)];
    const bool fresh = slot.first == empty;
    if (fresh) slot = {key, value};
    return fresh;
  }
  // the value of a key, which is inserted if it is not there
  Value& operator[](BlockKey key) {
    auto& slot = slots_[place(key)];
    slot.first = key;
    return slot.second;
  }
  Value find(BlockKey key, Value otherwise) const {
    const auto& slot = slots_[place(key)];
    return slot.first == empty ? otherwise : slot.second;
  }
  // calls visit(key, value) for all, in no particular order
  template <class Visit>
  void each(Visit&& visit) const {
    for (const auto& [key, value] : slots_)
      if (key != empty) visit(key, value);
  }

 private:
  static constexpr BlockKey empty = ~BlockKey(0);
  std::size_t place(BlockKey key) const {
    std::size_t i = mix(key) & (slots_.size() - 1);
    while (slots_[i].first != empty && slots_[i].first != key) i = (i + 1) & (slots_.size() - 1);
    return i;
  }
  std::vector<std::pair<BlockKey, Value>> slots_;
};

}  // namespace dollop
